import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Content, modelText, text } from '../events/index.ts';
import { matchWholePrompt } from './match-whole-prompt.ts';
import { callOf as call, logOf, responseOf as response, SampleLog } from './sample-log.ts';

const [hi, hello, name, tora] = [text('hi'), modelText('hello'), text('我的猫叫什么？'), modelText('叫虎子。')];

describe('matchWholePrompt', () => {
  it.each<[string, readonly Content[], readonly Content[], readonly Content[], number?]>([
    ['takes all of a first prompt', [], [hi, hello, name], [hi, hello, name]],
    ['takes what follows the log', [hi, hello], [hi, hello, name], [hi, hello, name]],
    ['follows an edit of the first message', [hi, hello, name, tora], [text('嗨')], [text('嗨')], 1],
    ['asks the first answer anew', [hi, hello], [hi], [hi], 1],
    ['asks the first answer anew, whatever came later', [hi, hello, name, tora], [hi], [hi], 1],
    ['asks the last answer anew', [hi, hello, name, tora], [hi, hello, name], [hi, hello, name], 1],
    ['takes the same words said again', [hi, hello], [hi, hello, hi], [hi, hello, hi]],
    ['follows a caller who has taken messages back', [hi, hello, name, tora], [hi, hello], [hi, hello], 1],
    [
      'follows a caller to another answer',
      [hi, hello, name, tora],
      [hi, modelText('你好'), name],
      [hi, modelText('你好'), name],
      1,
    ],
    ['takes a retry once', [hi, hello, name], [hi, hello, name], [hi, hello, name]],
    ['takes a retry of the first message once', [hi], [hi], [hi]],
    [
      'takes a retry of a message whose tool loop failed once',
      [hi, call('a'), response('a'), call('b')],
      [hi],
      [hi, call('a'), response('a'), call('b')],
    ],
    [
      'takes the answer of a tool step',
      [hi, call('a')],
      [hi, call('a'), response('a')],
      [hi, call('a'), response('a')],
    ],
    [
      'asks the step after a tool anew',
      [hi, call('a'), response('a'), tora],
      [hi, call('a'), response('a')],
      [hi, call('a'), response('a')],
      1,
    ],
    [
      'hides no question that was asked beside a tool loop',
      [hi, call('a'), name, tora],
      [hi, call('a'), response('a')],
      [hi, call('a'), name, tora, response('a')],
    ],
    [
      'hides none in the next step of that loop either',
      [hi, call('a'), response('a'), name, call('b')],
      [hi, call('a'), response('a'), call('b'), response('b')],
      [hi, call('a'), response('a'), name, call('b'), response('b')],
    ],
    [
      'knows a message that was redacted, by the answer to it',
      [text('[cut]'), hello],
      [hi, hello, name],
      [text('[cut]'), hello, name],
    ],
    [
      'goes on with the tool loop of a redacted message',
      [hi, hello, text('[cut]'), call('a')],
      [hi, hello, name, call('a'), response('a')],
      [hi, hello, text('[cut]'), call('a'), response('a')],
    ],
    ['hides nothing for a prompt that says nothing', [hi, hello], [text(' ')], [hi, hello]],
  ])('%s', (_name, before, prompt, after, rewinds = 0) => {
    const log = logOf(...before);
    log.receive(prompt, matchWholePrompt);
    expect(log.contents).toEqual(after);
    expect(log.rewinds).toBe(rewinds);
  });

  it('takes half a message of the log for another message', () => {
    const picture = (uri: string): Content => ({
      role: 'user',
      parts: [{ text: 'What is this?' }, { fileData: { fileUri: uri } }],
    });
    for (const prompt of [[picture('file:b')], [text('What is this?')]]) {
      const log = logOf(picture('file:a'), tora);
      log.receive(prompt, matchWholePrompt);
      expect(log.contents).toEqual(prompt);
      expect(log.rewinds).toBe(1);
    }
  });

  it('lets callers keep pieces of answers that broke off, or not', () => {
    for (const prompt of [
      [hi, modelText('hel'), name],
      [hi, name],
    ]) {
      const log = logOf(hi);
      log.add(modelText('hel'), { interrupted: true });
      log.fail();
      log.receive(prompt, matchWholePrompt);
      expect(log.contents).toEqual([hi, modelText('hel'), name]);
      expect(log.rewinds).toBe(0);
    }
  });

  it('knows a piece that reached the caller shorter or longer than the log', () => {
    for (const more of [[], [name, tora]]) {
      const log = logOf(hi);
      log.add(modelText('hel'), { interrupted: true });
      for (const content of more) log.add(content);
      log.receive([hi, modelText('hell'), ...more, text('再说')], matchWholePrompt);
      expect(log.contents).toEqual([hi, modelText('hel'), ...more, text('再说')]);
      expect(log.rewinds).toBe(0);
    }
  });

  it('does not take an answer that came after all for such a piece', () => {
    const log = logOf(hi);
    for (const piece of ['h', 'hel']) log.add(modelText(piece), { interrupted: true });
    log.add(hello);
    log.receive([hi, hello, name], matchWholePrompt);
    expect(log.contents.slice(-2)).toEqual([hello, name]);
    expect(log.rewinds).toBe(0);
  });

  it('keeps a piece that the caller shows where a later answer is asked for again', () => {
    const log = logOf(hi);
    log.add(modelText('hel'), { interrupted: true });
    log.add(modelText('lo'));
    log.receive([hi, modelText('hel')], matchWholePrompt);
    expect(log.contents).toEqual([hi, modelText('hel')]);
    expect(log.rewinds).toBe(1);
  });
});

/** A turn: what is said, tools called on the way, and the answer. Questions are few, so that much is asked twice. */
const word = fc.constantFrom('yes', 'no', '好', '再来', 'ok');
const turn = fc.record({ ask: word, steps: fc.nat({ max: 2 }), retries: fc.array(fc.nat({ max: 3 })) });
const conversation = fc.array(turn, { minLength: 1, maxLength: 8 });
type Turn = { readonly ask: string; readonly steps: number; readonly retries: readonly number[] };

/** The contents of a conversation in which the model says nothing twice. */
function contentsOf(turns: readonly Turn[], said = ''): Content[] {
  return turns.flatMap(({ ask, steps }, at) => [
    text(ask),
    ...Array.from({ length: steps }, (_, step) => [
      call(`${said}c${at}.${step}`),
      response(`${said}c${at}.${step}`),
    ]).flat(),
    modelText(`${said}answer ${at}`),
  ]);
}

describe('a whole conversation', () => {
  it('that is replayed step by step with retries stands in the log once', () => {
    fc.assert(
      fc.property(conversation, (turns) => {
        const log = new SampleLog();
        const all: Content[] = [];
        const retries = turns.flatMap((one) => one.retries);
        for (const content of contentsOf(turns)) {
          all.push(content);
          if (content.role === 'model') log.add(content);
          else for (let sent = 0; sent <= (retries.shift() ?? 0); sent++) log.receive(all, matchWholePrompt);
          expect(log.contents).toEqual(all);
        }
        expect(log.rewinds).toBe(0);
      }),
    );
  });

  it('is what the log holds after it was edited at any question, the first one too', () => {
    fc.assert(
      fc.property(conversation, conversation, fc.nat(), word, (turns, others, pick, other) => {
        const log = logOf(...contentsOf(turns));
        const kept = contentsOf(turns.slice(0, pick % turns.length));
        const edited = [...kept, text(`other ${other}`)];
        log.receive(edited, matchWholePrompt);
        expect(log.contents).toEqual(edited);
        expect(log.rewinds).toBe(1);
        log.receive(edited, matchWholePrompt);
        expect(log.rewinds).toBe(1);
        const elsewhere = [...kept, ...contentsOf(others, 'other '), text('then')];
        log.receive(elsewhere, matchWholePrompt);
        expect(log.contents).toEqual(elsewhere);
      }),
    );
  });

  it('is what the log holds after any of its answers was asked for again', () => {
    fc.assert(
      fc.property(conversation, fc.nat(), (turns, pick) => {
        const all = contentsOf(turns);
        const log = logOf(...all);
        const asked = all.flatMap(({ role }, at) => (role === 'user' ? at + 1 : []));
        const prompt = all.slice(0, asked[pick % asked.length]);
        log.receive(prompt, matchWholePrompt);
        expect(log.contents).toEqual(prompt);
        expect(log.rewinds).toBe(1);
      }),
    );
  });

  it('never loses the newest words, whatever log and prompt hold', () => {
    const content = fc.oneof(
      word.map(text),
      word.map(modelText),
      word.map((id) => call(id)),
      word.map((id) => response(id)),
    );
    fc.assert(
      fc.property(fc.array(content), fc.array(content), word, (logged, prompt, last) => {
        const log = logOf(...logged);
        log.receive([...prompt, text(`new ${last}`)], matchWholePrompt);
        expect(log.contents.at(-1)).toEqual(text(`new ${last}`));
        expect(log.contents.filter((one) => JSON.stringify(one).includes('new '))).toHaveLength(1);
      }),
    );
  });
});
