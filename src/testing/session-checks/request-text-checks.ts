import assert from 'node:assert/strict';
import type { EventInput, ProvenanceRef, SessionKey } from '../../index.ts';
import type { Check, Checks, Proof } from '../conformance.ts';
import { readAll, refused, same, unchanged } from '../expectations.ts';
import { answers, says } from '../sample-events.ts';
import { answersRequest, requestText, type SampleText } from '../sample-texts.ts';
import { begin, type SessionSubject } from '../session-subject.ts';

const givenAt = '2026-01-01T00:00:00.000Z';

/** Refers to an event of a life of a session. */
function eventOf({ sessionId }: SessionKey, incarnation: string): ProvenanceRef {
  return { kind: 'event', sessionId, incarnation, seq: 1, eventId: 'e1' };
}

/** Refers to what was given directly. */
function direct(id: string, at = givenAt): ProvenanceRef {
  return { kind: 'direct', source: 'api', id, at };
}

/** Which of these texts a session has, read through the second handle. */
async function keptIn(
  subject: SessionSubject,
  key: SessionKey,
  texts: readonly SampleText[],
): Promise<readonly boolean[]> {
  const read = await Promise.all(texts.map(({ hash }) => subject.second.readText(key, hash)));
  for (const [index, json] of read.entries()) if (json !== undefined) assert.equal(json, texts[index]?.json);
  return read.map((json) => json !== undefined);
}

/** A session with a question, and its incarnation. */
async function lifeIn(subject: SessionSubject, sessionId: string, userId = 'u1') {
  const key = await begin(subject, { sessionId, userId });
  await subject.first.append(key, [says('我住在里昂')]);
  const incarnation = (await subject.first.open(key))?.incarnation ?? assert.fail('the session is gone');
  return { key, incarnation };
}

/** Without artifacts, an event that comes with texts is not stored at all. */
const refuses: Proof<SessionSubject> = async (subject) => {
  const key = await begin(subject);
  const text = await requestText('指令');
  await unchanged(subject.second, key, async () => {
    await refused(subject.first.append(key, [says('a'), answersRequest([text])], { texts: [text] }), 'NOT_SUPPORTED');
  });
};

function needsArtifacts(holds: Proof<SessionSubject>): Check<SessionSubject> {
  return { holds, refuses };
}

/** Checks of the texts that requests are rebuilt from. */
export const requestTextChecks = {
  'texts.kept': needsArtifacts(async (subject) => {
    const key = await begin(subject);
    const other = await begin(subject, { sessionId: 's2' });
    const texts = await Promise.all(['指令 🍵', 'null\0 and "quotes"', ''].map((text) => requestText(text)));
    const { events } = await subject.first.append(key, [says('问'), answersRequest(texts)], { texts });
    same(
      (await readAll(subject.second, key))[1]?.request?.blocks.map(({ hash }) => hash),
      texts.map(({ hash }) => hash),
    );
    same(await keptIn(subject, key, texts), [true, true, true]);
    await subject.second.append(key, [answersRequest(texts)], { texts });
    same(await keptIn(subject, key, texts), [true, true, true]);
    same(await keptIn(subject, other, texts), [false, false, false], 'texts belong to their session');
    for (const hash of ['', 'a', `${texts[0]?.hash}0`, events[0]?.id ?? '', '__proto__']) {
      assert.equal(await subject.second.readText(key, hash), undefined);
    }
  }),
  'texts.all-or-nothing': needsArtifacts(async (subject) => {
    const key = await begin(subject);
    const [kept, text] = [await requestText('kept'), await requestText('refused')];
    await subject.first.append(key, [answersRequest([kept], { id: 'e1' })], { texts: [kept] });
    const both = [kept, text];
    const more = { id: 'e1' };
    const append = (events: readonly EventInput[], expectedVersion?: number) =>
      subject.second.append(key, events, {
        texts: [text],
        ...(expectedVersion === undefined ? {} : { expectedVersion }),
      });
    await unchanged(subject.first, key, async () => {
      await refused(append([answersRequest(both)], 0), 'APPEND_CONFLICT');
      await refused(append([answersRequest(both), { author: '' }]), 'INVALID_ID');
      await refused(append([answersRequest(both, more)]), 'EVENT_ID_REUSED');
      await refused(append([answersRequest(both), answersRequest([kept], more)]), 'EVENT_ID_REUSED');
    });
    same(await keptIn(subject, key, [text]), [false]);
  }),
  'texts.repeated-append': needsArtifacts(async (subject) => {
    const { incarnation } = await lifeIn(subject, 'quoted');
    const key = await begin(subject);
    const text = await requestText('记得：里昂', eventOf(key, incarnation));
    const events = [answersRequest([text], { id: 'e1' })];
    await subject.first.append(key, events, { texts: [text] });
    await subject.first.eraseQuotes({ ...key, sources: [{ incarnation }] });
    assert.equal((await subject.second.append(key, events, { texts: [text] })).repeated, true);
    same(await keptIn(subject, key, [text]), [false], 'what was erased did not come back');
  }),
  'texts.bad-input': needsArtifacts(async (subject) => {
    const key = await begin(subject);
    const good = await requestText('好');
    const { hash, json } = good;
    const bad = async (argument: string, texts: unknown, events: readonly EventInput[] = [answersRequest([good])]) => {
      // Callers without types may hand over anything.
      const given = texts as readonly SampleText[];
      await refused(subject.first.append(key, events, { texts: given }), 'INVALID_ARGUMENT', { argument });
    };
    await unchanged(subject.second, key, async () => {
      await bad('options.texts', { 0: good });
      await bad('options.texts[1]', [good, null]);
      for (const text of [undefined, 7, '', '{', '"\ud800"'])
        await bad('options.texts[0].json', [{ hash, json: text }]);
      for (const other of [undefined, '', hash.toUpperCase(), (await requestText('另')).hash, `${hash} `]) {
        const wrong = { hash: other ?? '', json };
        await bad('options.texts[0].hash', [{ ...wrong, hash: other }], [answersRequest([wrong])]);
      }
      const refs = [
        null,
        {},
        { kind: 'event' },
        { kind: 'direct', id: 7, at: givenAt },
        { kind: 'direct', id: 'm1' },
        { kind: 'other', id: 'a', incarnation: 'b' },
      ];
      for (const ref of refs) await bad('options.texts[0].sources[1]', [{ ...good, sources: [direct('m1'), ref] }]);
      await bad('options.texts[0].sources', [{ ...good, sources: 'all' }]);
      await bad('options.texts[0].hash', [good], [answersRequest([await requestText('另')])]);
      await bad('options.texts[0].hash', [good], [answers('no journal')]);
      await bad('options.texts[0].hash', [good], []);
    });
    const quotes = { appName: key.appName, userId: key.userId };
    for (const source of [null, {}, { incarnation: 7 }, { incarnation: 'a', directId: 'b' }]) {
      const sources = [{ directId: 'm1' }, source] as { directId: string }[];
      await refused(subject.first.eraseQuotes({ ...quotes, sources }), 'INVALID_ARGUMENT', { argument: 'sources[1]' });
    }
    await refused(
      subject.first.eraseQuotes({ ...quotes, sources: [{ directId: 'm1', at: '昨天' }] }),
      'INVALID_ARGUMENT',
      {
        argument: 'sources[0].at',
      },
    );
    await refused(subject.first.eraseQuotes({ ...quotes, userId: '', sources: [] }), 'INVALID_ID', { field: 'userId' });
    same(await keptIn(subject, key, [good]), [false]);
  }),
  'texts.not-artifacts': needsArtifacts(async (subject) => {
    const key = await begin(subject);
    const text = await requestText('指令');
    const name = `request/${text.hash}`;
    const actions = { artifactDelta: { [name]: 0 } };
    await subject.first.append(key, [answersRequest([text], { actions, invocationId: 'i1' })], { texts: [text] });
    const { artifacts } = subject.second;
    same(await artifacts.list(key), []);
    assert.equal(await artifacts.get(key, name), undefined);
    const bytes = new Uint8Array(1);
    await refused(artifacts.put(key, name, bytes, 'text/plain'), 'INVALID_ARGUMENT', { argument: 'name' });
    await refused(artifacts.delete(key, name), 'INVALID_ARGUMENT', { argument: 'name' });
    await artifacts.put(key, 'request/own.txt', bytes, 'text/plain');
    await artifacts.put({ appName: key.appName, userId: key.userId }, name, bytes, 'text/plain');
    const { actions: rewound } = await subject.first.rewind(key, { beforeInvocationId: 'i1' });
    same(rewound.artifactDelta, undefined, 'a rewind does not touch them');
    same(
      (await artifacts.list(key)).map((one) => one.name),
      ['request/own.txt'],
    );
    same(await keptIn(subject, key, [text]), [true]);
  }),
  'texts.follow-a-fork': needsArtifacts(async (subject) => {
    const { key } = await lifeIn(subject, 's1');
    const [first, both, later] = [
      await requestText('一', direct('m1')),
      await requestText('两', direct('m2')),
      await requestText('三'),
    ];
    await subject.first.append(key, [answersRequest([first, both])], { texts: [first, both] });
    await subject.first.append(key, [answersRequest([later])], { texts: [later] });
    const fork = await subject.second.fork(key, { atSeq: 2, sessionId: 'fork' });
    await subject.first.append(fork.key, [answersRequest([both])], { texts: [both] });
    const grandchild = await subject.second.fork(fork.key, { atSeq: 3, sessionId: 'grandchild' });
    const own = await requestText('自己的');
    await subject.first.append(grandchild.key, [answersRequest([own])], { texts: [own] });
    const all = [first, both, later, own];
    same(await keptIn(subject, fork.key, all), [true, true, false, false], 'what its copied events name, and its own');
    const receipt = await subject.second.delete(key);
    same(await keptIn(subject, fork.key, all), [false, true, false, false], 'what its own events name stays');
    same(await keptIn(subject, grandchild.key, all), [false, true, false, true]);
    same([receipt.requestTexts, receipt.artifacts], [5, 0]);
    assert.equal(await subject.first.eraseQuotes({ ...key, sources: [{ directId: 'm2' }] }), 2, 'sources are copied');
    same(await keptIn(subject, grandchild.key, all), [false, false, false, true]);
  }),
  'texts.erased-by-source': needsArtifacts(async (subject) => {
    const quoted = await lifeIn(subject, 'quoted');
    const spared = await lifeIn(subject, 'spared');
    const ref = eventOf(quoted.key, quoted.incarnation);
    const [one, two, plain] = [
      await requestText('一', ref, direct('m1')),
      await requestText('二', direct('m1')),
      await requestText('三'),
    ];
    const other = await requestText('四', eventOf(spared.key, spared.incarnation));
    const all = [one, two, plain, other];
    const keys = [await begin(subject), await begin(subject, { sessionId: 's2' })];
    const foreign = await begin(subject, { userId: 'u2' });
    for (const key of [...keys, foreign]) await subject.first.append(key, [answersRequest(all)], { texts: all });
    const { appName, userId } = quoted.key;
    assert.equal(await subject.second.eraseQuotes({ appName, userId, sources: [{ directId: quoted.incarnation }] }), 0);
    const sources = [{ incarnation: quoted.incarnation }];
    assert.equal(await subject.second.eraseQuotes({ appName, userId, sources }), 2);
    for (const key of keys) same(await keptIn(subject, key, all), [false, true, true, true]);
    assert.equal(await subject.first.eraseQuotes({ appName, userId, sources: [{ directId: 'm1' }] }), 2);
    for (const key of keys) same(await keptIn(subject, key, all), [false, false, true, true]);
    same(await keptIn(subject, foreign, all), [true, true, true, true], "another user's stay");
    same(
      (await readAll(subject.second, keys[0] ?? foreign))[0]?.request?.blocks.length,
      all.length,
      'the journal still names them',
    );
  }),
  'texts.erased-for-good': needsArtifacts(async (subject) => {
    const keys = [await begin(subject), await begin(subject, { sessionId: 's2' })];
    const [key, second] = [keys[0] ?? assert.fail(), keys[1] ?? assert.fail()];
    const foreign = await begin(subject, { userId: 'u2' });
    const gone = await requestText('你说过：里昂', direct('m1'), direct('m2'));
    const later = await requestText('你说过：大理', direct('m1', '2026-01-01T00:00:00.001Z'));
    const append = (at: SessionKey, texts: readonly SampleText[]) =>
      subject.first.append(at, [answersRequest(texts)], { texts });
    for (const at of keys) await append(at, [gone, later]);
    assert.equal(await subject.second.eraseQuotes({ ...key, sources: [{ directId: 'm1' }] }), 4);
    await append(key, [gone]);
    same(await keptIn(subject, key, [gone]), [true], 'without its time, it may be quoted again');
    const sources = [{ directId: 'm1', at: '2026-01-01T01:00:00+01:00' }, { directId: 'none' }];
    assert.equal(await subject.second.eraseQuotes({ ...key, sources }), 1);
    for (const at of keys) {
      await append(at, [gone, later]);
      same(await keptIn(subject, at, [gone, later]), [false, true], 'what is given later under its id can be quoted');
    }
    await append(foreign, [gone, later]);
    same(await keptIn(subject, foreign, [gone, later]), [true, true], "another user's is another one");
    assert.equal(await subject.second.eraseQuotes({ ...second, sources: [{ directId: 'm1' }] }), 2);
  }),
  'texts.sources-add-up': needsArtifacts(async (subject) => {
    const key = await begin(subject);
    const [plain, first, second] = [
      await requestText('绿茶'),
      await requestText('绿茶', direct('m1')),
      await requestText('绿茶', direct('m2')),
    ];
    for (const text of [plain, first, second]) {
      await subject.first.append(key, [answersRequest([text])], { texts: [text, text] });
    }
    assert.equal(await subject.second.eraseQuotes({ ...key, sources: [{ directId: 'm1' }, { directId: 'm2' }] }), 1);
    same(await keptIn(subject, key, [plain]), [false]);
    await subject.first.append(key, [answersRequest([plain])], { texts: [plain] });
    assert.equal(
      await subject.second.eraseQuotes({ ...key, sources: [{ directId: 'm1' }] }),
      0,
      'no source outlives it',
    );
  }),
  'texts.erased-with-quoted-session': needsArtifacts(async (subject) => {
    const quoted = await lifeIn(subject, 'quoted');
    const text = await requestText('你说过：里昂', eventOf(quoted.key, quoted.incarnation), direct('m1'));
    const plain = await requestText('无');
    const key = await begin(subject);
    await subject.first.append(key, [answersRequest([text, plain])], { texts: [text, plain] });
    const receipt = await subject.second.delete(quoted.key);
    same([receipt.requestTexts, receipt.artifacts, receipt.events], [1, 0, 1]);
    same(await keptIn(subject, key, [text, plain]), [false, true]);
    await subject.first.create(quoted.key);
    await subject.first.append(key, [answersRequest([text, plain])], { texts: [text, plain] });
    same(await keptIn(subject, key, [text, plain]), [false, true], 'an answer that came late brings nothing back');
    const unknown = await requestText('别处', eventOf(quoted.key, 'a life that this store never had'));
    await subject.first.append(key, [answersRequest([unknown])], { texts: [unknown] });
    same(await keptIn(subject, key, [unknown]), [true], 'what is quoted from elsewhere is kept');
  }),
  'texts.erased-with-quoted-fork': needsArtifacts(async (subject) => {
    const { key } = await lifeIn(subject, 's1');
    const fork = await subject.first.fork(key, { atSeq: 1, sessionId: 'fork' });
    const text = await requestText('分支说过', eventOf(fork.key, fork.incarnation));
    const other = await begin(subject, { sessionId: 'other' });
    await subject.first.append(other, [answersRequest([text])], { texts: [text] });
    assert.equal((await subject.second.delete(key)).requestTexts, 1);
    same(await keptIn(subject, other, [text]), [false]);
    await subject.first.append(other, [answersRequest([text])], { texts: [text] });
    same(await keptIn(subject, other, [text]), [true], 'the fork lives on and can be quoted');
  }),
  'texts.gone-with-session': needsArtifacts(async (subject) => {
    const key = await begin(subject, { ttlSeconds: 60 });
    const text = await requestText('指令', direct('m1'));
    await subject.first.append(key, [answersRequest([text])], { texts: [text] });
    subject.clock.advance(60_000);
    await refused(subject.second.readText(key, text.hash), 'SESSION_NOT_FOUND');
    await subject.second.create(key);
    same(await keptIn(subject, key, [text]), [false], 'nothing is left of the life before');
    assert.equal(await subject.first.eraseQuotes({ ...key, sources: [{ directId: 'm1' }] }), 0);
  }),
  'texts.erased-while-forked': needsArtifacts(async (subject) => {
    const text = await requestText('你说过', direct('m1'));
    for (let round = 0; round < 30; round++) {
      const key = await begin(subject, { sessionId: `s${round}` });
      await subject.first.append(key, [answersRequest([text])], { texts: [text] });
      const forking = subject.first.fork(key, { atSeq: 1, sessionId: `fork${round}` });
      for (let step = 0; step < round; step++) await Promise.resolve();
      const erasing = subject.second.eraseQuotes({ ...key, sources: [{ directId: 'm1' }] });
      const [fork] = await Promise.all([forking, erasing]);
      same(await keptIn(subject, fork.key, [text]), [false]);
    }
  }),
} satisfies Checks<SessionSubject>;
