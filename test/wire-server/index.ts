/** A local server that speaks the wire formats of three model services, by a script. */
export { cannedReply } from './canned-reply.ts';
export type { Hang, Refusal, Reply, ScriptedCall, ScriptedReply, ScriptedUsage, Turn } from './reply-script.ts';
export { type RecordedRequest, startWireServer, type WireServer, type WireServerOptions } from './start-wire-server.ts';
export type { JsonObject, WireName } from './wire.ts';
