import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hiddenFrom, isSameOrAbove } from './branch.ts';

const never = () => false;
const always = () => true;
const branch = fc.array(fc.constantFrom('a', 'ab', 'agent_1', 'agent_10', '智能体'), { minLength: 1, maxLength: 4 });

describe('isSameOrAbove', () => {
  it('compares segment by segment', () => {
    fc.assert(
      fc.property(branch, branch, (upper, lower) => {
        const expected = upper.every((segment, index) => segment === lower[index]);
        expect(isSameOrAbove(upper.join('.'), lower.join('.'))).toBe(expected);
      }),
    );
  });

  it('does not take agent_1 for an ancestor of agent_10', () => {
    expect(isSameOrAbove('agent_1', 'agent_10')).toBe(false);
    expect(isSameOrAbove('agent_1', 'agent_1.agent_10')).toBe(true);
  });
});

describe('hiddenFrom', () => {
  it('shows everything to a reader without a branch', () => {
    expect(hiddenFrom({ branch: 'a.b' }, {}, never)).toBeUndefined();
  });

  it('shows a branch its ancestors, itself and what has none', () => {
    for (const seen of [undefined, 'a', 'a.b']) {
      const event = seen === undefined ? {} : { branch: seen };
      expect(hiddenFrom(event, { branch: 'a.b' }, never)).toBeUndefined();
    }
    for (const unseen of ['a.bc', 'a.c', 'b', 'agent_10']) {
      expect(hiddenFrom({ branch: unseen }, { branch: 'a.b' }, always)).toBe('branch');
    }
  });

  it('shows what is below only once its agent has ended', () => {
    expect(hiddenFrom({ branch: 'a.b.c' }, { branch: 'a.b' }, never)).toBe('branch');
    expect(hiddenFrom({ branch: 'a.b.c' }, { branch: 'a.b' }, (ended) => ended === 'a.b.c')).toBeUndefined();
  });

  it('seals isolation scopes both ways, before branches are looked at', () => {
    expect(hiddenFrom({ isolationScope: 's' }, {}, always)).toBe('scope');
    expect(hiddenFrom({}, { isolationScope: 's' }, always)).toBe('scope');
    expect(hiddenFrom({ isolationScope: 's', branch: 'x' }, { isolationScope: 't', branch: 'a' }, always)).toBe(
      'scope',
    );
    expect(hiddenFrom({ isolationScope: 's' }, { isolationScope: 's' }, never)).toBeUndefined();
  });
});
