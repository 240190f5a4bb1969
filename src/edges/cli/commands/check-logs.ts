import type { Palimpsest } from '../../../engine/index.ts';
import { isPalimpsestError } from '../../../errors/index.ts';
import { foldCoverage } from '../../../events/index.ts';
import type { SessionInfo } from '../../../sessions/index.ts';
import { listSessions } from '../choose-session.ts';
import { countText } from '../display/index.ts';
import type { DoctorFinding } from './diagnose-file.ts';

const pageSize = 1000;

/** Reads every event of every session: each must be readable, in order, not above its session's version. */
export async function checkLogs(copy: {
  readonly file: string;
  readonly apps: readonly string[];
}): Promise<DoctorFinding> {
  const { openPalimpsest } = await import('../../../engine/index.ts');
  const problems: string[] = [];
  let sessions = 0;
  let events = 0;
  for (const appName of copy.apps) {
    const palimpsest = await openPalimpsest({
      file: copy.file,
      appName,
      mustExist: true,
      ingest: 'never',
      sweepSeconds: 0,
    });
    try {
      for await (const info of listSessions(palimpsest)) {
        sessions += 1;
        events += await checkLog(palimpsest, info, problems);
      }
    } finally {
      await palimpsest.close();
    }
  }
  const what = `Logs: ${countText(events, 'event')} read, of ${countText(sessions, 'session')} in ${countText(copy.apps.length, 'app')}`;
  return { what, problems };
}

async function checkLog(palimpsest: Palimpsest, info: SessionInfo, problems: string[]): Promise<number> {
  const at = `app ${info.key.appName}, user ${info.key.userId}, session ${info.key.sessionId}`;
  let count = 0;
  let newest = 0;
  let cursor: string | undefined;
  try {
    do {
      const page = await palimpsest.sessions.read(info.key, { limit: pageSize, ...(cursor ? { cursor } : {}) });
      for (const { seq } of page.items) {
        if (seq <= newest) problems.push(`${at}: event ${seq} stands after event ${newest}`);
        newest = seq;
      }
      count += page.items.length;
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    foldCoverage(await palimpsest.sessions.readBookkeeping(info.key));
  } catch (error) {
    if (!isPalimpsestError(error)) throw error;
    problems.push(`${at}, after event ${newest}: ${error.message}`);
  }
  if (newest > info.version) problems.push(`${at}: event ${newest} is above the session's version ${info.version}`);
  return count;
}
