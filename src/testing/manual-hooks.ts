import type { BeforeAppend, BeforeErase } from '../index.ts';

/** Hooks that do nothing until a check says what they do; a service is opened with `beforeAppend` and `beforeErase`. */
export class ManualHooks {
  /** What happens to an event on its way into the log. */
  onAppend: BeforeAppend = (input) => input;
  /** What happens when events are about to go, or have gone. */
  onErase: BeforeErase = async () => 0;

  readonly beforeAppend: BeforeAppend = (input, key) => this.onAppend(input, key);
  readonly beforeErase: BeforeErase = (session, seqs) => this.onErase(session, seqs);
}
