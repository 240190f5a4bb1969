import { isPalimpsestError, PalimpsestError } from '../errors/index.ts';
import type { Logger } from '../models/index.ts';
import { defaultLeaseSeconds, type Lease, type SessionService } from '../sessions/index.ts';

const renewalMs = (defaultLeaseSeconds * 1000) / 3;

/** What a held lease works with. */
export interface LeaseParts {
  readonly sessions: SessionService;
  readonly logger: Logger;
}

/** A run lease that is renewed until it is given back, and a signal that tells when the work is to stop. */
export class HeldLease {
  readonly lease: Lease;
  readonly #parts: LeaseParts;
  readonly #controller = new AbortController();
  readonly #timer: NodeJS.Timeout;
  readonly #caller: AbortSignal | undefined;
  readonly #onCallerAbort = (): void => this.#controller.abort(this.#caller?.reason);
  #isReleased = false;
  #releasing: Promise<void> | undefined;

  /** `caller`: aborts the signal as well. */
  constructor(parts: LeaseParts, lease: Lease, caller?: AbortSignal) {
    this.lease = lease;
    this.#parts = parts;
    this.#caller = caller;
    this.#timer = setInterval(() => void this.#renew(), renewalMs).unref();
    if (caller?.aborted) this.#onCallerAbort();
    else caller?.addEventListener('abort', this.#onCallerAbort, { once: true });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Aborts the signal with LEASE_LOST if that, or that the session is gone, is what an error says. */
  noteLoss(error: unknown): void {
    const isLost = isPalimpsestError(error, 'LEASE_LOST') || isPalimpsestError(error, 'SESSION_NOT_FOUND');
    if (!isLost || this.#isReleased) return;
    clearInterval(this.#timer);
    const { sessionId } = this.lease.key;
    this.#controller.abort(new PalimpsestError('LEASE_LOST', { sessionId }, { cause: error }));
  }

  /** Gives the lease back, once. Never throws: one that cannot be given back runs out. */
  release(): Promise<void> {
    this.#releasing ??= this.#release();
    return this.#releasing;
  }

  async #release(): Promise<void> {
    this.#isReleased = true;
    clearInterval(this.#timer);
    this.#caller?.removeEventListener('abort', this.#onCallerAbort);
    try {
      await this.#parts.sessions.releaseLease(this.lease);
    } catch (error) {
      this.#warn('A session could not be given back; it is free when its lease runs out.', error);
    }
  }

  async #renew(): Promise<void> {
    try {
      await this.#parts.sessions.renewLease(this.lease);
    } catch (error) {
      this.noteLoss(error);
      if (!this.#isReleased) this.#warn('The lease of a session could not be renewed.', error);
    }
  }

  #warn(message: string, error: unknown): void {
    this.#parts.logger.warn(message, { sessionId: this.lease.key.sessionId, error: String(error) });
  }
}
