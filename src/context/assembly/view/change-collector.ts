import type { Event } from '../../../events/index.ts';
import { placeOf } from '../place-order.ts';
import { type Stage, stages } from './held-log.ts';

/** Gathers which events stand anew or no longer, and between which places. */
export class ChangeCollector {
  from = Number.POSITIVE_INFINITY;
  to = Number.NEGATIVE_INFINITY;
  readonly added: Event[] = [];

  get isEmpty(): boolean {
    return this.from > this.to;
  }

  /** How far an event got before, and now. */
  note(event: Event, before: Stage, now: Stage): void {
    if ((before === stages.window) === (now === stages.window)) return;
    if (now === stages.window) this.added.push(event);
    this.reach(placeOf(event), placeOf(event));
  }

  /** Between these places something may be laid out otherwise. */
  reach(from: number, to: number): void {
    this.from = Math.min(this.from, from);
    this.to = Math.max(this.to, to);
  }
}
