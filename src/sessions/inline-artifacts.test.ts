import { describe, expect, it } from 'vitest';
import { type PartInput, prepareEvent } from '../events/index.ts';
import { extractInlineData, maxInlineBytes } from './inline-artifacts.ts';

const key = { appName: 'a', userId: 'u', sessionId: 's' };
const media = (length: number, fill = 1): PartInput => ({
  inlineData: { mimeType: 'image/png', data: new Uint8Array(length).fill(fill), displayName: '图.png' },
});
const extract = (...parts: PartInput[]) =>
  extractInlineData(prepareEvent({ author: 'user', content: { parts } }, 'event').draft, key);

describe('extractInlineData', () => {
  it.each([0, 1, maxInlineBytes - 1, maxInlineBytes])('leaves %i bytes where they are', (length) => {
    const { draft, artifacts, saved } = extract({ text: 'look' }, media(length));
    expect(artifacts).toEqual([]);
    expect(saved).toBe(0);
    expect(draft.content?.parts[1]?.inlineData).toBeDefined();
  });

  it.each([1, 2, 3])('moves %i bytes more than the limit out, whole, and keeps what stands around them', (more) => {
    const { draft, artifacts, saved } = extract({ text: 'look' }, media(maxInlineBytes + more));
    const [artifact] = artifacts;
    expect(artifact?.bytes).toHaveLength(maxInlineBytes + more);
    expect(artifact?.bytes.every((byte) => byte === 1)).toBe(true);
    expect(artifact).toMatchObject({ scope: key, version: 0, mimeType: 'image/png', contentAddressed: true });
    const fileData = { fileUri: `artifact:${artifact?.name}`, mimeType: 'image/png', displayName: '图.png' };
    expect(draft.content?.parts).toEqual([{ text: 'look' }, { fileData }]);
    expect(saved).toBeGreaterThan(maxInlineBytes);
    expect(Object.isFrozen(draft.content?.parts)).toBe(true);
  });

  it('saves equal bytes once and under the same name each time', () => {
    const { artifacts, draft } = extract(media(70_000), media(70_000), media(70_000, 2));
    expect(artifacts).toHaveLength(2);
    const uris = draft.content?.parts.map(({ fileData }) => fileData?.fileUri);
    expect(uris?.[0]).toBe(uris?.[1]);
    expect(uris?.[0]).not.toBe(uris?.[2]);
    expect(extract(media(70_000)).artifacts[0]?.name).toBe(artifacts[0]?.name);
  });
});
