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

/** What became of an event in a request, in words and colour. */
export function placementCell(placement: Placement, paint: Paint): Required<Cell> {
  switch (placement.outcome) {
    case 'verbatim':
      return { text: 'verbatim', paint: paint.green };
    case 'narrated':
      return { text: 'narrated', paint: paint.cyan };
    case 'summary':
      return { text: 'summary', paint: paint.magenta };
    case 'trimmed':
      return { text: 'trimmed', paint: paint.yellow };
    case 'merged':
      return { text: `merged into ${placement.into}`, paint: paint.green };
    case 'masked':
      return { text: `in summary ${placement.by}`, paint: paint.dim };
    case 'hidden':
      return { text: `hidden: ${whyHidden[placement.why]}`, paint: paint.dim };
  }
}
