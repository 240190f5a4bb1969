import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { maxEventBytes, type RequestJournal } from '../events/index.ts';
import { sha256 } from '../internal/index.ts';
import { isTextName, parseTexts, refuseUnnamed, textNamesOf, textProblem } from './request-texts.ts';

const hash = sha256('"指令"');
const user = { appName: 'a', userId: '用户' };

/** A journal as somebody else may have written it. */
function journal(blocks: unknown): { readonly request: RequestJournal } {
  return { request: JSON.parse(JSON.stringify({ blocks: blocks ?? null })) };
}

describe('the texts that a journal names', () => {
  it('are told by name, in order', () => {
    expect(textNamesOf(journal([{ hash }, { hash: sha256('二') }]))).toEqual([
      `request/${hash}`,
      `request/${sha256('二')}`,
    ]);
    expect(textNamesOf({})).toEqual([]);
  });

  it('are none where a journal is not whole, whatever it is', () => {
    const odd = [
      undefined,
      'a',
      7,
      {},
      [null, 1, 'x', [], {}, { hash: 7 }, { hash: 'A'.repeat(64) }, { hash: `${hash}0` }],
    ];
    for (const blocks of odd) expect(textNamesOf(journal(blocks))).toEqual([]);
    fc.assert(
      fc.property(fc.jsonValue(), (blocks) => {
        expect(textNamesOf(journal(blocks)).every(isTextName)).toBe(true);
      }),
    );
  });
});

describe('the name of a text', () => {
  it('is a hash in a folder of its own, so that other names there are free', () => {
    expect(isTextName(`request/${hash}`)).toBe(true);
    for (const name of [
      hash,
      `request/${hash}0`,
      `request/${hash.toUpperCase()}`,
      'request/',
      'request/报告.txt',
      `inline/${hash}`,
    ])
      expect(isTextName(name)).toBe(false);
  });
});

describe('texts of an append', () => {
  it('have a limit, which is that of an event', () => {
    const textOf = (bytes: number) => {
      const json = JSON.stringify('字'.repeat(2) + 'x'.repeat(bytes - 8));
      return [{ hash: sha256(json), json }];
    };
    expect(parseTexts(textOf(maxEventBytes), user)).toHaveLength(1);
    expect(() => parseTexts(textOf(maxEventBytes + 1), user)).toThrow(
      `options.texts[0].json takes ${maxEventBytes + 1} bytes, the limit is ${maxEventBytes}.`,
    );
  });

  it('must each be named by a journal beside them, and are told by their place', () => {
    const both = [
      { hash, json: '"指令"' },
      { hash: sha256('2'), json: '2' },
    ];
    const texts = parseTexts(both, user);
    expect(() => refuseUnnamed(texts, [journal([{ hash }]), {}])).toThrow('options.texts[1].hash');
    expect(() => refuseUnnamed(texts, [journal([{ hash }]), journal([{ hash: sha256('2') }])])).not.toThrow();
  });

  it('name what they quote unambiguously, each once', () => {
    const at = '2026-01-01T00:00:00.000Z';
    const life = { kind: 'event', sessionId: 's', incarnation: 'x', eventId: 'e' } as const;
    const sources = [
      { ...life, seq: 1 },
      { ...life, seq: 2 },
      { kind: 'direct', source: 'api', id: 'x', at },
      { kind: 'direct', source: 'form', id: 'x', at },
    ] as const;
    const [text] = parseTexts([{ hash, json: '"指令"', sources }], user);
    const statement = expect.stringMatching(/^\["statement","[0-9a-f]{64}"\]$/);
    expect(text?.sources).toEqual(['["life","x"]', '["direct","x"]', statement]);
  });

  it('have a problem where they would be refused, and only there', () => {
    const good = { hash, json: '"指令"' };
    const direct = { kind: 'direct', source: 'form', id: '表', at: '2026-01-01T00:00:00.000Z' };
    const event = { kind: 'event', sessionId: 's', incarnation: 'x', seq: 1, eventId: 'e' };
    const large = JSON.stringify('x'.repeat(maxEventBytes - 1));
    const reference = 'must name an event with its incarnation, or what was given directly by its id and its time';
    const cases: readonly (readonly [given: unknown, problem: string | undefined])[] = [
      [good, undefined],
      [{ ...good, sources: [direct, event] }, undefined],
      [null, 'text must be an object with hash and json'],
      [{ ...good, json: '"' }, 'text.json must be JSON as text, without lone surrogates'],
      [{ ...good, json: '"\ud800"' }, 'text.json must be JSON as text, without lone surrogates'],
      [{ ...good, hash: sha256('') }, 'text.hash must be the SHA-256 of json, in lower-case hex'],
      [
        { hash: sha256(large), json: large },
        `text.json takes ${maxEventBytes + 1} bytes, the limit is ${maxEventBytes}`,
      ],
      [{ ...good, sources: {} }, 'text.sources must be a list of references'],
      [
        { ...good, sources: [direct, { kind: 'url', url: 'https://example.com/手册' }] },
        `text.sources[1] ${reference}`,
      ],
      [{ ...good, sources: [{ ...event, incarnation: undefined }] }, `text.sources[0] ${reference}`],
      [{ ...good, sources: [{ ...direct, id: undefined }] }, `text.sources[0] ${reference}`],
      [{ ...good, sources: [{ ...direct, at: 1n }] }, `text.sources[0] ${reference}`],
    ];
    for (const [given, problem] of cases) {
      // Callers without types may hand over anything.
      const text = given as Parameters<typeof textProblem>[0];
      expect(textProblem(text)).toBe(problem);
      if (problem === undefined) expect(parseTexts([text], user)).toHaveLength(1);
      else expect(() => parseTexts([text], user)).toThrow(`options.texts[0]${problem.slice('text'.length)}.`);
    }
  });
});
