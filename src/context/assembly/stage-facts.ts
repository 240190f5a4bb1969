import type { Coverage, View } from '../../events/index.ts';
import type { CallLinks } from './call-ledger.ts';
import type { PlacementTable } from './placement-table.ts';
import type { ProviderRules } from './provider-rules.ts';

/** What the stages behind visibility share. */
export interface StageFacts {
  readonly view: View;
  readonly rules: ProviderRules;
  readonly coverage: Coverage;
  readonly links: CallLinks;
  /** Seqs that neither masking nor the window may take away: pins, what answers pinned calls, the live question. */
  readonly kept: Pick<ReadonlySet<number>, 'has'>;
  readonly placements: PlacementTable;
  /** True if a visible event does not stand here: masking or the window took it away, and no response brought it back. */
  readonly isSetAside: (seq: number) => boolean;
}
