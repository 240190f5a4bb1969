/** How things look in a terminal: widths, tables, and events in words. */
export { bytesText, contentText, eventText, rangesText } from './event-text.ts';
export { type Cell, tableLines } from './table.ts';
export { fitWidth, oneLine, printable, textWidth, wrapWidth } from './text-width.ts';
export { countText, timeText } from './time-text.ts';
