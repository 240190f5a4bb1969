import { tellEvent } from '../../context/compaction/index.ts';
import type { Event } from '../../events/index.ts';

/** What an event says, as one text: words, calls and results, without thoughts. */
export function toldText(event: Event): string {
  return tellEvent(event)
    .filter(({ kind }) => kind !== 'thought')
    .map(({ text }) => text)
    .join('\n');
}
