import fc from 'fast-check';
import {
  type Event,
  foldCoverage,
  isBookkeeping,
  normalizeRanges,
  type PartInput,
  type SeqRange,
} from '../../src/events/index.ts';
import { buildLog, type LoggedInput } from '../logs/log-builder.ts';

type Input = Omit<LoggedInput, 'seq'>;
type Kind = keyof typeof steps;

/** A log while it grows, as the steps see it. */
class Story {
  readonly events: Event[] = [];
  /** Calls that nothing has answered: id and seq. */
  readonly open: { readonly id: string; readonly name: string; readonly author: string }[] = [];
  /** Every so many calls use an id again; 0: never. */
  readonly reuse: number;
  #calls = 0;
  #invocation = 0;

  constructor(reuse: number) {
    this.reuse = reuse;
  }

  get seq(): number {
    return this.events.length + 1;
  }

  newId(): string {
    this.#calls++;
    return this.reuse > 0 ? `c${this.#calls % this.reuse}` : `c${this.#calls}`;
  }

  nextInvocation(): string {
    return `i${++this.#invocation}`;
  }

  get invocation(): string {
    return `i${this.#invocation}`;
  }

  add(input: Input): void {
    const [event] = buildLog([
      { invocationId: this.invocation, tokens: { n: 10, by: 'test' }, ...input, seq: this.seq },
    ]);
    if (event !== undefined) this.events.push(event);
  }

  note(actions: Input['actions']): void {
    this.add({ author: 'system', invocationId: `b${this.seq}`, ...(actions === undefined ? {} : { actions }) });
  }
}

const places = [
  {},
  {},
  {},
  {},
  { branch: 'root.assistant' },
  { branch: 'root.assistant.critic' },
  { isolationScope: 'sealed' },
];
const others = ['researcher', 'critic'] as const;
const at = <Item>(items: readonly Item[], index: number): Item | undefined => items[index % Math.max(1, items.length)];
const textPart = (story: Story): PartInput => ({ text: `<t${story.seq}> 你好🙂` });

function call(story: Story, author: string, count: number, isLong: boolean, place: Input = { author }): void {
  const calls = Array.from({ length: count }, () => ({ id: story.newId(), name: 'search', author }));
  story.add({
    ...place,
    author,
    content: { parts: calls.map(({ id, name }): PartInput => ({ functionCall: { id, name, args: { q: id } } })) },
    ...(isLong ? { longRunningToolIds: calls.map(({ id }) => id) } : {}),
  });
  story.open.push(...calls);
}

function answer(story: Story, index: number, isLast: boolean): void {
  const open = at(story.open, index);
  if (open === undefined) return;
  if (isLast) story.open.splice(story.open.indexOf(open), 1);
  const { id, name, author } = open;
  const response = { value: `<r${story.seq}>`, long: '长'.repeat(20) };
  story.add({ author, content: { role: 'user', parts: [{ functionResponse: { id, name, response } }] } });
}

const steps = {
  ask: (story, a) => {
    story.nextInvocation();
    story.add({ author: 'user', content: { parts: [textPart(story)] }, ...at(places, a) });
  },
  say: (story, a, b) =>
    story.add({
      author: 'assistant',
      content: { parts: [...(b % 3 === 0 ? [{ text: 'hm', thought: true }] : []), textPart(story)] },
      ...at(places, a),
    }),
  tell: (story, a, b) =>
    story.add({ author: at(others, b) ?? 'critic', content: { parts: [textPart(story)] }, ...at(places, a) }),
  work: (story, a, b) => {
    call(story, 'assistant', 1 + (a % 2), b % 5 === 0);
    for (let count = 1 + (a % 2); count > 0; count--) answer(story, story.open.length - 1, true);
  },
  call: (story, a, b) => call(story, b % 4 === 0 ? 'critic' : 'assistant', 1 + (a % 3), b % 2 === 0),
  answer: (story, a, b) => answer(story, a, b % 3 !== 0),
  relay: (story, a, b) => {
    const open = at(story.open, a);
    if (open === undefined) return;
    const next = { id: story.newId(), name: 'search', author: open.author };
    const response: PartInput = {
      functionResponse: { id: open.id, name: open.name, response: { value: `<r${story.seq}>` } },
    };
    const again: PartInput = { functionCall: { id: next.id, name: next.name } };
    story.add({ author: open.author, content: { parts: b % 4 === 0 ? [again, response] : [response, again] } });
    story.open.splice(story.open.indexOf(open), 1, next);
  },
  positional: (story, a) =>
    story.add({
      author: 'assistant',
      content: {
        parts: [
          a % 2 === 0 ? { functionCall: { name: 'book' } } : { functionResponse: { name: 'book', response: 'ok' } },
        ],
      },
    }),
  speak: (story, a, b) => {
    const said = { text: `<t${story.seq}>`, ...(b % 2 === 0 ? { finished: true } : {}) };
    story.add(
      a % 2 === 0 ? { author: 'user', inputTranscription: said } : { author: 'assistant', outputTranscription: said },
    );
  },
  end: (story, a) => {
    if (a % 3 === 0) story.note({ sessionEnd: true });
    else story.add({ author: 'critic', branch: 'root.assistant.critic', actions: { endOfAgent: true } });
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
    const kind = b % 4;
    story.note(kind === 0 ? { trim: { seqs, keepChars: 5 } } : kind === 1 ? { unpin: { seqs } } : { pin: { seqs } });
  },
  compact: (story, a, b) => compact(story, a, b),
} satisfies Record<string, (story: Story, a: number, b: number) => void>;

/** Covers, as an append allows it, free events from somewhere on, and perhaps all that an older summary covers. */
function compact(story: Story, a: number, b: number): void {
  const coverage = foldCoverage(story.events.filter(isBookkeeping));
  const older = b % 3 === 0 ? at(coverage.summaries, a) : undefined;
  const isFree = (event: Event) =>
    !isBookkeeping(event) && coverage.isLive(event.seq) && coverage.coveredBy(event.seq) === undefined;
  const free = story.events.filter(isFree);
  const start = b % 2 === 0 ? free[0] : at(free, a);
  if (start === undefined) return;
  const { branch, isolationScope } = older?.compaction ?? start;
  const isHere = (event: Event) => event.branch === branch && event.isolationScope === isolationScope;
  // Every now and then one is left out: a hole.
  const fresh = free.filter((event) => event.seq >= start.seq && isHere(event)).slice(0, 1 + (a % 30));
  const named = fresh.filter(({ seq }) => b % 5 !== 0 || seq % 4 !== 0);
  if (named.length === 0) return;
  const covers = normalizeRanges([
    ...(older?.compaction.covers ?? []),
    ...named.map(({ seq }): SeqRange => [seq, seq]),
  ]);
  story.note({
    compaction: {
      covers,
      content: { role: 'model', parts: [{ text: `<s${story.seq}>` }] },
      trigger: 'test',
      sourceHash: '',
      ...(older === undefined ? {} : { supersedes: [older.seq] }),
      ...(branch === undefined ? {} : { branch }),
      ...(isolationScope === undefined ? {} : { isolationScope }),
    },
  });
}

const weights: Readonly<Record<Kind, number>> = {
  ask: 5,
  say: 6,
  tell: 3,
  work: 6,
  call: 2,
  answer: 2,
  relay: 1,
  positional: 1,
  speak: 2,
  end: 1,
  rewind: 1,
  mark: 1,
  compact: 1,
};
const kinds = Object.keys(weights).filter((kind): kind is Kind => Object.hasOwn(steps, kind));

/** Logs that an append accepts, of many turns, each with some kinds of steps far more often than others. */
export const longLog: fc.Arbitrary<readonly Event[]> = logOf(kinds, fc.constantFrom(0, 0, 7));

/** The same where every call has an id of its own, so that a response names its call whatever else is known. */
export const longLogWithIds: fc.Arbitrary<readonly Event[]> = logOf(
  kinds.filter((kind) => kind !== 'positional'),
  fc.constant(0),
);

function logOf(of: readonly Kind[], reuse: fc.Arbitrary<number>): fc.Arbitrary<readonly Event[]> {
  const step = fc.record({ pick: fc.nat(), a: fc.nat({ max: 200 }), b: fc.nat({ max: 60 }) });
  const list = fc.array(step, { minLength: 1, maxLength: 120, size: 'max' });
  return fc.record({ often: fc.subarray([...of], { maxLength: 4 }), list, reuse }).map(({ often, list, reuse }) => {
    const story = new Story(reuse);
    const times = (kind: Kind) => weights[kind] + (often.includes(kind) ? 9 : 0);
    const table = of.flatMap((kind) => Array.from({ length: times(kind) }, () => kind));
    for (const { pick, a, b } of list) steps[table[pick % table.length] ?? 'say'](story, a, b);
    return story.events;
  });
}
