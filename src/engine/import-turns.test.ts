import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Event, type EventInput, foldCoverage, type SessionKey, textOf } from '../events/index.ts';
import { isPalimpsestError } from '../index.ts';
import { type ImportSession, openPalimpsest, type Palimpsest } from './index.ts';

const from = { from: 'chatgpt' };
const key: SessionKey = { appName: 'default', userId: 'u1', sessionId: 'c1' };

/** One node of a conversation that branches where answers were regenerated or questions edited. */
interface Node {
  readonly parent: number;
  readonly byUser: boolean;
}

const trees = fc
  .array(fc.record({ up: fc.nat(4), byUser: fc.boolean() }), { minLength: 1, maxLength: 12 })
  .map((nodes) => nodes.map(({ up, byUser }, index): Node => ({ parent: Math.max(-1, index - 1 - up), byUser })));

/** What an export holds that was made when this node was the newest: the path that led to it. */
function exportAt(tree: readonly Node[], leaf: number): ImportSession {
  const events: EventInput[] = [];
  for (let at = leaf; at >= 0; ) {
    const node = tree[at];
    if (node === undefined) break;
    // One id looks like a derived one.
    const id = at === 3 ? 'n2~2' : `n${at}`;
    events.unshift({ id, author: node.byUser ? 'user' : 'assistant', content: `第 ${at} text` });
    at = node.parent;
  }
  return { userId: 'u1', sessionId: 'c1', events };
}

const textsOf = (events: readonly { readonly content?: Event['content'] }[]) =>
  events.map(({ content }) => textOf(content));
const sourceTexts = (session: ImportSession) => session.events.map(({ content }) => String(content));

async function effective(palimpsest: Palimpsest): Promise<string[]> {
  return textsOf((await palimpsest.sessions.readEffective(key, { limit: 1000 })).items);
}

async function wholeLog(palimpsest: Palimpsest): Promise<readonly Event[]> {
  if ((await palimpsest.sessions.open(key)) === undefined) return [];
  return (await palimpsest.sessions.read(key, { limit: 1000 })).items;
}

/** The texts of the path imported last; one that leads on to what is there already is an older copy of it. */
function expectedAfter(paths: readonly (readonly string[])[]): readonly string[] {
  return paths.reduce((shown, path) => (path.every((text, index) => shown[index] === text) ? shown : path), []);
}

describe('importing a conversation whose answers are regenerated', () => {
  it('shows the newest version after any imports of older ones, and the newest again adds nothing', async () => {
    await fc.assert(
      fc.asyncProperty(trees, fc.array(fc.nat(11), { maxLength: 6 }), async (tree, picks) => {
        await using palimpsest = await openPalimpsest({ ingest: 'never', sweepSeconds: 0 });
        const newest = exportAt(tree, tree.length - 1);
        const imports = [...picks.map((pick) => exportAt(tree, pick % tree.length)), newest];
        for (const [index, session] of imports.entries()) {
          await palimpsest.import(session, from);
          expect(await effective(palimpsest)).toEqual(expectedAfter(imports.slice(0, index + 1).map(sourceTexts)));
        }
        expect(await effective(palimpsest)).toEqual(sourceTexts(newest));
        const before = await wholeLog(palimpsest);
        const again = await palimpsest.import(newest, from);
        expect(again).toEqual({ sessions: 1, added: 0, unchanged: newest.events.length });
        expect(await wholeLog(palimpsest)).toEqual(before);
      }),
    );
  });

  it('comes to the same when several versions are imported at once', async () => {
    await fc.assert(
      fc.asyncProperty(trees, fc.array(fc.nat(11), { minLength: 2, maxLength: 4 }), async (tree, picks) => {
        await using palimpsest = await openPalimpsest({ ingest: 'never', sweepSeconds: 0 });
        const versions = picks.map((pick) => exportAt(tree, pick % tree.length));
        const results = await Promise.all(versions.map((session) => palimpsest.import(session, from)));
        const shown = await effective(palimpsest);
        expect(versions.map(sourceTexts)).toContainEqual(shown);
        const stored = (await wholeLog(palimpsest)).filter(({ actions }) => actions.rewind === undefined);
        expect(results.reduce((sum, { added }) => sum + added, 0)).toBe(stored.length);
        const newest = exportAt(tree, tree.length - 1);
        await palimpsest.import(newest, from);
        expect(await effective(palimpsest)).toEqual(sourceTexts(newest));
      }),
      { numRuns: 50 },
    );
  });

  it('never hides what was appended here: it is refused, or all of it still shows', async () => {
    const steps = fc.array(fc.oneof(fc.record({ pick: fc.nat(11) }), fc.record({ said: fc.boolean() })), {
      maxLength: 8,
    });
    await fc.assert(
      fc.asyncProperty(trees, steps, async (tree, made) => {
        await using palimpsest = await openPalimpsest({ ingest: 'never', sweepSeconds: 0 });
        const session = await palimpsest.user('u1').session('c1');
        const own: string[] = [];
        for (const [index, step] of made.entries()) {
          if ('said' in step) {
            own.push(`own ${index}`);
            await session.append([{ author: step.said ? 'user' : 'assistant', content: `own ${index}` }]);
            continue;
          }
          const before = await wholeLog(palimpsest);
          try {
            await palimpsest.import(exportAt(tree, step.pick % tree.length), from);
          } catch (error) {
            if (!isPalimpsestError(error, 'IMPORT_DIVERGED')) throw error;
            expect(error.details.sessionId).toBe('c1');
            expect(own).toContain(textOf(before.find(({ seq }) => seq === error.details.seq)?.content));
            expect(await wholeLog(palimpsest)).toEqual(before);
          }
          const shown = await effective(palimpsest);
          expect(shown.filter((text) => text.startsWith('own'))).toEqual(own);
        }
      }),
    );
  });

  const question = { id: 'q', author: 'user', content: 'Which month is best?' };
  const turn = (...events: EventInput[]): ImportSession => ({ userId: 'u1', sessionId: 'c1', events });
  const old = turn(question, { id: 'a', author: 'assistant', content: 'May is best.' });
  const regenerated = turn(question, { id: 'b', author: 'assistant', content: '六月最好。' });

  it('stores the question again that a rewind had to take along, and memory forgets the old answer', async () => {
    await using palimpsest = await openPalimpsest();
    await palimpsest.import(old, from);
    expect(await palimpsest.import(regenerated, from)).toEqual({ sessions: 1, added: 2, unchanged: 0 });
    expect((await wholeLog(palimpsest)).map(({ id, importedFrom }) => [id, importedFrom])).toEqual([
      ['q', 'chatgpt'],
      ['a', 'chatgpt'],
      ['import-rewind~2', 'chatgpt'],
      ['q~2', 'chatgpt'],
      ['b', 'chatgpt'],
    ]);
    await palimpsest.settled();
    const { items } = await palimpsest.user('u1').memories();
    expect(items.map(({ text }) => text).sort()).toEqual(['Which month is best?', '六月最好。']);
  });

  it('is refused where the session went on here, and names the event that would be hidden', async () => {
    await using palimpsest = await openPalimpsest();
    await palimpsest.import(old, from);
    const session = await palimpsest.user('u1').session('c1');
    await session.append([{ author: 'user', content: 'And in the mountains?' }]);
    await expect(palimpsest.import(regenerated, from)).rejects.toMatchObject({
      code: 'IMPORT_DIVERGED',
      details: { sessionId: 'c1', seq: 3 },
    });
    expect(await effective(palimpsest)).toEqual(['Which month is best?', 'May is best.', 'And in the mountains?']);
  });

  it('is not refused because the session was idle and ended by itself', async () => {
    await using palimpsest = await openPalimpsest();
    await palimpsest.import(old, from);
    await (await palimpsest.user('u1').session('c1')).end();
    await palimpsest.import(regenerated, from);
    expect(await effective(palimpsest)).toEqual(['Which month is best?', '六月最好。']);
  });

  it('leaves a rewind alone that was made here', async () => {
    await using palimpsest = await openPalimpsest();
    await palimpsest.import(old, from);
    const [first] = await wholeLog(palimpsest);
    const session = await palimpsest.user('u1').session('c1');
    await session.rewind({ beforeInvocationId: first?.invocationId ?? '' });
    expect(await palimpsest.import(old, from)).toMatchObject({ added: 0, unchanged: 2 });
    expect(await effective(palimpsest)).toEqual([]);
    await expect(palimpsest.import(regenerated, from)).rejects.toMatchObject({ code: 'IMPORT_DIVERGED' });
  });

  it('follows a source that names its invocations, and derives ids that are not too long', async () => {
    await using palimpsest = await openPalimpsest();
    const named = (session: ImportSession): ImportSession => ({
      ...session,
      events: session.events.map((event) => ({ ...event, id: `${event.id}${'长'.repeat(250)}`, invocationId: 'i1' })),
    });
    for (const session of [old, regenerated, old, regenerated]) {
      await palimpsest.import(named(session), from);
      expect(await effective(palimpsest)).toEqual(sourceTexts(session));
      expect(await palimpsest.import(named(session), from)).toMatchObject({ added: 0, unchanged: 2 });
    }
  });

  const content = { role: 'model' as const, parts: [{ text: 'They spoke.' }] };
  const compaction = { covers: [[1, 2]] as const, content, trigger: 'window', sourceHash: 'x' };
  const summary = { id: 's', author: 'system', actions: { compaction } };

  it('has a summary name the events where they stand now', async () => {
    await using palimpsest = await openPalimpsest();
    await palimpsest.import(old, from);
    const session = turn(...regenerated.events, summary);
    await palimpsest.import(session, from);
    const log = await wholeLog(palimpsest);
    expect(log.at(-1)).toMatchObject({ id: 's', seq: 6, actions: { compaction: { covers: [[4, 5]] } } });
    expect(await palimpsest.import(session, from)).toMatchObject({ added: 0, unchanged: 3 });
  });

  it('refuses a summary of what was summed up here, and changes nothing', async () => {
    await using palimpsest = await openPalimpsest();
    await palimpsest.import(old, from);
    await palimpsest.sessions.append(key, [{ author: 'system', actions: { compaction } }]);
    const before = await wholeLog(palimpsest);
    const importing = palimpsest.import(turn(...old.events, summary), from);
    await expect(importing).rejects.toMatchObject({ code: 'IMPORT_DIVERGED', details: { seq: 3 } });
    expect(await wholeLog(palimpsest)).toEqual(before);
  });

  it('refuses a rewind of the source that would hide what was said here', async () => {
    await using palimpsest = await openPalimpsest();
    const asked = { ...question, invocationId: 'i1' };
    await palimpsest.import(turn(asked), from);
    await palimpsest.sessions.append(key, [{ author: 'user', content: '这里说的' }]);
    const rewind = { id: 'r', author: 'user', actions: { rewind: { beforeInvocationId: 'i1' } } };
    const importing = palimpsest.import(turn(asked, rewind), from);
    await expect(importing).rejects.toMatchObject({ code: 'IMPORT_DIVERGED', details: { seq: 2 } });
  });
});

/** What a source may do next; numbers choose among what there is. */
const deeds = fc.array(
  fc.record({
    kind: fc.constantFrom('ask', 'ask', 'answer', 'answer', 'pin', 'unpin', 'trim', 'overflow', 'sum', 'rewind'),
    at: fc.nat(20),
    length: fc.nat(6),
  }),
  { minLength: 2, maxLength: 24 },
);

type Deed = { readonly kind: string; readonly at: number; readonly length: number };

function deedEvent({ kind, at, length }: Deed, id: string, log: readonly Event[]): EventInput {
  const seq = 1 + (at % Math.max(1, log.length));
  const invocationId = log[seq - 1]?.invocationId ?? 'none';
  if (kind === 'ask') return { id, author: 'user', content: `问 ${id}`, invocationId: `i-${id}` };
  if (kind === 'answer') return { id, author: 'bot', content: `Answer ${id}` };
  const bookkeeping = { id, author: 'system' };
  if (kind === 'pin') return { ...bookkeeping, actions: { pin: { seqs: [seq] } } };
  if (kind === 'unpin') return { ...bookkeeping, actions: { unpin: { seqs: [seq] } } };
  if (kind === 'overflow') return { ...bookkeeping, actions: { overflow: { why: 'blocked', by: [seq] } } };
  if (kind === 'trim') return { ...bookkeeping, actions: { trim: { seqs: [seq], keepChars: length } } };
  if (kind === 'rewind') return { ...bookkeeping, actions: { rewind: { beforeInvocationId: invocationId } } };
  const covers = [[seq, Math.max(seq, Math.min(log.length, seq + length))]] as const;
  const content = { parts: [{ text: `Sum ${id}` }], role: 'model' as const };
  return { ...bookkeeping, actions: { compaction: { covers, content, trigger: 'window', sourceHash: 'x' } } };
}

/** The events of a source that did these deeds, but for those which no log takes. */
async function sourceOf(done: readonly Deed[]): Promise<EventInput[]> {
  await using palimpsest = await openPalimpsest({ ingest: 'never', sweepSeconds: 0 });
  await palimpsest.sessions.create(key);
  const events: EventInput[] = [];
  for (const [index, deed] of done.entries()) {
    const event = deedEvent(deed, `e${index}`, await wholeLog(palimpsest));
    try {
      const [stored] = (await palimpsest.sessions.append(key, [event])).events;
      events.push({ ...event, invocationId: stored?.invocationId ?? '' });
    } catch (error) {
      const isRefusal = (['INVALID_COMPACTION', 'INVALID_PIN', 'INVALID_REWIND'] as const).some((code) =>
        isPalimpsestError(error, code),
      );
      if (!isRefusal) throw error;
    }
  }
  return events;
}

/** What the log's bookkeeping says about each event of the source, in the source's own names. */
async function placements(palimpsest: Palimpsest, source: readonly EventInput[]) {
  const log = await wholeLog(palimpsest);
  const idOf = ({ id, customMetadata }: Event) => customMetadata?.copyOfEvent ?? id;
  const coverage = foldCoverage(log);
  return source.map(({ id }) => {
    const seq = log.findLast((event) => idOf(event) === id)?.seq ?? 0;
    const by = log[(coverage.coveredBy(seq) ?? 0) - 1];
    return {
      id,
      isLive: coverage.isLive(seq),
      coveredBy: by && idOf(by),
      isPinned: coverage.pinned.has(seq),
      trimmedTo: coverage.trimmed.get(seq),
    };
  });
}

describe('importing a source that grows, while its session is ended by idleness in between', () => {
  it('comes to the same as importing all of it at once', async () => {
    const cuts = fc.array(fc.record({ at: fc.nat(24), isLeft: fc.boolean() }), { maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(deeds, cuts, async (done, steps) => {
        // A last event, so that the whole is never taken for an older copy of a way that was left.
        const last = { id: 'last', author: 'user', content: '最后' };
        const events = [...(await sourceOf(done)), last];
        const whole: ImportSession = { userId: 'u1', sessionId: 'c1', events };
        await using atOnce = await openPalimpsest({ ingest: 'never', sweepSeconds: 0 });
        await using inSteps = await openPalimpsest({ ingest: 'never', sweepSeconds: 0 });
        await atOnce.import(whole, from);
        for (const { at, isLeft } of steps.sort((a, b) => a.at - b.at)) {
          const left = { id: `left-${at}`, author: 'user', content: '别的路', invocationId: `left-${at}` };
          const part = events.slice(0, -1).slice(0, at + 1);
          await inSteps.import({ ...whole, events: isLeft ? [...part, left] : part }, from);
          await inSteps.sessions.end(key);
        }
        await inSteps.import(whole, from);
        expect(await effective(inSteps)).toEqual(await effective(atOnce));
        expect(await placements(inSteps, events)).toEqual(await placements(atOnce, events));
        const again = await inSteps.import(whole, from);
        expect(again).toEqual({ sessions: 1, added: 0, unchanged: events.length });
      }),
    );
  });
});
