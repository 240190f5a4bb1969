import assert from 'node:assert/strict';
import { assemble } from '../../../src/context/assembly/index.ts';
import type { Content, JsonValue, Part, View } from '../../../src/events/index.ts';
import type { ExpectedCall } from '../call-oracle.ts';
import type { ContextProperty } from '../context-case.ts';
import { expectedItems, itemsIn } from '../expected-items.ts';
import { marksIn } from '../marks.ts';
import { type StandingOracle, standingOracleOf } from '../standing-oracle.ts';

/**
 * What stands is what a slow reading of the log comes to, mark by mark: in the order of places, each on its side and told
 * in the name of whom it is of, and behind every call the newest result of that very call.
 */
export const contentsAreExpected: ContextProperty = ({ story: { events }, view }) => {
  const { contents } = assemble(events, view);
  const oracle = standingOracleOf(events, view);
  const actual = itemsIn(contents);
  const standing = new Set(actual.map(({ token }) => token));
  // Providers differ in which thoughts they take back.
  const expected = expectedItems(oracle, view).filter(({ kind, token }) => kind !== 'thought' || standing.has(token));
  const tokens = (items: readonly { readonly token: string }[]) => items.map(({ token }) => token);
  assert.deepEqual(tokens(actual), tokens(expected));
  expected.forEach(({ token, role, begins = '' }, index) => {
    assert.equal(actual[index]?.role, role, `the side of ${token}`);
    if (begins === '') return;
    const told = actual[index]?.part.text ?? '';
    assert.ok(told.startsWith(begins), `${token} is told as ${told}, not ${begins}`);
  });
  contents.forEach((content, index) => {
    checkResults(content, contents[index + 1], { events, view, oracle });
  });
};

interface Facts {
  readonly events: Parameters<ContextProperty>[0]['story']['events'];
  readonly view: View;
  readonly oracle: StandingOracle;
}

/** Whether each call of a content has its own result in the next one. */
function checkResults({ parts }: Content, next: Content | undefined, facts: Facts): void {
  const calls = parts.filter(({ functionCall }) => functionCall !== undefined);
  if (calls.length === 0) return;
  const results = (next?.parts ?? []).flatMap(({ functionResponse }) => functionResponse ?? []);
  assert.equal(results.length, calls.length, 'calls have not as many results');
  calls.forEach(({ functionCall }, place) => {
    const result =
      facts.view.provider === 'gemini' ? results[place] : results.find(({ id }) => id === functionCall?.id);
    const call = originalOf(functionCall, facts);
    assert.equal(result?.name, functionCall?.name);
    assert.deepEqual(functionCall?.args, call.call.args);
    assert.deepEqual(result?.response, expectedResult(call, facts), `the result of ${JSON.stringify(functionCall)}`);
  });
}

/** The call of the log that a call in a request is. */
function originalOf(shown: Part['functionCall'], { events, oracle }: Facts): ExpectedCall {
  const [mark] = marksIn(shown);
  const isOriginal = (part: Part) => part.functionCall !== undefined && marksIn(part)[0] === mark;
  const original = events.flatMap(({ content }) => content?.parts ?? []).find(isOriginal);
  const call = original && oracle.calls.callOf(original);
  assert.ok(call !== undefined, `no model made the call ${JSON.stringify(shown)}`);
  return call;
}

function expectedResult(call: ExpectedCall, { oracle, view }: Facts): JsonValue | undefined {
  const answer = oracle.answerTo(call);
  if (answer === undefined) return { status: 'pending' };
  const given = answer.part.functionResponse?.response;
  const keptChars = oracle.log.keptChars(answer.event.seq);
  if (keptChars === undefined) return given;
  const characters = [...JSON.stringify(given, Object.keys(Object(given)).sort())];
  const note = `[cut: ${characters.length - keptChars} characters; expand_history ${answer.event.seq}]`;
  const cut = `${characters.slice(0, keptChars).join('')}${note}`;
  return view.provider === 'gemini' ? { result: cut } : cut;
}
