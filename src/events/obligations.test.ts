import { describe, expect, it } from 'vitest';
import { type Content, modelText } from './content.ts';
import { type EventActions, noActions } from './event.ts';
import { closes, isFinal, openObligations, opens } from './obligations.ts';

const call = (...ids: (string | undefined)[]) => ({
  actions: noActions,
  content: {
    role: 'model',
    parts: ids.map((id) => ({ functionCall: id === undefined ? { name: 'f' } : { id, name: 'f' } })),
  } satisfies Content as Content,
});
const response = (...ids: string[]) => ({
  actions: noActions,
  content: { role: 'user', parts: ids.map((id) => ({ functionResponse: { id, name: 'f' } })) } as Content,
});
const asks = (actions: EventActions, ...answered: string[]) => ({ ...response(...answered), actions });

describe('obligations', () => {
  it('are opened by calls, confirmations and authorisations, and closed by responses', () => {
    expect(opens(call('a', undefined, 'b'))).toEqual(['a', 'b']);
    expect(opens({ actions: { requestedToolConfirmations: { c: {} }, requestedAuthConfigs: { d: {} } } })).toEqual([
      'c',
      'd',
    ]);
    expect(closes(response('a', 'b'))).toEqual(['a', 'b']);
    expect(closes({})).toEqual([]);
  });

  it('stay open in the order they were opened until they are answered', () => {
    expect(openObligations([call('a', 'b'), response('a')])).toEqual(['b']);
    expect(openObligations([call('a'), call('b'), response('b', 'a')])).toEqual([]);
    expect(openObligations([response('a'), call('a')])).toEqual(['a']);
    expect(openObligations([])).toEqual([]);
  });

  it('a response that asks for confirmation closes its call and opens the confirmation under the same id', () => {
    const waiting = [call('a'), asks({ requestedToolConfirmations: { a: { hint: 'sure?' } } }, 'a')];
    expect(openObligations(waiting)).toEqual(['a']);
    expect(openObligations([...waiting, response('a')])).toEqual([]);
  });
});

describe('isFinal', () => {
  it('is true only for an uninterrupted agent event with text and no call', () => {
    const answer = { origin: 'agent', content: modelText('好的') } as const;
    expect(isFinal(answer)).toBe(true);
    expect(isFinal({ ...answer, interrupted: true })).toBe(false);
    expect(isFinal({ ...answer, origin: 'user' })).toBe(false);
    expect(isFinal({ ...answer, content: { role: 'model', parts: [{ text: 'hm', thought: true }] } })).toBe(false);
    expect(isFinal({ ...answer, content: { role: 'model', parts: [] } })).toBe(false);
    expect(isFinal({ origin: 'agent' })).toBe(false);
    const both: Content = { role: 'model', parts: [{ text: 'let me look' }, { functionCall: { name: 'f' } }] };
    expect(isFinal({ ...answer, content: both })).toBe(false);
  });
});
