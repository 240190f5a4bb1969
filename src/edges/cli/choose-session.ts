import type { Palimpsest } from '../../engine/index.ts';
import { PalimpsestError } from '../../errors/index.ts';
import type { SessionInfo } from '../../sessions/index.ts';
import { byTime } from './session-time.ts';

const pageSize = 1000;
const listedAtMost = 10;

/** All sessions of an app, or of one user in it, as they come. */
export async function* listSessions(palimpsest: Palimpsest, userId?: string): AsyncIterable<SessionInfo> {
  let cursor: string | undefined;
  do {
    const page = await palimpsest.sessions.list({
      appName: palimpsest.appName,
      limit: pageSize,
      ...(userId === undefined ? {} : { userId }),
      ...(cursor === undefined ? {} : { cursor }),
    });
    yield* page.items;
    cursor = page.nextCursor;
  } while (cursor !== undefined);
}

/** All of them by the time at which they took place, newest first. */
export async function newestSessions(palimpsest: Palimpsest, userId?: string): Promise<SessionInfo[]> {
  const sessions: SessionInfo[] = [];
  for await (const info of listSessions(palimpsest, userId)) sessions.push(info);
  return byTime(sessions);
}

/** The users that have sessions, by name. */
export async function listUsers(palimpsest: Palimpsest): Promise<string[]> {
  const users = new Set<string>();
  for await (const { key } of listSessions(palimpsest)) users.add(key.userId);
  return [...users].sort();
}

/** The user that is meant: the one named, or the only one there is. Throws INVALID_ARGUMENT that lists them. */
export async function chooseUser(palimpsest: Palimpsest, named: string | undefined): Promise<string> {
  if (named !== undefined) return named;
  const users = await listUsers(palimpsest);
  const [only] = users;
  if (only !== undefined && users.length === 1) return only;
  throw new PalimpsestError('INVALID_ARGUMENT', {
    argument: '--user',
    reason:
      users.length === 0
        ? `is needed: app ${JSON.stringify(palimpsest.appName)} has no sessions in this file (another app is chosen with --app)`
        : `is needed, for there are several: ${listed(users)}`,
  });
}

/**
 * The session whose id is given, or begins so, or was so where it was imported from. Throws SESSION_NOT_FOUND,
 * INVALID_ID for none, or INVALID_ARGUMENT that lists the sessions if several fit.
 */
export async function chooseSession(
  palimpsest: Palimpsest,
  options: { readonly session: string; readonly userId?: string | undefined },
): Promise<SessionInfo> {
  if (options.session === '')
    throw new PalimpsestError('INVALID_ID', { field: "The session's id", reason: 'is empty' });
  const exact: SessionInfo[] = [];
  const begun: SessionInfo[] = [];
  for await (const info of listSessions(palimpsest, options.userId)) {
    if (info.key.sessionId === options.session || info.metadata?.originalId === options.session) exact.push(info);
    else if (info.key.sessionId.startsWith(options.session)) begun.push(info);
  }
  const fitting = exact.length > 0 ? exact : begun;
  const [only] = fitting;
  if (only === undefined) throw new PalimpsestError('SESSION_NOT_FOUND', { sessionId: options.session });
  if (fitting.length === 1) return only;
  throw new PalimpsestError('INVALID_ARGUMENT', {
    argument: JSON.stringify(options.session),
    reason:
      exact.length > 0
        ? `is a session of several users; choose with --user: ${listed(fitting.map(({ key }) => key.userId))}`
        : `begins the ids of several sessions: ${listed(fitting.map(({ key }) => key.sessionId))}`,
  });
}

function listed(names: readonly string[]): string {
  const more = names.length - listedAtMost;
  return names.slice(0, listedAtMost).join(', ') + (more > 0 ? ` and ${more} more` : '');
}
