import type { Palimpsest } from '../../../engine/index.ts';
import { isPalimpsestError } from '../../../errors/index.ts';
import { foldCoverage } from '../../../events/index.ts';
import type { SessionInfo } from '../../../sessions/index.ts';
import { listSessions } from '../choose-session.ts';
import { countText } from '../display/index.ts';
import type { DoctorFinding, ScratchCopy } from './diagnose-file.ts';

const pageSize = 1000;

interface Tally {
  readonly problems: string[];
  sessions: number;
  events: number;
}

/**
 * Reads every event of every session: each must be readable, in order, not above its session's version. Goes on behind
 * what cannot be read, so that of a damaged file it tells what is left.
 */
export async function checkLogs(copy: ScratchCopy): Promise<DoctorFinding> {
  const { openPalimpsest } = await import('../../../engine/index.ts');
  const tally: Tally = { problems: [], sessions: 0, events: 0 };
  for (const appName of copy.apps) {
    await noting(tally, `app "${appName}"`, async () => {
      const palimpsest = await openPalimpsest({
        file: copy.file,
        appName,
        mustExist: true,
        ingest: 'never',
        sweepSeconds: 0,
      });
      try {
        await checkApp(palimpsest, copy, tally);
      } finally {
        await palimpsest.close();
      }
    });
  }
  const { events, sessions, problems } = tally;
  const what = `Logs: ${countText(events, 'event')} read, of ${countText(sessions, 'session')} in ${countText(copy.apps.length, 'app')}`;
  return { what, problems, eventsRead: events };
}

async function checkApp(palimpsest: Palimpsest, copy: ScratchCopy, tally: Tally): Promise<void> {
  for await (const info of listSessions(palimpsest)) {
    await copy.mayGoOn();
    tally.sessions += 1;
    await checkLog(palimpsest, info, tally);
  }
}

async function checkLog(palimpsest: Palimpsest, info: SessionInfo, tally: Tally): Promise<void> {
  const { appName, userId, sessionId } = info.key;
  const at = `session ${sessionId} of user "${userId}" in app "${appName}"`;
  let newest = 0;
  await noting(
    tally,
    () => `${at}, after event ${newest}`,
    async () => {
      let cursor: string | undefined;
      do {
        const page = await palimpsest.sessions.read(info.key, { limit: pageSize, ...(cursor ? { cursor } : {}) });
        for (const { seq } of page.items) {
          if (seq <= newest) tally.problems.push(`${at}: event ${seq} stands after event ${newest}`);
          newest = seq;
        }
        tally.events += page.items.length;
        cursor = page.nextCursor;
      } while (cursor !== undefined);
      foldCoverage(await palimpsest.sessions.readBookkeeping(info.key));
    },
  );
  if (newest > info.version)
    tally.problems.push(`${at}: event ${newest} is above the session's version ${info.version}`);
}

/** A failure of the store is what the doctor looks for; any other, and a signal, ends the check. */
async function noting(tally: Tally, at: string | (() => string), work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!isPalimpsestError(error) || error.code === 'ABORTED') throw error;
    const reason = 'reason' in error.details ? error.details.reason : error.message;
    tally.problems.push(`${typeof at === 'string' ? at : at()}: ${reason}`);
  }
}
