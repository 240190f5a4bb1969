/** How things look in a terminal: widths, tables, and events in words. */
export { bytesText, contentText, eventText, rangesText } from './event-text.ts';
export { oneLine, printable, printableJson, printableWithColours } from './printable.ts';
export { shellCommand } from './shell-command.ts';
export { StreamedText } from './streamed-text.ts';
export { type Cell, tableLines } from './table.ts';
export { fitWidth, textWidth } from './text-width.ts';
export { countText, timeText } from './time-text.ts';
export { wrapHanging, wrapWidth } from './wrap-width.ts';
