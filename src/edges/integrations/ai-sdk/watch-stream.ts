import { PalimpsestError, PieceReader, ReplyCollector } from '../../../index.ts';
import type { AnswerKeeper } from './remembered-call.ts';
import { streamPartAsV3 } from './specification.ts';

/** Whose answer is watched. */
export interface WatchedCall {
  readonly call: AnswerKeeper;
  /** The model's name, for failures. */
  readonly model: string;
  readonly signal: AbortSignal | undefined;
}

/**
 * Passes an answer on part by part, unchanged and as it comes, and stores it: before its finish is passed on, so that
 * whoever has read to the end finds it in the log; before an error that cuts it is; and when its reader goes away. The
 * source is read whether anybody takes the parts or not: an answer that nobody reads would hold its session for good.
 */
export function watchStream<Part>(source: ReadableStream<Part>, watched: WatchedCall): ReadableStream<Part> {
  const { signal } = watched;
  const reader = source.getReader();
  const answer = new WatchedAnswer(watched);
  const letGo = (reason: unknown) => void reader.cancel(reason).catch(() => undefined);
  const stop = () => letGo(signal?.reason);
  let isOpen = true;

  async function pump(controller: ReadableStreamDefaultController<Part>): Promise<void> {
    signal?.addEventListener('abort', stop, { once: true });
    if (signal?.aborted) stop();
    try {
      for (let next = await reader.read(); !next.done; next = await reader.read()) {
        await answer.add(next.value);
        if (isOpen) controller.enqueue(next.value);
      }
      signal?.throwIfAborted();
      await answer.end();
      if (isOpen) controller.close();
    } catch (error) {
      const failure = await answer.fail(error).then(
        () => error,
        (storing: unknown) => storing,
      );
      letGo(failure);
      if (isOpen) controller.error(failure);
    } finally {
      isOpen = false;
      signal?.removeEventListener('abort', stop);
    }
  }

  return new ReadableStream<Part>({
    start: (controller) => void pump(controller),
    cancel: async (reason) => {
      isOpen = false;
      letGo(reason);
      await answer.fail(new PalimpsestError('ABORTED', { what: 'Reading the answer' }, { cause: reason }));
    },
  });
}

/** An answer that is put together while it passes by. */
class WatchedAnswer {
  readonly #call: AnswerKeeper;
  readonly #model: string;
  readonly #reader: PieceReader;
  readonly #reply = new ReplyCollector();

  constructor({ call, model }: WatchedCall) {
    this.#call = call;
    this.#model = model;
    this.#reader = new PieceReader(model);
  }

  async add(part: unknown): Promise<void> {
    if (this.#call.isKept) return;
    const read = streamPartAsV3(part);
    let failure: unknown;
    try {
      for (const piece of this.#reader.read(read)) this.#reply.add(piece);
    } catch (error) {
      failure = error;
    }
    if (failure !== undefined) await this.fail(failure);
    else if (this.#reply.isWhole) await this.#call.keep(this.#reply);
    else if (read.type === 'finish') await this.end();
  }

  /** No more will come. */
  async end(): Promise<void> {
    if (this.#call.isKept) return;
    const reason = 'its answer was cut: the stream ended before the model had finished';
    await this.fail(new PalimpsestError('MODEL_FAILED', { model: this.#model, reason, attempts: 1 }));
  }

  async fail(error: unknown): Promise<void> {
    if (this.#call.isKept) return;
    for (const piece of this.#reader.rest()) this.#reply.add(piece);
    await this.#call.keepFailure(error, this.#reply);
  }
}
