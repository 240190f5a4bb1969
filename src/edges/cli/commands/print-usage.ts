import type { Palimpsest } from '../../../engine/index.ts';
import type { ModelUsage, UsageReport } from '../../../sessions/index.ts';
import { chooseSession, chooseUser } from '../choose-session.ts';
import { oneLine, tableLines } from '../display/index.ts';
import { withStore } from '../open-store.ts';
import type { Terminal } from '../terminal.ts';
import { noteUnknownUser } from './note-unknown-user.ts';

/** Options of `palimpsest usage`. */
export interface UsageOptions {
  readonly user?: string;
}

/** Prints what the model calls of a session have used, or without one those of a user. */
export async function printUsage(
  terminal: Terminal,
  session: string | undefined,
  options: UsageOptions,
): Promise<void> {
  const work = async (palimpsest: Palimpsest) => {
    const { report, owner, userId } = await readReport(palimpsest, session, options);
    if (terminal.options.json) return terminal.json(report);
    const rows = rowsOf(report);
    if (rows.length === 0) {
      terminal.note(`No model calls of ${owner}.`);
      if (userId !== undefined) await noteUnknownUser(terminal, palimpsest, userId);
      return;
    }
    for (const line of linesOf(rows, terminal)) terminal.print(line);
    if (rows.some(({ cost }) => cost === undefined)) terminal.note('- : the price of that model is not known.');
  };
  await withStore(terminal, work, { access: 'read' });
}

/** What was asked for; `userId` where it is a user's whole usage. */
async function readReport(palimpsest: Palimpsest, session: string | undefined, { user }: UsageOptions) {
  if (session !== undefined) {
    const { key } = await chooseSession(palimpsest, { session, userId: user });
    return { report: await palimpsest.sessions.usage(key), owner: `session "${key.sessionId}"` };
  }
  const userId = await chooseUser(palimpsest, user);
  return { report: await palimpsest.user(userId).usage(), owner: `user "${userId}"`, userId };
}

interface Row extends Omit<ModelUsage, 'model'> {
  readonly name: string;
}

/** A row for each model, those that made summaries below the others, and one for all where there are several. */
function rowsOf({ byModel, compaction, ...all }: UsageReport): readonly Row[] {
  const named =
    (note: string) =>
    ({ model = 'unknown', ...used }: ModelUsage): Row => ({ name: oneLine(model) + note, ...used });
  const answers = byModel.map(named(''));
  const rows = [...answers, ...compaction.byModel.map(named(' (summaries)'))];
  const name = compaction.byModel.length === 0 ? 'all' : 'all but summaries';
  return answers.length > 1 ? [...rows, { name, ...all }] : rows;
}

function linesOf(rows: readonly Row[], { width, paint }: Terminal): readonly string[] {
  const right = { align: 'right' } as const;
  return tableLines({
    width,
    paintTitle: paint.bold,
    columns: [
      { title: 'MODEL', mayCut: true },
      ...['CALLS', 'INPUT', 'CACHED', 'WRITTEN', 'OUTPUT', 'USD'].map((title) => ({ title, ...right })),
    ],
    rows: rows.map(({ name, calls, tokens, cost = '-' }) => [
      { text: name, paint: paint.cyan },
      String(calls),
      ...[tokens.inputTokens, tokens.cacheReadTokens, tokens.cacheWriteTokens, tokens.outputTokens].map((count = 0) =>
        String(count),
      ),
      cost,
    ]),
  });
}
