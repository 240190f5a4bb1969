import { foldCoverage, isBookkeeping, normalizeRanges, type PartInput, type SeqRange } from '../../src/events/index.ts';
import { at, others, type Place, placeAt, type Step, type Story, type StoryInput, textPart } from './story.ts';

/** Has an agent call a tool so many times at once. */
export function call(
  story: Story,
  { author, count, isLong, place = {} }: { author: string; count: number; isLong: boolean; place?: Place },
): void {
  const calls = Array.from({ length: count }, () => ({ id: story.newId(), name: 'search', author, place }));
  const parts = calls.map(
    ({ id, name }): PartInput => ({ functionCall: { id, name, args: { q: `${story.mark()} 查` } } }),
  );
  story.add({
    ...place,
    author,
    content: { parts },
    ...(isLong ? { longRunningToolIds: calls.map(({ id }) => id) } : {}),
  });
  story.open.push(...calls);
}

/** A result for a call. */
export function responsePart(story: Story, { id, name }: { id?: string; name: string }): PartInput {
  const response = { value: story.mark(), long: '长'.repeat(20) };
  return { functionResponse: { ...(id === undefined ? {} : { id }), name, response } };
}

function answer(story: Story, index: number, { isLast, by }: { isLast: boolean; by?: string }): void {
  const open = at(story.open, index);
  if (open === undefined) return;
  if (isLast) story.open.splice(story.open.indexOf(open), 1);
  const { author, place } = open;
  story.add({ ...place, author: by ?? author, content: { role: 'user', parts: [responsePart(story, open)] } });
}

/** Covers, as an append allows it, free events from somewhere on, and perhaps all that an older summary covers. */
export function compact(story: Story, a: number, b: number): void {
  const coverage = foldCoverage(story.events.filter(isBookkeeping));
  const older = b % 3 === 0 ? at(coverage.summaries, a) : undefined;
  const free = story.events.filter(
    (event) => !isBookkeeping(event) && coverage.isLive(event.seq) && coverage.coveredBy(event.seq) === undefined,
  );
  const start = b % 2 === 0 ? free[0] : at(free, a);
  if (start === undefined) return;
  const { branch, isolationScope } = older?.compaction ?? start;
  const fresh = free
    .filter((event) => event.seq >= start.seq && event.branch === branch && event.isolationScope === isolationScope)
    .slice(0, 1 + (a % 30));
  // Every now and then one is left out: a hole.
  const named = fresh.filter(({ seq }) => b % 5 !== 0 || seq % 4 !== 0);
  if (named.length === 0) return;
  const covers = normalizeRanges([
    ...(older?.compaction.covers ?? []),
    ...named.map(({ seq }): SeqRange => [seq, seq]),
  ]);
  story.note({
    compaction: {
      covers,
      content: { role: 'model', parts: [{ text: `${story.mark()} 摘要` }] },
      trigger: 'test',
      sourceHash: '',
      ...(older === undefined ? {} : { supersedes: [older.seq] }),
      ...(branch === undefined ? {} : { branch }),
      ...(isolationScope === undefined ? {} : { isolationScope }),
    },
  });
}

/** What happens in every session: questions, answers, tools, speech, rewinds, marks and summaries. */
export const usualSteps = {
  ask: (story, a) => {
    story.nextInvocation();
    story.add({ author: 'user', content: { parts: [textPart(story)] }, ...placeAt(a) });
  },
  say: (story, a, b) =>
    story.add({
      author: 'assistant',
      content: { parts: [...(b % 3 === 0 ? [{ text: story.mark(), thought: true }] : []), textPart(story)] },
      ...placeAt(a),
    }),
  tell: (story, a, b) =>
    story.add({ author: at(others, b) ?? 'critic', content: { parts: [textPart(story)] }, ...placeAt(a) }),
  work: (story, a, b) => {
    const count = 1 + (a % 2);
    call(story, { author: 'assistant', count, isLong: b % 5 === 0, place: placeAt(a + b) });
    for (let left = count; left > 0; left--) answer(story, story.open.length - 1, { isLast: true });
  },
  call: (story, a, b) =>
    call(story, { author: b % 4 === 0 ? 'critic' : 'assistant', count: 1 + (a % 3), isLong: b % 2 === 0 }),
  answer: (story, a, b) => answer(story, a, { isLast: b % 3 !== 0 }),
  // The user, or the agent that asked the user, may bring what another agent's call gave.
  bring: (story, a, b) => answer(story, a, { isLast: b % 3 !== 0, by: b % 2 === 0 ? 'user' : 'assistant' }),
  relay: (story, a, b) => {
    const open = at(story.open, a);
    if (open === undefined) return;
    const next = { ...open, id: story.newId() };
    const response = responsePart(story, open);
    const again: PartInput = { functionCall: { id: next.id, name: next.name, args: { q: story.mark() } } };
    const parts = b % 4 === 0 ? [again, response] : [response, again];
    story.add({ ...open.place, author: open.author, content: { parts } });
    story.open.splice(story.open.indexOf(open), 1, next);
  },
  positional: (story, a) => {
    const called: PartInput = { functionCall: { name: 'book', args: { q: story.mark() } } };
    const parts = [a % 2 === 0 ? called : responsePart(story, { name: 'book' })];
    story.add({ author: 'assistant', content: { parts } });
  },
  speak: (story, a, b) => {
    const said = { text: story.mark(), ...(b % 2 === 0 ? { finished: true } : {}) };
    story.add(
      a % 2 === 0 ? { author: 'user', inputTranscription: said } : { author: 'assistant', outputTranscription: said },
    );
  },
  end: (story, a, b) => {
    const branch = at(['root.assistant.critic', 'root.assistant.critic', 'root.assistant2', 'root.assistant'], b);
    if (a % 3 === 0) story.note({ sessionEnd: true });
    else story.add({ author: 'critic', ...(branch && { branch }), actions: { endOfAgent: true } });
  },
  rewind: (story, a) => {
    const target = story.events[story.events.length - 1 - (a % Math.min(story.events.length, 25))];
    if (target === undefined) return;
    const { invocationId } = target;
    const fromSeq = story.events.find((event) => event.invocationId === invocationId)?.seq ?? 1;
    story.note({ rewind: { beforeInvocationId: invocationId, fromSeq } });
  },
  mark: (story, a, b) => {
    const seqs = [1 + (a % story.seq), 1 + ((a + b) % story.seq)];
    const marked: readonly StoryInput['actions'][] = [
      { trim: { seqs, keepChars: 5 } },
      { unpin: { seqs } },
      { pin: { seqs } },
      { pin: { seqs } },
    ];
    story.note(at(marked, b));
  },
  overflow: (story, a, b) => {
    const why = at(['blocked', 'ceiling', 'tooLong'] as const, b) ?? 'blocked';
    story.note({ overflow: { why, agentName: 'assistant', by: [1 + (a % story.seq)] } });
  },
  compact,
} satisfies Record<string, Step>;
