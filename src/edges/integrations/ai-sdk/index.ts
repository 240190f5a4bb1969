/**
 * The AI SDK: palimpsestMiddleware() gives a wrapped model the memory of a session; memoryTools() lets it look things up;
 * toUiMessages() shows a log with useChat.
 */
export type { CallParams } from './call-params.ts';
export { type MemoryTools, type MemoryToolsOptions, memoryTools } from './memory-tools.ts';
export type { MiddlewareOptions, PalimpsestMiddlewareOptions } from './middleware-options.ts';
export { type PalimpsestMiddleware, palimpsestMiddleware } from './palimpsest-middleware.ts';
export { type EventMetadata, toUiMessages } from './to-ui-messages.ts';
