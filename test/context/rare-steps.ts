import type { PartInput } from '../../src/events/index.ts';
import { at, others, placeAt, type Step, type Story, textPart } from './story.ts';
import { call, compact, responsePart } from './usual-steps.ts';

const signed = { thoughtSignature: 'c2ln' };

/** Asks the user through a call of the framework, which no model made. */
function askThrough(story: Story, name: string, isAnswered: boolean): void {
  const id = story.newId();
  const asked = { functionCall: { id, name, args: { q: story.mark() } } };
  story.add({ author: 'assistant', content: { parts: [asked] }, longRunningToolIds: [id] });
  if (isAnswered) story.add({ author: 'user', content: { parts: [responsePart(story, { id, name })] } });
}

/** A call that waits for the user's leave, and perhaps what becomes of it. */
function requestLeave(
  story: Story,
  kind: 'requestedToolConfirmations' | 'requestedAuthConfigs',
  name: string,
  b: number,
): void {
  call(story, { author: 'assistant', count: 1, isLong: false });
  const waiting = story.open.at(-1);
  if (waiting === undefined) return;
  story.add({ author: 'assistant', actions: { [kind]: { [waiting.id]: { hint: 'ok?' } } } });
  askThrough(story, name, b % 3 !== 0);
  if (b % 2 === 0) return;
  story.open.splice(story.open.indexOf(waiting), 1);
  story.add({ author: 'assistant', content: { role: 'user', parts: [responsePart(story, waiting)] } });
}

function media(story: Story, b: number): PartInput {
  const displayName = `${story.mark()}.png`;
  const kinds: readonly PartInput[] = [
    { inlineData: { mimeType: 'image/png', data: 'aGk=', displayName } },
    { fileData: { mimeType: 'image/png', fileUri: `artifact://${displayName}` } },
    { inlineData: { mimeType: 'audio/wav', data: '', displayName } },
  ];
  return at(kinds, b) ?? {};
}

const blanks: readonly PartInput[] = [
  { text: '' },
  { text: ' \n\t' },
  signed,
  { text: '', thought: true, ...signed },
  { text: '', ...signed },
];

/**
 * What happens now and then: leave that is asked for, calls that are pinned and covered, failures, transfers, media,
 * blanks, signed thoughts, code, strays.
 */
export const rareSteps = {
  keep: (story, a, b) => {
    const callers = story.events.filter(({ content }) =>
      content?.parts.some((part) => part.functionCall !== undefined),
    );
    const caller = at(callers, a);
    if (caller !== undefined) story.note({ pin: { seqs: [caller.seq] } });
    compact(story, 29, b % 2 === 0 ? 2 : 1);
  },
  confirm: (story, _, b) => requestLeave(story, 'requestedToolConfirmations', 'adk_request_confirmation', b),
  authorise: (story, _, b) => requestLeave(story, 'requestedAuthConfigs', 'adk_request_credential', b),
  interrupt: (story, a, b) => {
    const id = story.newId();
    const called: PartInput = { functionCall: { id, name: 'search', args: { q: story.mark() } } };
    const parts = b % 2 === 0 ? [textPart(story)] : [textPart(story), called];
    story.add({ author: 'assistant', interrupted: true, content: { parts }, ...placeAt(a) });
  },
  fail: (story, a, b) => {
    const failed = { errorCode: 'MODEL_FAILED', errorMessage: `${story.mark()} 失败` };
    story.add({
      author: 'assistant',
      ...failed,
      ...(b % 3 === 0 ? { content: { parts: [textPart(story)] } } : {}),
      ...placeAt(a),
    });
  },
  transfer: (story, a) => {
    const name = 'transfer_to_agent';
    const id = story.newId();
    const agentName = at(others, a) ?? 'critic';
    const args = { agentName, q: story.mark() };
    story.add({ author: 'assistant', content: { parts: [{ functionCall: { id, name, args } }] } });
    story.add({
      author: 'assistant',
      content: { role: 'user', parts: [responsePart(story, { id, name })] },
      actions: { transferToAgent: agentName },
    });
  },
  show: (story, a, b) => {
    const author = a % 3 === 0 ? 'user' : a % 3 === 1 ? 'assistant' : (at(others, b) ?? 'critic');
    if (author === 'user') story.nextInvocation();
    story.add({ author, content: { parts: b % 2 === 0 ? [media(story, b)] : [textPart(story), media(story, b)] } });
  },
  blank: (story, a, b) => {
    const author = at(['user', 'assistant', 'critic'], a) ?? 'user';
    const blank = at(blanks, b) ?? {};
    story.add({ author, content: { parts: a % 2 === 0 ? [blank] : [blank, textPart(story), blank] } });
  },
  think: (story, a, b) => {
    const thought: PartInput = { text: story.mark(), thought: true, ...(b % 2 === 0 ? signed : {}) };
    const called: PartInput = { functionCall: { id: story.newId(), name: 'search', args: { q: story.mark() } } };
    const kinds = [
      [thought],
      [thought, textPart(story)],
      [textPart(story), thought],
      [thought, { ...called, ...signed }],
    ];
    const author = at(['assistant', 'assistant', 'critic', 'user'], a) ?? 'assistant';
    story.add({ author, content: { role: 'model', parts: at(kinds, b) ?? [] } });
  },
  code: (story, a, b) => {
    const ran: PartInput = { executableCode: { language: 'PYTHON', code: `print("${story.mark()}")` } };
    const gave: PartInput = { codeExecutionResult: { outcome: 'OUTCOME_OK', output: story.mark() } };
    const author = a % 2 === 0 ? 'assistant' : (at(others, b) ?? 'critic');
    story.add({ author, content: { parts: b % 3 === 0 ? [ran] : [ran, gave] }, ...placeAt(a) });
  },
  impersonate: (story, _, b) => {
    const called: PartInput = { functionCall: { id: story.newId(), name: 'search', args: { q: story.mark() } } };
    const author = at(['user', 'system', 'system'], b) ?? 'user';
    story.add({ author, content: { parts: b % 2 === 0 ? [called] : [textPart(story), called] } });
  },
  remember: (story, a) =>
    story.add({ author: 'system', actions: { stateDelta: { lang: `zh${a}`, mark: story.mark() } } }),
} satisfies Record<string, Step>;

const toolNames = ['search', '查询', 'a name, unfit for some', 'default_api:run', '9lives', 'x'.repeat(80)];
const ids = ['adk-4', 'an id, unfit for some', 'c1', '', 'call_1_0', 'x'.repeat(80)];

/** What breaks the rule that an id names one call: ids used twice, results of nothing, results given again. */
export const straySteps: Record<'lone' | 'twin' | 'again', Step> = {
  lone: (story, a, b) => {
    const response = responsePart(story, { id: `lost${a}`, name: at(toolNames, b) ?? 'search' });
    const parts = a % 2 === 0 ? [response] : [textPart(story), response];
    story.add({ author: b % 2 === 0 ? 'user' : 'assistant', content: { parts }, ...placeAt(a + b) });
  },
  twin: (story, a, b) => {
    const [id, name] = [at(ids, a) ?? 'c1', at(toolNames, b) ?? 'search'];
    const called = (): PartInput => ({ functionCall: { id, name, args: { q: story.mark() } } });
    story.add({ author: 'assistant', content: { parts: a % 3 === 0 ? [called(), called()] : [called()] } });
    if (b % 3 === 0) return;
    story.add({ author: 'assistant', content: { role: 'user', parts: [responsePart(story, { id, name })] } });
  },
  again: (story, a, b) => {
    const [id, name] = [at(ids, a) ?? 'c1', at(toolNames, b) ?? 'search'];
    const given = responsePart(story, { id, name });
    const parts = b % 2 === 0 ? [given] : [given, responsePart(story, { id, name })];
    story.add({ author: at(['assistant', 'user', 'critic'], a) ?? 'assistant', content: { role: 'user', parts } });
  },
};
