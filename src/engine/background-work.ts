/** Work that goes on after a call has returned; the first failure waits for whoever asks whether it is settled. */
export class BackgroundWork {
  readonly #running = new Set<Promise<void>>();
  readonly #onFailure: (error: unknown) => void;
  #failure: { readonly error: unknown } | undefined;

  constructor(onFailure: (error: unknown) => void) {
    this.#onFailure = onFailure;
  }

  start(work: () => Promise<unknown>): void {
    const running = work()
      .then(
        () => undefined,
        (error: unknown) => {
          this.#failure ??= { error };
          this.#onFailure(error);
        },
      )
      .catch((error: unknown) => {
        // The one who was told failed in turn. Nobody else waits for this promise, so it must not reject.
        this.#failure ??= { error };
      })
      .finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  /** Resolves when nothing is running any more; throws the first failure since it was last asked. */
  async settled(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
    const failure = this.#failure;
    this.#failure = undefined;
    if (failure !== undefined) throw failure.error;
  }
}
