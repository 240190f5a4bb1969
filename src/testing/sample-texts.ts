import type { AppendOptions, EventInput, ProvenanceRef } from '../index.ts';
import { answers } from './sample-events.ts';

/** A text of a request, as an append takes it. */
export type SampleText = NonNullable<AppendOptions['texts']>[number];

/** A text of a request, and what it quotes. */
export async function requestText(text: string, ...sources: readonly ProvenanceRef[]): Promise<SampleText> {
  const json = JSON.stringify({ parts: [{ text }], role: 'user' });
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(json)));
  const hash = Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return sources.length === 0 ? { hash, json } : { hash, json, sources };
}

/** The answer to a request that these texts are blocks of. */
export function answersRequest(texts: readonly SampleText[], more: Partial<EventInput> = {}): EventInput {
  const request: EventInput['request'] = {
    throughSeq: 0,
    view: { agentName: 'assistant', history: 'full', provider: 'openai' },
    model: 'none',
    configHash: '',
    blocks: texts.map(({ hash }) => ({ hash, kind: 'memory', stable: false })),
    requestHash: '',
    rules: 1,
    prefixFingerprint: '',
    breaks: [],
  };
  return answers('答', { ...more, request });
}
