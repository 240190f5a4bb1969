import type { Instant } from './instant.ts';

/** Where something came from: an event of one life of a session, or a direct statement. */
export type ProvenanceRef =
  | {
      readonly kind: 'event';
      readonly sessionId: string;
      /** A session deleted and created anew under the same id has another incarnation. */
      readonly incarnation: string;
      readonly seq: number;
      readonly eventId: string;
    }
  | { readonly kind: 'direct'; readonly source: string; readonly id: string; readonly at: Instant };
