import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { maxEventBytes, type RequestJournal } from '../events/index.ts';
import { sha256 } from '../internal/index.ts';
import { isTextName, parseTexts, refuseUnnamed, textNamesOf } from './request-texts.ts';

const hash = sha256('"指令"');

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
    expect(parseTexts(textOf(maxEventBytes))).toHaveLength(1);
    expect(() => parseTexts(textOf(maxEventBytes + 1))).toThrow(
      `options.texts[0].json takes ${maxEventBytes + 1} bytes, the limit is ${maxEventBytes}.`,
    );
  });

  it('must each be named by a journal beside them, and are told by their place', () => {
    const texts = parseTexts([
      { hash, json: '"指令"' },
      { hash: sha256('2'), json: '2' },
    ]);
    expect(() => refuseUnnamed(texts, [journal([{ hash }]), {}])).toThrow('options.texts[1].hash');
    expect(() => refuseUnnamed(texts, [journal([{ hash }]), journal([{ hash: sha256('2') }])])).not.toThrow();
  });

  it('name what they quote unambiguously, each once', () => {
    const at = '2026-01-01T00:00:00.000Z';
    const life = { kind: 'event', sessionId: 's', incarnation: 'x', eventId: 'e' } as const;
    const [text] = parseTexts([
      {
        hash,
        json: '"指令"',
        sources: [
          { ...life, seq: 1 },
          { ...life, seq: 2 },
          { kind: 'direct', source: 'api', id: 'x', at },
          { kind: 'direct', source: 'form', id: 'x', at },
        ],
      },
    ]);
    expect(text?.sources).toEqual(['["life","x"]', '["direct","x"]']);
  });
});
