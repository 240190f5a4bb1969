import { describe, expect, it } from 'vitest';
import { isPalimpsestError } from '../errors/index.ts';
import { silentLogger } from '../models/index.ts';
import { ManualClock } from '../testing/index.ts';
import { type OpenOptions, openPalimpsest, type Palimpsest } from './index.ts';

const question = { author: 'user', content: 'Which unit do I prefer?' };
const answer = { author: 'assistant', content: 'Celsius.' };

async function turns(palimpsest: Palimpsest, userId = 'u1'): Promise<string[]> {
  const { items } = await palimpsest.user(userId).memories({ limit: 1000 });
  return items.filter(({ kind }) => kind === 'turn').map(({ text }) => text);
}

describe('opening', () => {
  it('gives a Palimpsest in memory when nothing is said', async () => {
    await using palimpsest = await openPalimpsest();
    expect(palimpsest.appName).toBe('default');
    expect((await palimpsest.user('u1').session('s1')).key).toEqual({
      appName: 'default',
      userId: 'u1',
      sessionId: 's1',
    });
    await expect(palimpsest.backup('copy.db')).rejects.toMatchObject({ code: 'NOT_SUPPORTED' });
  });

  it('answers a url with NOT_SUPPORTED, and says what serves instead', async () => {
    const opening = openPalimpsest({ url: 'postgres://localhost/agents' });
    await expect(opening).rejects.toMatchObject({ code: 'NOT_SUPPORTED', message: expect.stringMatching(/file/) });
  });

  const refused: readonly (readonly [string, unknown, string])[] = [
    ['no object', null, 'options'],
    ['a path instead of options', 'agent.db', 'options'],
    ['an unknown option', { filename: 'agent.db' }, 'filename'],
    ['a number as a file', { file: 5 }, 'file'],
    ['an empty file', { file: '' }, 'file'],
    ['an unknown moment of ingestion', { ingest: 'sometimes' }, 'ingest'],
    ['a list of state keys', { state: ['notes'] }, 'state'],
    ['an unknown merge', { state: { notes: 'sum' } }, 'state.notes'],
    ['a null for a state key', { state: { 'user:名': null } }, 'state.user:名'],
    ['an unknown merge beside a schema', { state: { notes: { merge: 'sum' } } }, 'state.notes.merge'],
    ['an unknown member of a state key', { state: { notes: { type: 'list' } } }, 'state.notes.type'],
    ['JSON Schema for a state key', { state: { unit: { schema: { type: 'string' } } } }, 'state.unit.schema'],
    ['a text as a schema', { state: { unit: { schema: 'string' } } }, 'state.unit.schema'],
    [
      'a schema of another version of the standard',
      { state: { unit: { schema: { '~standard': { version: 2, validate: () => ({ value: 1 }) } } } } },
      'state.unit.schema',
    ],
    [
      'a schema that does not validate',
      { state: { unit: { schema: { '~standard': { version: 1, vendor: 'x' } } } } },
      'state.unit.schema',
    ],
    ['a function as a logger', { logger: () => undefined }, 'logger'],
    ['a logger that lacks a level', { logger: { ...silentLogger, error: undefined } }, 'logger'],
    ['an unknown telemetry', { telemetry: 'on' }, 'telemetry'],
    ['telemetry without spans', { telemetry: {} }, 'telemetry'],
    ['a redaction that is no function', { redact: 'emails' }, 'redact'],
    ['a clock that does not tell the time', { clock: {} }, 'clock'],
    ['a date as a clock', { clock: null }, 'clock'],
    ['a counter that does not count', { countTokens: { name: 'x' } }, 'countTokens'],
    ['a negative idle time', { idleSeconds: -1 }, 'idleSeconds'],
    ['an idle time that is no number', { idleSeconds: Number.NaN }, 'idleSeconds'],
    ['a text as a sweep interval', { sweepSeconds: '60' }, 'sweepSeconds'],
    ['a sweep interval that no timer holds', { sweepSeconds: Number.POSITIVE_INFINITY }, 'sweepSeconds'],
    ['a listener that is no function', { onBackgroundFailure: true }, 'onBackgroundFailure'],
    ['an unknown driver', { driver: 'sqlite3' }, 'driver'],
    ['an unknown durability', { durability: 'some' }, 'durability'],
    ['a text for a switch', { mustExist: 'yes' }, 'mustExist'],
  ];
  it.each(refused)('refuses %s', async (_, options, argument) => {
    const opening = openPalimpsest(options as OpenOptions);
    await expect(opening).rejects.toMatchObject({ code: 'INVALID_ARGUMENT', details: { argument } });
  });

  it.each(['', ' app', 'a\u0000', 7, null, 'e\u0301'])('refuses %j as the name of an app', async (appName) => {
    if (appName === null) return expect((await openPalimpsest({ appName } as object)).appName).toBe('default');
    const opening = openPalimpsest({ appName } as OpenOptions);
    return expect(opening).rejects.toMatchObject({ code: 'INVALID_ID', details: { field: 'appName' } });
  });
});

describe('background work', () => {
  it('has read a closed invocation when it is settled, and an open one not yet', async () => {
    await using palimpsest = await openPalimpsest();
    const session = await palimpsest.user('u1').session('s1');
    await session.append([question]);
    await palimpsest.settled();
    expect(await turns(palimpsest)).toEqual([]);
    await session.append([answer]);
    await palimpsest.settled();
    expect(await turns(palimpsest)).toEqual([answer.content, question.content]);
  });

  it('learns at the end of a session what no answer has closed', async () => {
    await using palimpsest = await openPalimpsest();
    const session = await palimpsest.user('u1').session('s1');
    await session.append([question]);
    await session.end();
    await palimpsest.settled();
    expect(await turns(palimpsest)).toEqual([question.content]);
  });

  it('learns nothing by itself with ingest: never', async () => {
    await using palimpsest = await openPalimpsest({ ingest: 'never' });
    const session = await palimpsest.user('u1').session('s1');
    await session.append([question, answer]);
    await palimpsest.import({ userId: 'u1', sessionId: 's2', events: [{ id: 'e', ...question }] }, { from: 'x' });
    await session.end();
    await palimpsest.settled();
    expect(await turns(palimpsest)).toEqual([]);
  });

  it('throws its first failure at settled(), once, and tells the listener of each', async () => {
    const told: unknown[] = [];
    const palimpsest = await openPalimpsest({ onBackgroundFailure: (error) => told.push(error) });
    const session = await palimpsest.user('u1').session('s1');
    await palimpsest.settled();
    await palimpsest.memory.close(); // the next ingestions cannot but fail
    await session.append([question, answer]);
    await session.append([question, answer]);
    await expect(palimpsest.settled()).rejects.toMatchObject({ code: 'CLOSED' });
    expect(told).toHaveLength(2);
    await palimpsest.settled();
    await palimpsest.close();
  });

  it('tells the logger of a failure, if nobody else is told', async () => {
    const told: [string, unknown][] = [];
    const logger = { ...silentLogger, error: (message: string, fields: unknown) => void told.push([message, fields]) };
    const heard: unknown[] = [];
    for (const onBackgroundFailure of [undefined, (error: unknown) => heard.push(error)]) {
      const palimpsest = await openPalimpsest({ logger, ...(onBackgroundFailure && { onBackgroundFailure }) });
      const session = await palimpsest.user('u1').session('s1');
      await palimpsest.settled();
      await palimpsest.memory.close();
      await session.append([question, answer]);
      await expect(palimpsest.close()).rejects.toMatchObject({ code: 'CLOSED' });
    }
    const fields = { code: 'CLOSED', error: expect.stringMatching(/closed/), stack: expect.any(String) };
    expect(told).toEqual([[expect.stringMatching(/background/), fields]]);
    expect(heard).toHaveLength(1);
  });

  it('warns of a failure where nobody is told', async () => {
    const warnings: Error[] = [];
    const note = (warning: Error) => void warnings.push(warning);
    process.on('warning', note);
    try {
      const palimpsest = await openPalimpsest();
      const session = await palimpsest.user('u1').session('s1');
      await palimpsest.settled();
      await palimpsest.memory.close();
      await session.append([question, answer]);
      await expect(palimpsest.close()).rejects.toMatchObject({ code: 'CLOSED' });
      await expect.poll(() => warnings.map((warning) => codeOf(warning))).toContain('CLOSED');
    } finally {
      process.off('warning', note);
    }
  });

  it('survives a listener that throws', async () => {
    const palimpsest = await openPalimpsest({
      onBackgroundFailure: () => {
        throw new TypeError('listener');
      },
    });
    const session = await palimpsest.user('u1').session('s1');
    await palimpsest.settled();
    await palimpsest.memory.close();
    await session.append([question, answer]);
    await expect(palimpsest.close()).rejects.toMatchObject({ code: 'CLOSED' });
  });
});

describe('closing', () => {
  it('waits for what is being learnt', async () => {
    const palimpsest = await openPalimpsest();
    const session = await palimpsest.user('u1').session('s1');
    await session.append([question, answer]);
    await palimpsest.close(); // a failed ingestion would be thrown here
  });

  it('may be done twice, also at once', async () => {
    const palimpsest = await openPalimpsest();
    await Promise.all([palimpsest.close(), palimpsest.close()]);
    await palimpsest.close();
    await palimpsest.settled();
  });

  it('makes every later call fail with CLOSED', async () => {
    const palimpsest = await openPalimpsest();
    const user = palimpsest.user('u1');
    const session = await user.session('s1');
    await session.append([question]);
    const { key } = session;
    await palimpsest.close();
    const calls: Record<string, () => Promise<unknown>> = {
      session: () => user.session('s2'),
      sessions: () => user.sessions(),
      remember: () => user.remember('x'),
      recall: () => user.recall('x'),
      memories: () => user.memories(),
      forget: () => user.forget({ sessionId: 's1' }),
      erase: () => user.erase(),
      append: () => session.append([question]),
      read: () => session.read(),
      rewind: () => session.rewind({ beforeInvocationId: 'i' }),
      fork: () => session.fork({ atSeq: 0 }),
      end: () => session.end(),
      delete: () => session.delete(),
      context: () => palimpsest.context(key),
      import: () => palimpsest.import({ userId: 'u1', sessionId: 's3', events: [] }, { from: 'x' }),
      eraseSession: () => palimpsest.eraseSession(key),
      sweep: () => palimpsest.sweep(),
      artifacts: () => palimpsest.artifacts.list(key),
      begin: () => palimpsest.invocations.begin({ key, agentName: 'assistant', events: [question] }),
    };
    const codes = await Promise.all(
      Object.entries(calls).map(async ([name, call]) => [name, await call().then(() => 'resolved', codeOf)] as const),
    );
    expect(codes.filter(([, code]) => code !== 'CLOSED')).toEqual([]);
  });
});

describe('sweeping', () => {
  const afterSeconds = (clock: ManualClock, seconds: number) => clock.advance(seconds * 1000);

  it('removes expired sessions, counted from their newest event, and what was learnt from them', async () => {
    const clock = new ManualClock();
    await using palimpsest = await openPalimpsest({ clock, sweepSeconds: 0 });
    const user = palimpsest.user('u1');
    const session = await user.session('s1', { ttlSeconds: 100 });
    const kept = await user.session('s2');
    await kept.append([{ author: 'user', content: 'I stay.' }, answer]);
    afterSeconds(clock, 90);
    await session.append([question, answer]);
    await palimpsest.settled();
    afterSeconds(clock, 99);
    expect(await palimpsest.sweep()).toEqual({ expired: 0, ended: 0 });
    afterSeconds(clock, 1);
    expect(await palimpsest.sessions.open(session.key)).toBeUndefined();
    expect(await palimpsest.sweep()).toEqual({ expired: 1, ended: 0 });
    expect(await turns(palimpsest)).toEqual([answer.content, 'I stay.']);
    expect((await user.sessions()).items.map(({ key }) => key.sessionId)).toEqual(['s2']);
    const again = await user.session('s1');
    expect(again.version).toBe(0);
  });

  it('ends a session idle for 900 s, lets memory read it, and the next append reopens it', async () => {
    const clock = new ManualClock();
    await using palimpsest = await openPalimpsest({ clock, sweepSeconds: 0 });
    const session = await palimpsest.user('u1').session('s1');
    await session.append([question]);
    afterSeconds(clock, 899);
    expect(await palimpsest.sweep()).toEqual({ expired: 0, ended: 0 });
    afterSeconds(clock, 2);
    expect(await palimpsest.sweep()).toEqual({ expired: 0, ended: 1 });
    await palimpsest.settled();
    expect(await turns(palimpsest)).toEqual([question.content]);
    expect((await session.read()).items.at(-1)?.actions).toEqual({ sessionEnd: true });
    await session.append([answer], { expectedVersion: session.version });
    expect(session.info.ended).toBe(false);
    afterSeconds(clock, 901);
    expect(await palimpsest.sweep()).toEqual({ expired: 0, ended: 1 });
    expect(await palimpsest.sweep()).toEqual({ expired: 0, ended: 0 });
  });

  it('ends more idle sessions than one batch holds', async () => {
    const clock = new ManualClock();
    await using palimpsest = await openPalimpsest({ clock, idleSeconds: 10, sweepSeconds: 0 });
    for (let i = 0; i < 230; i++) await (await palimpsest.user(`u${i % 3}`).session(`s${i}`)).append([question]);
    afterSeconds(clock, 12);
    expect(await palimpsest.sweep()).toEqual({ expired: 0, ended: 230 });
  });

  it('goes on by itself in the background', async () => {
    const clock = new ManualClock();
    await using palimpsest = await openPalimpsest({ clock, sweepSeconds: 0.01 });
    const session = await palimpsest.user('u1').session('s1');
    await session.append([question]);
    afterSeconds(clock, 901);
    await expect.poll(async () => (await palimpsest.sessions.open(session.key))?.ended).toBe(true);
    await expect.poll(() => turns(palimpsest)).toEqual([question.content]);
  });

  it('takes another moment than now, and refuses what is none', async () => {
    await using palimpsest = await openPalimpsest({ sweepSeconds: 0 });
    await palimpsest.user('u1').session('s1', { ttlSeconds: 3600 });
    expect(await palimpsest.sweep('2099-01-01T00:00:00.000Z')).toMatchObject({ expired: 1 });
    await expect(palimpsest.sweep('tomorrow')).rejects.toSatisfy((error) => isPalimpsestError(error));
  });
});

describe('redaction', () => {
  it('sees what every path appends, and what it returns is stored', async () => {
    const seen: string[] = [];
    await using palimpsest = await openPalimpsest({
      redact: async (event, { sessionId }) => {
        const actions = Object.keys(event.actions ?? {});
        seen.push(`${sessionId}:${actions.length > 0 ? actions.join() : 'content'}`);
        return { ...event, customMetadata: { redacted: true } };
      },
    });
    const user = palimpsest.user('u1');
    const session = await user.session('s1', { state: { unit: 'C' } });
    await session.append([question, answer]);
    const [, first] = (await session.read()).items;
    await session.append([{ author: 'system', actions: { compaction: summaryOf(2) } }]);
    await session.rewind({ beforeInvocationId: first?.invocationId ?? '' });
    await session.end();
    await palimpsest.import({ userId: 'u1', sessionId: 's2', events: [{ id: 'e1', ...question }] }, { from: 'x' });
    expect(seen).toEqual([
      's1:stateDelta',
      's1:content',
      's1:content',
      's1:compaction',
      's1:rewind',
      's1:sessionEnd',
      's2:content',
    ]);
    for (const sessionId of ['s1', 's2']) {
      const { items } = await palimpsest.sessions.read({ ...session.key, sessionId });
      expect(items.map(({ customMetadata }) => customMetadata?.redacted)).toEqual(items.map(() => true));
    }
  });

  it('keeps a secret out of log, memory and state, and an error of its own out of nothing', async () => {
    await using palimpsest = await openPalimpsest({
      redact: (event) => {
        if (event.author === 'intruder') throw new RangeError('not allowed');
        return JSON.parse(JSON.stringify(event).replaceAll('4111-1111', '▇'));
      },
    });
    const user = palimpsest.user('u1');
    const session = await user.session('s1', { state: { card: '4111-1111' } });
    await session.append([{ author: 'user', content: 'My card is 4111-1111.' }, answer]);
    await expect(session.append([{ author: 'intruder', content: 'x' }])).rejects.toThrow('not allowed');
    await palimpsest.settled();
    expect(session.state.card).toBe('▇');
    const everything = JSON.stringify([await session.read(), await user.memories(), await user.recall('card')]);
    expect(everything).not.toContain('4111-1111');
    expect(everything).toContain('My card is ▇.');
  });
});

function summaryOf(last: number) {
  const covers: [number, number][] = [[last, last]];
  const content = { role: 'model' as const, parts: [{ text: 'They spoke of units.' }] };
  return { covers, content, trigger: 'window', sourceHash: '0' };
}

function codeOf(error: unknown): string {
  return isPalimpsestError(error) ? error.code : String(error);
}
