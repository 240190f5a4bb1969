import type { Content, Event, Part, Role, View } from '../../src/events/index.ts';
import type { ExpectedResponse } from './call-oracle.ts';
import { kindOf, type MarkKind, marksIn } from './marks.ts';
import { roleIn, speakerIn } from './speech.ts';
import type { StandingOracle } from './standing-oracle.ts';

/** One mark as it has to stand, or the note that stands for one that is cut off. */
export interface ExpectedItem {
  readonly token: string;
  readonly kind: MarkKind;
  readonly role: Role;
  /** How the text begins that tells it, if it is told. */
  readonly begins?: string;
}

/** A mark or note that stands in contents. */
export interface ActualItem {
  readonly token: string;
  readonly role: Role;
  readonly part: Part;
}

/** What has to stand, in order; of the agent's own thoughts, all that it may be given. */
export function expectedItems(oracle: StandingOracle, view: View): readonly ExpectedItem[] {
  return oracle.standing.flatMap((event) => itemsOf(event, oracle, view));
}

/** What stands, in order. */
export function itemsIn(contents: readonly Content[]): readonly ActualItem[] {
  return contents.flatMap(({ role, parts }) =>
    parts.flatMap((part) =>
      (JSON.stringify(part).match(/<\d+\.\d+>|expand_history \d+/g) ?? []).map((token) => ({ token, role, part })),
    ),
  );
}

/** What stands for a result: its mark, or the note that it is cut. */
export function tokensOf({ event, part }: ExpectedResponse, { log }: StandingOracle): readonly string[] {
  return log.keptChars(event.seq) === undefined ? marksIn(part) : [`expand_history ${event.seq}`];
}

/** What an event has to bring: first the results of others that it tells, then its words and calls, then their results. */
export function itemsOf(event: Event, oracle: StandingOracle, view: View): readonly ExpectedItem[] {
  const { actions, content, inputTranscription, outputTranscription } = event;
  const said = inputTranscription ?? outputTranscription;
  const spoken = actions.compaction?.content ?? content ?? { parts: said === undefined ? [] : [{ text: said.text }] };
  const { parts } = spoken;
  return [
    ...parts.flatMap((part) => toldResult(part, oracle, view)),
    ...parts.flatMap((part) => words(part, event, { oracle, view })),
    ...parts.flatMap((part) => result(part, oracle, view)),
  ];
}

function toldResult(part: Part, oracle: StandingOracle, view: View): readonly ExpectedItem[] {
  const response = oracle.calls.responseOf(part);
  if (response === undefined || kindOf(part) !== 'response') return [];
  const teller = response.call?.event ?? response.event;
  if (speakerIn(teller, view) !== 'other') return [];
  const begins = `[${teller.author}] ${part.functionResponse?.name} returned `;
  return tokensOf(response, oracle).map((token) => ({ token, kind: 'response', role: 'user', begins }));
}

function words(part: Part, event: Event, { oracle, view }: { oracle: StandingOracle; view: View }) {
  const kind = event.actions.compaction === undefined ? kindOf(part) : 'summary';
  const speaker = speakerIn(event, view);
  if (kind === 'response' || kind === 'silent' || (kind === 'thought' && speaker !== 'self')) return [];
  if (kind === 'call' && speaker !== 'other' && !isShownCall(part, oracle, view)) return [];
  const role = kind === 'summary' ? 'model' : roleIn(event, view);
  const begins = speaker === 'other' ? beginningOf(part, event.author) : undefined;
  return marksIn(part).map((token): ExpectedItem => ({ token, kind, role, ...(begins && { begins }) }));
}

/** A call of the agent's own stands if it has a result or takes long. */
function isShownCall(part: Part, { calls, answerTo }: StandingOracle, view: View): boolean {
  const call = calls.callOf(part);
  if (call === undefined || speakerIn(call.event, view) !== 'self') return false;
  return call.isLong || answerTo(call) !== undefined;
}

function result(part: Part, oracle: StandingOracle, view: View): readonly ExpectedItem[] {
  const call = oracle.calls.callOf(part);
  const answer = call && speakerIn(call.event, view) === 'self' ? oracle.answerTo(call) : undefined;
  if (answer === undefined) return [];
  return tokensOf(answer, oracle).map((token) => ({ token, kind: 'response', role: 'user' }));
}

function beginningOf({ text, functionCall, executableCode, codeExecutionResult }: Part, author: string) {
  if (text !== undefined) return `[${author}] said: `;
  if (functionCall !== undefined) return `[${author}] called ${functionCall.name}(`;
  if (executableCode !== undefined) return `[${author}] called code(`;
  return codeExecutionResult === undefined ? undefined : `[${author}] code returned `;
}
