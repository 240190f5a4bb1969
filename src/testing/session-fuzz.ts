import assert from 'node:assert/strict';
import {
  assemble,
  type EventInput,
  foldCoverage,
  isBookkeeping,
  isPalimpsestError,
  type Lease,
  type LeaseOptions,
  type ListOptions,
  type ReadOptions,
  type SessionKey,
  type SessionService,
  type View,
} from '../index.ts';
import { everyPage, readAll } from './expectations.ts';
import type { ManualClock } from './manual-clock.ts';
import { answersRequest, requestText, type SampleText } from './sample-texts.ts';

/** Which session of the app an operation is about. */
export interface FuzzTarget {
  readonly userId: string;
  readonly sessionId: string;
}

/** A text of a request, and what it quotes: a memory given directly, or a session as it is then. */
export interface FuzzText {
  readonly text: string;
  readonly quotes?: FuzzSource;
}

/** What a text quotes. */
export type FuzzSource = { readonly directId: string } | FuzzTarget;

/** One call that a comparison makes on both services. */
export type SessionOperation =
  | {
      readonly do: 'create';
      readonly at: FuzzTarget;
      readonly state?: Readonly<Record<string, unknown>>;
      readonly ttlSeconds?: number;
    }
  | {
      readonly do: 'append';
      readonly at: FuzzTarget;
      readonly events: readonly EventInput[];
      /** How far the expected version lies behind the newest; none: no check. */
      readonly behind?: number;
      readonly leased?: boolean;
      /** Come with one more event, whose journal names them. */
      readonly texts?: readonly FuzzText[];
    }
  | { readonly do: 'eraseQuotes'; readonly userId: string; readonly of: FuzzSource }
  | { readonly do: 'rewind'; readonly at: FuzzTarget; readonly beforeInvocationId: string; readonly shared?: boolean }
  | { readonly do: 'fork'; readonly at: FuzzTarget; readonly atSeq: number; readonly sessionId: string }
  | { readonly do: 'open' | 'end' | 'delete' | 'renew' | 'release' | 'bookkeeping'; readonly at: FuzzTarget }
  | { readonly do: 'read' | 'readEffective'; readonly at: FuzzTarget; readonly options: ReadOptions }
  | { readonly do: 'readLive'; readonly at: FuzzTarget; readonly view: View }
  | { readonly do: 'list'; readonly options: Omit<ListOptions, 'appName'> }
  | { readonly do: 'behind' }
  | { readonly do: 'ingested'; readonly at: FuzzTarget; readonly seq: number }
  | { readonly do: 'lease'; readonly at: FuzzTarget; readonly owner: string; readonly options: LeaseOptions }
  | { readonly do: 'history'; readonly userId: string; readonly key: string }
  | { readonly do: 'deleteUserData'; readonly userId: string }
  | { readonly do: 'artifact'; readonly at: FuzzTarget; readonly name: string; readonly size: number }
  | { readonly do: 'sweep' }
  | { readonly do: 'endIdle'; readonly idleMillis: number }
  | { readonly do: 'wait'; readonly millis: number };

/** Handles on one set of sessions, used in turn. */
export type Handles = readonly [SessionService, ...SessionService[]];

/** Two services that must answer alike, on clocks that show the same time. */
export interface Compared {
  readonly left: Handles;
  readonly right: Handles;
  /** One for both, or one each. */
  readonly clocks: readonly [ManualClock, ...ManualClock[]];
  /** A name that neither service has seen. */
  readonly appName: string;
}

/** One of the two, with what it handed out. */
class Side {
  readonly leases = new Map<string, Lease>();
  readonly #handles: Handles;
  readonly #names = new Map<string, string>();
  #turn = 0;

  constructor(handles: Handles) {
    this.#handles = handles;
  }

  /** The handle whose turn it is. */
  get service(): SessionService {
    return this.#handles[this.#turn % this.#handles.length] ?? this.#handles[0];
  }

  /** Gives the turn to another handle; each goes on for a few calls, so that it has something to remember. */
  pass(step: number): void {
    this.#turn = Math.floor(step / 3);
  }

  /** An answer as text that both sides must share: random ids are numbered in the order in which they turn up. */
  told(answer: unknown): string {
    return JSON.stringify(answer, sorted)?.replace(uuid, (id) => {
      const name = this.#names.get(id) ?? `#${this.#names.size}`;
      this.#names.set(id, name);
      return name;
    });
  }
}

const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

function sorted(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const names = Object.keys(value).sort();
  return names.map((name): unknown => [name, Reflect.get(value, name)]);
}

/**
 * Makes the same calls on two services and throws at the first whose answers or errors differ, at the end also if what
 * they then hold differs or breaks a rule that can be read off the log.
 */
export async function compareSessions(compared: Compared, operations: readonly SessionOperation[]): Promise<void> {
  const sides = [new Side(compared.left), new Side(compared.right)] as const;
  const targets = new Map<string, FuzzTarget>();
  for (const [step, operation] of operations.entries()) {
    if (operation.do === 'wait') {
      for (const clock of compared.clocks) clock.advance(operation.millis);
      continue;
    }
    if ('at' in operation) targets.set(JSON.stringify(operation.at), operation.at);
    if (operation.do === 'fork') {
      const copy = { userId: operation.at.userId, sessionId: operation.sessionId };
      targets.set(JSON.stringify(copy), copy);
    }
    for (const side of sides) side.pass(step);
    const [left, right] = await onBoth(sides, (side) => outcome(() => apply(side, compared, operation)));
    assertAlike(left, right, `step ${step}, ${operation.do}: the services differ`);
  }
  const [left, right] = await onBoth(sides, (side) => holds(side.service, compared, [...targets.values()]));
  assertAlike(left, right, 'in the end the services hold different things');
}

/** Equal texts are the usual case; only others are taken apart, for a message that shows where they differ. */
function assertAlike(left: string, right: string, what: string): void {
  if (left !== right) assert.deepEqual({ what, ...JSON.parse(right) }, { what, ...JSON.parse(left) });
}

async function onBoth(
  sides: readonly [Side, Side],
  work: (side: Side) => Promise<unknown>,
): Promise<readonly [string, string]> {
  const [left, right] = sides;
  return [left.told(await work(left)), right.told(await work(right))];
}

async function outcome(work: () => Promise<unknown>): Promise<unknown> {
  try {
    return { answer: (await work()) ?? null };
  } catch (error) {
    if (isPalimpsestError(error)) return { code: error.code, details: error.details };
    throw error;
  }
}

async function apply(side: Side, compared: Compared, operation: SessionOperation): Promise<unknown> {
  const { appName } = compared;
  const { service } = side;
  switch (operation.do) {
    case 'list':
      return everyPage((cursor) =>
        service.list({ appName, ...operation.options, ...(cursor === undefined ? {} : { cursor }) }),
      );
    case 'behind':
      return service.listBehind({ appName });
    case 'history': {
      const scope = operation.key.startsWith('app:') ? { appName } : { appName, userId: operation.userId };
      return service.stateHistory(scope, operation.key.replace(/^(app|user):/, ''));
    }
    case 'eraseQuotes': {
      const { userId, of } = operation;
      const source = 'directId' in of ? of : { incarnation: await incarnationOf(service, { appName, ...of }) };
      return service.eraseQuotes({ appName, userId, sources: [source] });
    }
    case 'deleteUserData':
      return service.deleteUserData({ appName, userId: operation.userId });
    case 'sweep':
      return service.sweepExpired(new Date(compared.clocks[0].now()).toISOString());
    case 'endIdle': {
      const idleSince = new Date(compared.clocks[0].now() - operation.idleMillis).toISOString();
      return service.endIdle({ appName, idleSince });
    }
    case 'wait':
      return undefined;
    default:
      return applyToSession(side, { appName, ...operation.at }, operation);
  }
}

type OnSession = Extract<SessionOperation, { readonly at: FuzzTarget }>;
type OnLease =
  | { readonly do: 'lease'; readonly owner: string; readonly options: LeaseOptions }
  | { readonly do: 'renew' }
  | { readonly do: 'release' };

async function applyToSession(side: Side, key: SessionKey, operation: OnSession): Promise<unknown> {
  const { service } = side;
  switch (operation.do) {
    case 'create': {
      const { state, ttlSeconds } = operation;
      return service.create({
        ...key,
        ...(state ? { state } : {}),
        ...(ttlSeconds === undefined ? {} : { ttlSeconds }),
      });
    }
    case 'open':
      return service.open(key);
    case 'append':
      return append(side, key, operation);
    case 'rewind':
      return service.rewind(key, {
        beforeInvocationId: operation.beforeInvocationId,
        shared: operation.shared === true,
      });
    case 'fork':
      return service.fork(key, { atSeq: operation.atSeq, sessionId: operation.sessionId });
    case 'end':
      return service.end(key);
    case 'delete':
      return service.delete(key);
    case 'bookkeeping':
      return service.readBookkeeping(key);
    case 'read':
      return everyPage((cursor) =>
        service.read(key, { ...operation.options, ...(cursor === undefined ? {} : { cursor }) }),
      );
    case 'readEffective':
      return everyPage((cursor) =>
        service.readEffective(key, { ...operation.options, ...(cursor === undefined ? {} : { cursor }) }),
      );
    case 'readLive': {
      const { events, version } = await service.readLive(key, operation.view);
      return { events, version };
    }
    case 'ingested':
      return service.noteIngested(key, (await service.open(key))?.incarnation ?? 'none', operation.seq);
    case 'artifact':
      return service.artifacts.put(key, operation.name, new Uint8Array(operation.size), 'text/plain');
    case 'lease':
      return applyLease(side, key, operation);
    case 'renew':
    case 'release':
      return applyLease(side, key, { do: operation.do });
  }
}

async function append(
  side: Side,
  key: SessionKey,
  { events, behind, leased, texts: given = [] }: Extract<SessionOperation, { do: 'append' }>,
): Promise<unknown> {
  const version = (await side.service.open(key))?.version ?? 0;
  const lease = leased ? side.leases.get(key.sessionId) : undefined;
  const texts: SampleText[] = [];
  for (const text of given) texts.push(await sampleText(side.service, key, text));
  return side.service.append(key, texts.length === 0 ? events : [...events, answersRequest(texts)], {
    ...(texts.length === 0 ? {} : { texts }),
    ...(behind === undefined ? {} : { expectedVersion: Math.max(0, version - behind) }),
    ...(lease ? { lease } : {}),
  });
}

async function sampleText(service: SessionService, { appName }: SessionKey, given: FuzzText): Promise<SampleText> {
  const { text, quotes } = given;
  if (quotes === undefined) return requestText(text);
  if ('directId' in quotes) {
    return requestText(text, { kind: 'direct', source: 'api', id: quotes.directId, at: '2026-01-01T00:00:00.000Z' });
  }
  const incarnation = await incarnationOf(service, { appName, ...quotes });
  return requestText(text, { kind: 'event', sessionId: quotes.sessionId, incarnation, seq: 1, eventId: 'e1' });
}

async function incarnationOf(service: SessionService, key: SessionKey): Promise<string> {
  return (await service.open(key))?.incarnation ?? 'none';
}

async function applyLease(side: Side, key: SessionKey, operation: OnLease): Promise<unknown> {
  const held = side.leases.get(key.sessionId);
  if (operation.do === 'release') return held && side.service.releaseLease(held);
  if (operation.do === 'renew') return held && keep(side, await side.service.renewLease(held));
  return keep(side, await side.service.acquireLease(key, operation.owner, operation.options));
}

function keep(side: Side, lease: Lease): Lease {
  side.leases.set(lease.key.sessionId, lease);
  return lease;
}

const views: readonly View[] = [
  { agentName: 'assistant', history: 'full', provider: 'gemini' },
  { agentName: 'assistant', history: 'full', provider: 'openai', branch: 'root', isolationScope: 'task' },
];

/** Everything that a service holds of the app, checked against rules that need no second service. */
async function holds(service: SessionService, { appName }: Compared, targets: readonly FuzzTarget[]): Promise<unknown> {
  const sessions: unknown[] = [];
  for (const target of targets) {
    const key = { appName, ...target };
    const session = await service.open(key);
    if (session === undefined) continue;
    const events = await readAll(service, key, { limit: 7 });
    const effective = await everyPage((cursor) => service.readEffective(key, cursor === undefined ? {} : { cursor }));
    const coverage = foldCoverage(await service.readBookkeeping(key));
    const live = events.filter((event) => !isBookkeeping(event) && coverage.isLive(event.seq));
    assert.deepEqual(
      effective.map((event) => event.seq),
      live.map((event) => event.seq),
      'effective events are the live ones',
    );
    assert.ok(
      events.every((event, at) => at === 0 || event.seq > (events[at - 1]?.seq ?? 0)),
      'seqs grow',
    );
    assert.ok((events.at(-1)?.seq ?? 0) <= session.version, 'the version is that of the newest event');
    for (const view of views) {
      const { events: window } = await service.readLive(key, view);
      assert.deepEqual(
        assemble(window, view).contents,
        assemble(events, view).contents,
        'a live window assembles to what the whole log does',
      );
    }
    const hashes = new Set(events.flatMap(({ request }) => request?.blocks.map(({ hash }) => hash) ?? []));
    const texts = await Promise.all([...hashes].map((hash) => service.readText(key, hash)));
    sessions.push(session, events, texts, await service.artifacts.list(key));
  }
  const listed = await everyPage((cursor) =>
    service.list({ appName, limit: 2, ...(cursor === undefined ? {} : { cursor }) }),
  );
  return { sessions, listed, behind: await service.listBehind({ appName }) };
}
