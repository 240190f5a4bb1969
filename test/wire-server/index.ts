/** A local server that speaks the wire formats of three model services, by a script. */
export { cannedReply } from './canned-reply.ts';
export type { Reply, ScriptedCall, Turn } from './reply-script.ts';
export { type RecordedRequest, startWireServer, type WireServer } from './start-wire-server.ts';
export type { WireName } from './wire.ts';
