import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Content, modelText, type Part, text } from '../events/index.ts';
import { sha256 } from '../internal/index.ts';
import { matchPrompt } from './match-prompt.ts';
import { callOf as call, logOf, responseOf as response, SampleLog } from './sample-log.ts';

const [hi, hello, name, tora] = [text('hi'), modelText('hello'), text('我的猫叫什么？'), modelText('叫虎子。')];
const file = (fileUri: string): Content => ({ role: 'user', parts: [{ fileData: { fileUri } }] });

describe('matchPrompt', () => {
  it.each<[string, readonly Content[], readonly Content[], readonly Content[], number?]>([
    ['takes all of a first prompt', [], [hi], [hi]],
    ['takes a history that is brought along', [], [hi, hello, name], [hi, hello, name]],
    ['takes what follows the log', [hi, hello], [hi, hello, name], [hi, hello, name]],
    ['takes one new message by itself', [hi, hello], [name], [hi, hello, name]],
    ['takes a message that is said twice', [hi, hello], [hi], [hi, hello, hi]],
    ['takes a retry of an unanswered message once', [hi, hello, name], [hi, hello, name], [hi, hello, name]],
    ['takes a retry of one unanswered message alone', [hi, hello, name], [name], [hi, hello, name]],
    ['takes the new one of two messages of which one failed', [hi], [hi, name], [hi, name]],
    [
      'takes the new one where the model never answered the caller',
      [hi, call('a'), response('a')],
      [hi, name],
      [hi, call('a'), response('a'), name],
    ],
    ['takes the new one of a caller who keeps only questions', [hi, hello], [hi, name], [hi, hello, name]],
    ['takes the call and answer of a tool step', [hi], [hi, call('a'), response('a')], [hi, call('a'), response('a')]],
    [
      'takes the answer of a tool step',
      [hi, call('a')],
      [hi, call('a'), response('a')],
      [hi, call('a'), response('a')],
    ],
    ['takes a tool answer by itself', [hi, call('a')], [response('a')], [hi, call('a'), response('a')]],
    [
      'takes no answer twice',
      [hi, call('a'), response('a')],
      [response('a'), name],
      [hi, call('a'), response('a'), name],
    ],
    [
      'takes no answer twice, wherever it stands',
      [hi, call('a'), response('a'), hello],
      [response('a'), name],
      [hi, call('a'), response('a'), hello, name],
    ],
    [
      'follows an edit at the last of several places',
      [hi, hello, name, tora, hi, hello, text('1'), modelText('2')],
      [hi, hello, text('3')],
      [hi, hello, name, tora, hi, hello, text('3')],
      1,
    ],
    [
      'knows a text that could not be stored as it was',
      [hi, hello, text('a\uFFFD')],
      [hi, hello, text('a\uD800')],
      [hi, hello, text('a\uFFFD')],
    ],
    ['asks the last answer anew', [hi, hello, name, tora], [hi, hello, name], [hi, hello, name], 1],
    [
      'asks the step after a tool anew',
      [hi, call('a'), response('a'), tora],
      [hi, call('a'), response('a')],
      [hi, call('a'), response('a')],
      1,
    ],
    [
      'asks anew from a prompt that is cut in front',
      [hi, call('a'), response('a'), tora],
      [call('a'), response('a')],
      [hi, call('a'), response('a')],
      1,
    ],
    [
      'follows an edit of an earlier message',
      [hi, hello, name, tora],
      [hi, hello, text('And my dog?')],
      [hi, hello, text('And my dog?')],
      1,
    ],
    [
      'follows a caller to another branch',
      [hi, hello, name, tora],
      [hi, hello, text('x'), modelText('y'), text('z')],
      [hi, hello, text('x'), modelText('y'), text('z')],
      1,
    ],
    [
      'knows a message that was redacted in the log',
      [hi, hello, text('[cut]'), tora],
      [hi, hello, name, tora, hi],
      [hi, hello, text('[cut]'), tora, hi],
    ],
    [
      'knows a first message that was redacted',
      [text('[cut]'), hello],
      [hi, hello, name],
      [text('[cut]'), hello, name],
    ],
    [
      'takes a retry behind a redacted message once',
      [text('[cut]'), hello, name],
      [hi, hello, name],
      [text('[cut]'), hello, name],
    ],
    [
      'knows an answer that the caller shows otherwise',
      [hi, modelText('<think>…</think>hello')],
      [hi, hello, name],
      [hi, modelText('<think>…</think>hello'), name],
    ],
    [
      'knows one behind which more was said',
      [hi, call('a'), response('a'), tora],
      [hi, call('a'), response('a'), name],
      [hi, call('a'), response('a'), tora, name],
    ],
    [
      'does not mind white space at the ends',
      [text(' hi\n'), hello],
      [hi, modelText('hello  '), name],
      [text(' hi\n'), hello, name],
    ],
    [
      'takes a retry of a message whose tool loop failed once',
      [hi, call('a'), response('a')],
      [hi],
      [hi, call('a'), response('a')],
    ],
    [
      'takes such a retry once behind an answer, with the history and without',
      [hi, hello, name, call('a'), response('a'), call('b')],
      [hi, hello, name],
      [hi, hello, name, call('a'), response('a'), call('b')],
    ],
    [
      'takes such a retry once behind words that the log has otherwise',
      [text('[cut]'), hello, name, call('a'), response('a')],
      [hi, hello, name],
      [text('[cut]'), hello, name, call('a'), response('a')],
    ],
    [
      'takes a message that is said again after a tool loop that was answered',
      [hi, call('a'), response('a'), hello],
      [hi],
      [hi, call('a'), response('a'), hello, hi],
    ],
    [
      'takes a message that is said again after an answer in pictures',
      [hi, { role: 'model', parts: [{ inlineData: { mimeType: 'image/png', data: 'aGk=' } }] }],
      [hi],
      [hi, { role: 'model', parts: [{ inlineData: { mimeType: 'image/png', data: 'aGk=' } }] }, hi],
    ],
    [
      'hides no question that was asked beside a tool loop',
      [hi, call('a'), response('a'), name],
      [hi, call('a'), response('a')],
      [hi, call('a'), response('a'), name],
    ],
    [
      'knows an address that was written as a URL',
      [file('artifact:图 1.png'), hello],
      [file(new URL('artifact:图 1.png').href), hello, name],
      [file('artifact:图 1.png'), hello, name],
    ],
  ])('%s', (_name, before, prompt, after, rewinds = 0) => {
    const log = logOf(...before);
    log.receive(prompt);
    expect(log.contents).toEqual(after);
    expect(log.rewinds).toBe(rewinds);
  });

  it('knows texts in pieces, thoughts, and data that the log has moved', () => {
    const bytes = Buffer.alloc(70_000, 7);
    const image: Part = { inlineData: { mimeType: 'image/png', data: bytes.toString('base64') } };
    const moved: Part = { fileData: { fileUri: `artifact:inline/${sha256(bytes)}`, mimeType: 'image/png' } };
    const log = logOf({ role: 'user', parts: [{ text: 'Look: ' }, { text: 'here' }, moved] });
    log.add({ role: 'model', parts: [{ text: 'Hm.', thought: true }, { text: 'A c' }, { text: 'at.' }] });
    const prompt: Content[] = [{ role: 'user', parts: [{ text: 'Look: here' }, image] }, modelText('A cat.'), name];
    expect(matchPrompt(log.events, prompt)).toEqual({ fresh: [name] });
  });

  it('takes half a message of the log for another message', () => {
    const picture = (uri: string): Content => ({
      role: 'user',
      parts: [{ text: 'What is this?' }, { fileData: { fileUri: uri } }],
    });
    const log = logOf(hi, hello, picture('file:a'), tora);
    log.receive([hi, hello, picture('file:b')]);
    expect(log.contents).toEqual([hi, hello, picture('file:b')]);
    expect(log.rewinds).toBe(1);
  });

  it('lets callers keep pieces of answers that broke off, or not', () => {
    const cut = () => {
      const log = logOf(hi);
      log.add(modelText('hel'), { interrupted: true });
      return log;
    };
    for (const prompt of [[hi, modelText('hel'), name], [hi, name], [name]]) {
      const log = cut();
      log.receive(prompt);
      expect(log.contents).toEqual([hi, modelText('hel'), name]);
    }
    const retried = cut();
    retried.receive([hi]);
    expect(retried.contents).toEqual([hi, modelText('hel')]);
  });

  it('takes a message again after a run that a tool has ended', () => {
    const log = logOf(hi, call('a'));
    log.add(response('a'), { actions: { skipSummarization: true } });
    log.receive([hi]);
    expect(log.contents).toEqual([hi, call('a'), response('a'), hi]);
  });

  it('parts a tool answer from the question beside it', () => {
    const log = logOf(hi, call('a'));
    log.receive([hi, call('a'), { role: 'user', parts: [...response('a').parts, ...name.parts] }]);
    expect(log.contents).toEqual([hi, call('a'), response('a'), name]);
    expect(new Set(log.events.map(({ invocationId }) => invocationId)).size).toBe(2);
  });

  it('takes an answer to a call whose id was used before', () => {
    const log = logOf(hi, call('a'), response('a'), hello, name, call('a', 'other'));
    log.receive([...log.contents, response('a')]);
    expect(log.contents).toHaveLength(7);
  });
});

/** A turn: what is said, tools called on the way, and the answer. Words are few, so that much is said twice. */
const word = fc.constantFrom('yes', 'no', '好', '再来', 'ok');
const turn = fc.record({ ask: word, steps: fc.nat({ max: 2 }), answer: word, retries: fc.array(fc.nat({ max: 3 })) });
const conversation = fc.array(turn, { minLength: 1, maxLength: 8 });

describe('a conversation that is replayed step by step', () => {
  type Caller = (all: readonly Content[], turnStart: number) => readonly Content[];
  const callers: Record<string, Caller> = {
    'whole prompts': (all) => all,
    'the turn alone': (all, turnStart) => all.slice(turnStart),
    'two thirds of the prompt': (all, turnStart) => all.slice(Math.min(turnStart, Math.floor(all.length / 3))),
  };

  it.each(Object.entries(callers))('stands in the log once, with %s and retries', (_name, shown) => {
    fc.assert(
      fc.property(conversation, (turns) => {
        const log = new SampleLog();
        const all: Content[] = [];
        let ids = 0;
        for (const { ask, steps, answer, retries } of turns) {
          const turnStart = all.length;
          all.push(text(ask));
          for (let step = 0; ; step++) {
            for (let sent = 0; sent <= (retries[step] ?? 0); sent++) log.receive(shown(all, turnStart));
            expect(log.contents).toEqual(all);
            const said = step < steps ? call(`c${++ids}`) : modelText(answer);
            log.add(said);
            all.push(said);
            if (step === steps) break;
            all.push(response(`c${ids}`));
          }
        }
        expect(log.contents).toEqual(all);
        expect(log.rewinds).toBe(0);
      }),
    );
  });

  it('is followed where the caller goes back and asks something else', () => {
    fc.assert(
      fc.property(conversation, fc.nat(), word, (turns, pick, other) => {
        const all = turns.flatMap(({ ask, answer }, at) => [text(`${at} ${ask}`), modelText(`${at} ${answer}`)]);
        const log = logOf(...all);
        const at = 2 * (1 + (pick % turns.length));
        const edited = [...all.slice(0, at), text(`other ${other}`)];
        log.receive(edited);
        expect(log.contents).toEqual(edited);
        log.receive(edited);
        expect(log.contents).toEqual(edited);
      }),
    );
  });

  it('holds what it held when any answer is lost and asked for again', () => {
    fc.assert(
      fc.property(conversation, (turns) => {
        const log = new SampleLog();
        const all: Content[] = [text('begin'), modelText('begun')];
        for (const content of all) log.add(content);
        for (const { ask, answer } of turns) {
          all.push(text(ask));
          log.receive(all);
          log.add(modelText(`lost ${answer}`));
          log.receive(all);
          expect(log.contents).toEqual(all);
          log.add(modelText(answer));
          all.push(modelText(answer));
        }
        expect(log.contents).toEqual(all);
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
        log.receive([...prompt, text(`new ${last}`)]);
        expect(log.contents.at(-1)).toEqual(text(`new ${last}`));
        expect(log.contents.filter((one) => JSON.stringify(one).includes('new '))).toHaveLength(1);
      }),
    );
  });
});
