import assert from 'node:assert/strict';
import type {
  ErrorCode,
  ErrorDetails,
  Event,
  JsonMap,
  PalimpsestError,
  ReadOptions,
  SessionKey,
  SessionService,
} from '../index.ts';
import { isPalimpsestError } from '../index.ts';

/** Fails unless the promise is refused with this code and, as far as given, these details. */
export async function refused<C extends ErrorCode>(
  promise: Promise<unknown>,
  code: C,
  details: Partial<ErrorDetails[C]> = {},
): Promise<PalimpsestError<C>> {
  const outcome = await promise.then(
    () => ({ accepted: true as const }),
    (error: unknown) => ({ accepted: false as const, error }),
  );
  assert.ok(!outcome.accepted, `was accepted, not refused with ${code}`);
  const { error } = outcome;
  if (!isPalimpsestError(error, code)) {
    const found = isPalimpsestError(error) ? error.code : String(error);
    assert.fail(`was refused with ${found}, not ${code}: ${error instanceof Error ? error.message : ''}`);
  }
  for (const name of Object.keys(details)) {
    same(Reflect.get(error.details, name), Reflect.get(details, name), `${code}: ${name}`);
  }
  return error;
}

/** Fails unless both are the same JSON, whatever their prototypes. */
export function same(actual: unknown, expected: unknown, what?: string): void {
  assert.deepEqual(plain(actual), plain(expected), what);
}

function plain(value: unknown): unknown {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value));
}

/** All events of a log, page by page. */
export async function readAll(
  service: SessionService,
  key: SessionKey,
  options: ReadOptions = {},
): Promise<readonly Event[]> {
  return everyPage((cursor) => service.read(key, cursor === undefined ? options : { ...options, cursor }));
}

/** The items of all pages, in order. */
export async function everyPage<T>(
  read: (cursor: string | undefined) => Promise<{ readonly items: readonly T[]; readonly nextCursor?: string }>,
): Promise<readonly T[]> {
  const items: T[] = [];
  let cursor: string | undefined;
  for (let pages = 0; pages < 1000; pages++) {
    const page = await read(cursor);
    items.push(...page.items);
    if (page.nextCursor === undefined) return items;
    cursor = page.nextCursor;
  }
  return assert.fail('the pages have no end');
}

/** The seqs of events, in their order. */
export function seqsOf(events: readonly Event[]): readonly number[] {
  return events.map((event) => event.seq);
}

/** The texts of events, in their order; empty for those without. */
export function textsOf(events: readonly Event[]): readonly string[] {
  return events.map((event) => event.content?.parts[0]?.text ?? '');
}

/** The state of a session that must be there. */
export async function stateOf(service: SessionService, key: SessionKey): Promise<JsonMap> {
  const session = await service.open(key);
  assert.ok(session, `session ${key.sessionId} is gone`);
  return session.state;
}

/** 1, 2, 3 … n. */
export function upTo(n: number): readonly number[] {
  return Array.from({ length: n }, (_, index) => index + 1);
}

/** Runs the work and fails if it changed the session, its log or its state in any way. */
export async function unchanged(service: SessionService, key: SessionKey, work: () => Promise<unknown>): Promise<void> {
  const look = async (): Promise<unknown> => ({
    session: await service.open(key),
    events: await readAll(service, key),
  });
  const before = await look();
  await work();
  same(await look(), before, 'something was half done');
}

/** Fails if anything reachable could be changed. */
export function assertDeepFrozen(value: unknown, path = 'value'): void {
  if (typeof value !== 'object' || value === null) return;
  assert.ok(Object.isFrozen(value), `${path} is not frozen`);
  for (const name of Object.keys(value)) assertDeepFrozen(Reflect.get(value, name), `${path}.${name}`);
}

/** Lets others at work take this many steps, so that a race meets them at another place each time. */
export async function stepsOf(count: number): Promise<void> {
  for (let step = 0; step < count; step++) await Promise.resolve();
}
