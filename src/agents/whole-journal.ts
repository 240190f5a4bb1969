import { type Event, isPlainObject, type RequestJournal, type View } from '../events/index.ts';

const providers: readonly unknown[] = ['gemini', 'anthropic', 'openai'] satisfies View['provider'][];
const kinds: readonly unknown[] = ['instruction', 'example', 'profile', 'document', 'memory', 'state', 'tools'];
const sha256Hex = /^[0-9a-f]{64}$/;

/**
 * The journal of the request that an event answers, if all is there that a request is rebuilt from. Events may come from
 * anywhere, and so may what they say of their requests.
 */
export function wholeJournal({ seq, request }: Pick<Event, 'seq' | 'request'>): RequestJournal | undefined {
  const journal: unknown = request;
  return isWhole(journal) && journal.throughSeq < seq ? journal : undefined;
}

function isWhole(journal: unknown): journal is RequestJournal {
  return (
    isPlainObject(journal) &&
    isCount(journal.throughSeq) &&
    isView(journal.view) &&
    areTexts([journal.model, journal.configHash, journal.requestHash, journal.prefixFingerprint]) &&
    isCount(journal.rules) &&
    Array.isArray(journal.blocks) &&
    journal.blocks.every(isBlock) &&
    Array.isArray(journal.breaks)
  );
}

function isBlock(block: unknown): boolean {
  if (!isPlainObject(block)) return false;
  const { hash, kind, stable, source } = block;
  const isNamed = typeof hash === 'string' && sha256Hex.test(hash) && kinds.includes(kind);
  return isNamed && typeof stable === 'boolean' && (source === undefined || isSource(source));
}

function isSource(source: unknown): boolean {
  return Array.isArray(source) && source.every((one) => isPlainObject(one) && typeof one.kind === 'string');
}

function isView(view: unknown): view is View {
  if (!isPlainObject(view)) return false;
  const { agentName, branch = '', isolationScope = '', history, provider } = view;
  return areTexts([agentName, branch, isolationScope]) && isHistory(history) && providers.includes(provider);
}

function isHistory(history: unknown): boolean {
  if (history === 'full' || history === 'invocation') return true;
  const window = isPlainObject(history) ? history.window : undefined;
  return isPlainObject(window) && [window.invocations ?? 0, window.tokens ?? 0].every(isCount);
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

function areTexts(values: readonly unknown[]): boolean {
  return values.every((value) => typeof value === 'string');
}
