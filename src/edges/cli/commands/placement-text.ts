import type { Placement } from '../../../context/assembly/index.ts';
import type { Cell } from '../display/index.ts';
import type { Paint } from '../terminal.ts';

const whyHidden: Readonly<Record<Extract<Placement, { outcome: 'hidden' }>['why'], string>> = {
  rewound: 'rewound',
  branch: 'branch',
  scope: 'scope',
  empty: 'empty',
  auth: 'auth',
  window: 'window',
  bookkeeping: 'bookkeeping',
  orphanCall: 'no answer',
  orphanResponse: 'no call',
};

/** What became of an event in a request, in words. */
export function placementText(placement: Placement): string {
  switch (placement.outcome) {
    case 'merged':
      return `merged into ${placement.into}`;
    case 'masked':
      return `in summary ${placement.by}`;
    case 'hidden':
      return `hidden: ${whyHidden[placement.why]}`;
    default:
      return placement.outcome;
  }
}

const colours = {
  verbatim: 'green',
  narrated: 'cyan',
  summary: 'magenta',
  trimmed: 'yellow',
  merged: 'green',
  masked: 'dim',
  hidden: 'dim',
} as const satisfies Readonly<Record<Placement['outcome'], keyof Paint>>;

/** The same with its colour. */
export function placementCell(placement: Placement, paint: Paint): Required<Cell> {
  return { text: placementText(placement), paint: paint[colours[placement.outcome]] };
}
