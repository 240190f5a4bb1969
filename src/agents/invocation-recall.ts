import { isPalimpsestError, PalimpsestError } from '../errors/index.ts';
import { canonicalJson } from '../internal/index.ts';
import type { MemoryEntry, MemoryService } from '../memory/service/index.ts';
import { inChild, type Logger, type Span } from '../models/index.ts';
import type { Session } from '../sessions/index.ts';
import { type RecallAbout, recallMemories } from './recall-memories.ts';
import { nameOf, type RecentMap } from './recent-map.ts';
import { withinTime } from './tools/index.ts';

/** Longest wait for memory, in milliseconds: the answer comes first. */
const longestRecallMs = 5000;

/** What an invocation recalls with. */
export interface RecallParts {
  readonly memory: MemoryService;
  readonly logger: Logger;
  /** What was recalled for invocations, so that it stays the same from step to step. */
  readonly recalls: RecentMap<readonly MemoryEntry[]>;
  readonly session: Session;
  readonly invocationId: string;
  readonly span: Span;
  readonly signal: AbortSignal;
}

/**
 * Memories for one invocation: searched for once and kept, without those that have been forgotten since. A memory that
 * fails or hangs finds nothing; only a stop, and what is wrong with the recall itself, is thrown.
 */
export class InvocationRecall {
  readonly #parts: RecallParts;

  constructor(parts: RecallParts) {
    this.#parts = parts;
  }

  async about({ recall = true, ...about }: Omit<RecallAbout, 'signal'>): Promise<readonly MemoryEntry[]> {
    if (recall === false) return [];
    const { recalls, session, invocationId, signal } = this.#parts;
    const { appName, userId, sessionId } = session.key;
    const limits = recall === true ? '' : canonicalJson(recall);
    const name = nameOf(appName, userId, sessionId, session.incarnation, invocationId, limits);
    const known = recalls.get(name);
    const memories =
      known === undefined
        ? await this.#search({ ...about, recall, signal })
        : known.length === 0
          ? known
          : await this.#stillStanding(known);
    recalls.set(name, memories);
    return memories;
  }

  #search(about: RecallAbout): Promise<readonly MemoryEntry[]> {
    const { memory, session, span: parent } = this.#parts;
    const attributes = { 'gen_ai.conversation.id': session.key.sessionId };
    return this.#orNothing(() =>
      inChild(parent, 'palimpsest.recall', attributes, async (span) => {
        const found = await this.#inTime((signal) => recallMemories(memory, session, { ...about, signal }));
        span.set({ 'palimpsest.memories.count': found.length });
        return found;
      }),
    );
  }

  /** What of them memory has still, in its words of now. */
  #stillStanding(known: readonly MemoryEntry[]): Promise<readonly MemoryEntry[]> {
    const { memory, session } = this.#parts;
    const { appName, userId } = session.key;
    const scope = { appName, userId, ...(session.projectId === undefined ? {} : { projectId: session.projectId }) };
    return this.#orNothing(async () => {
      const now = await this.#inTime(() => Promise.all(known.map(({ id }) => memory.get(scope, id))));
      return known.flatMap((entry, at) => {
        const current = now[at];
        if (current === undefined) return [];
        if (current.revision === entry.revision) return entry;
        return entry.score === undefined ? current : { ...current, score: entry.score };
      });
    });
  }

  async #orNothing(work: () => Promise<readonly MemoryEntry[]>): Promise<readonly MemoryEntry[]> {
    const { logger, session, signal } = this.#parts;
    try {
      return await work();
    } catch (error) {
      if (signal.aborted || isWanted(error)) throw error;
      const { sessionId } = session.key;
      logger.warn('Memory could not be searched; the model is asked without.', { sessionId, error: String(error) });
      return [];
    }
  }

  async #inTime<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const { signal } = this.#parts;
    const ending = await withinTime(work, { what: 'The recall', timeoutMs: longestRecallMs, signal });
    switch (ending.by) {
      case 'value':
        return ending.value;
      case 'error':
        throw ending.error;
      case 'abort':
        throw new PalimpsestError('ABORTED', { what: 'The recall' }, { cause: signal.reason });
      case 'timeout':
        throw new DOMException(`Memory did not answer within ${longestRecallMs} ms.`, 'TimeoutError');
    }
  }
}

/** A failure that whoever asks for the request is to see. */
function isWanted(error: unknown): boolean {
  return (
    isPalimpsestError(error, 'ABORTED') ||
    isPalimpsestError(error, 'INVALID_ARGUMENT') ||
    isPalimpsestError(error, 'INVALID_ID')
  );
}
