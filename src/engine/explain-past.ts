import { rebuildRequest, wholeJournal } from '../agents/index.ts';
import { PalimpsestError } from '../errors/index.ts';
import { type Event, isPlainObject, type SessionKey } from '../events/index.ts';
import { maxPageSize, type SessionService } from '../sessions/index.ts';
import { type ContextParts, explainMade, readLog } from './build-context.ts';
import type { PastRequest } from './palimpsest.ts';

/** The request that an event answers, rebuilt from the log and the texts kept with it. */
export async function explainPast(
  { sessions, countTokens }: Pick<ContextParts, 'sessions' | 'countTokens'>,
  key: SessionKey,
  seq: number,
): Promise<PastRequest> {
  if (!Number.isSafeInteger(seq) || seq < 1) throw badSeq('must be the seq of an event: a whole number, 1 or more');
  const session = await sessions.open(key);
  if (session === undefined) throw new PalimpsestError('SESSION_NOT_FOUND', { sessionId: key.sessionId });
  const answer = (await sessions.read(key, { fromSeq: seq, toSeq: seq })).items[0];
  const journal = answer && wholeJournal(answer);
  if (answer === undefined || journal === undefined)
    throw badSeq(`${problemOf(answer)}; ${await nearestOf(sessions, key, seq)}`);
  const events = await readLog(sessions, key, journal.throughSeq);
  const readText = (hash: string) => sessions.readText(key, hash);
  const { request, blocks, assembly, standing } = await rebuildRequest({ journal, events, readText });
  const { view } = journal;
  const explanation = explainMade({ request, blocks, assembly, events, view, counter: countTokens });
  const explain = (of: number) => assembly.placement(of);
  return { ...request, answer, journal, standing, assembly, events, explanation, explain };
}

function problemOf(event: Event | undefined): string {
  if (event === undefined) return 'is that of no event of the session';
  if (isPlainObject(event.customMetadata) && event.customMetadata.requestReplaced === true)
    return 'is that of an answer to a request that a callback put in the place of the one built from the log';
  if (event.request !== undefined) return 'is that of an event whose journal is not one to rebuild a request from';
  return 'is that of an event that answers no request of a model';
}

/** Tells the events nearest to one that do answer requests. */
async function nearestOf(sessions: SessionService, key: SessionKey, seq: number): Promise<string> {
  const found: number[] = [];
  for (const span of [
    { toSeq: seq - 1, newestFirst: true },
    { fromSeq: seq + 1, newestFirst: false },
  ]) {
    const nearest = await firstAnswer(sessions, key, span);
    if (nearest !== undefined) found.push(nearest);
  }
  if (found.length === 0) return 'no event of the session answers one';
  return found.length === 1 ? `event ${found[0]} answers one` : `events ${found.join(' and ')} answer one each`;
}

async function firstAnswer(
  sessions: SessionService,
  key: SessionKey,
  span: { readonly fromSeq?: number; readonly toSeq?: number; readonly newestFirst: boolean },
): Promise<number | undefined> {
  for (let cursor: string | undefined; ; ) {
    const page = await sessions.read(key, { ...span, limit: maxPageSize, ...(cursor ? { cursor } : {}) });
    const found = page.items.find((event) => wholeJournal(event) !== undefined);
    cursor = page.nextCursor;
    if (found !== undefined || cursor === undefined) return found?.seq;
  }
}

function badSeq(reason: string): PalimpsestError {
  return new PalimpsestError('INVALID_ARGUMENT', { argument: 'seq', reason });
}
