import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Content } from '../../events/index.ts';
import { type FoldedRequest, SettledFold } from './settled-fold.ts';

/** Names of the contents met, in order. */
class Names {
  readonly all: string[];

  constructor(all: readonly string[] = []) {
    this.all = [...all];
  }

  copy(): Names {
    return new Names(this.all);
  }
}

const said = ['甲', 'b', 'c', 'd'].map((text): Content => ({ role: 'user', parts: [{ text }] }));
const again = ({ role, parts }: Content): Content => ({ role, parts: [...parts] });
const nameOf = ({ parts }: Content) => parts.map(({ text }) => text).join();

function requestOf(
  contents: readonly Content[],
  settled: number,
  key: readonly unknown[] = [],
): FoldedRequest<Names> & { readonly folded: string[] } {
  const folded: string[] = [];
  return {
    contents,
    settled,
    key,
    folded,
    empty: () => new Names(),
    add: (state, content) => {
      folded.push(nameOf(content));
      state.all.push(nameOf(content));
    },
  };
}

describe('SettledFold', () => {
  it('folds again only what a request does not share with the one before', () => {
    const [a, b, c, d] = said as [Content, Content, Content, Content];
    const fold = new SettledFold<Names>();
    fold.fold(requestOf([a, b, c], 2));
    const grown = requestOf([again(a), b, d, c], 3);
    expect(fold.fold(grown).all).toEqual(['甲', 'b', 'd', 'c']);
    expect(grown.folded).toEqual(['d', 'c']);
    const same = requestOf([a, b, d, a], 3);
    expect(fold.fold(same).all).toEqual(['甲', 'b', 'd', '甲']);
    expect(same.folded).toEqual(['甲']);
  });

  it('takes nothing over where what it depends on is different', () => {
    const fold = new SettledFold<Names>();
    fold.fold(requestOf(said, 3, [1]));
    for (const key of [[2], [], [1, 1]]) {
      const request = requestOf(said, 3, key);
      fold.fold(request);
      expect(request.folded).toHaveLength(4);
    }
  });

  it('gives what a fold over all contents gives', () => {
    const contents = fc.array(
      fc.constantFrom(...said).chain((content) => fc.constantFrom(content, again(content))),
      { maxLength: 8 },
    );
    const request = fc.record({ contents, settled: fc.nat(8), key: fc.array(fc.nat(1), { maxLength: 1 }) });
    fc.assert(
      fc.property(fc.array(request, { maxLength: 8 }), (requests) => {
        const fold = new SettledFold<Names>();
        for (const { contents: given, settled, key } of requests) {
          const asked = requestOf(given, Math.max(0, Math.min(settled, given.length - 1)), key);
          expect(fold.fold(asked).all).toEqual(given.map(nameOf));
        }
      }),
    );
  });
});
