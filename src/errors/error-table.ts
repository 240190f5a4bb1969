/** What each error carries. Adding a line here is a public change; docs/reference/errors.md has a section per code. */
export interface ErrorDetails {
  INVALID_ARGUMENT: { argument: string; reason: string };
  INVALID_ID: { field: string; reason: string };
  INVALID_EVENT: { field: string; reason: string };
  NOT_JSON: { path: string; reason: string };
  EVENT_TOO_LARGE: { field: string; bytes: number; limit: number };
  EVENT_ID_REUSED: { sessionId: string; eventId: string; reason: string };
  INVALID_COMPACTION: { reason: string; seq?: number; by?: number };
  INVALID_REWIND: { invocationId: string; reason: string };
  INVALID_PIN: { seq: number; reason: string };
  APPEND_CONFLICT: { sessionId: string; expected: number; actual: number };
  SESSION_EXISTS: { sessionId: string };
  SESSION_NOT_FOUND: { sessionId: string };
  SESSION_BUSY: { sessionId: string; freeAt: string };
  LEASE_LOST: { sessionId: string };
  MODEL_FAILED: {
    model: string;
    reason: string;
    status?: number;
    attempts: number;
    retryAfterMs?: number;
    /** The request is longer than what the model takes; the same one is refused again. */
    contextTooLong?: true;
    /** What it takes of a prompt, where its provider says that. */
    maximumTokens?: number;
  };
  STEP_LIMIT: { sessionId: string; limit: number };
  FORK_REFUSED: { sessionId: string; openCalls: readonly string[] };
  MEMORY_NOT_FOUND: { id: string };
  MEMORY_ID_REUSED: { id: string };
  WATERMARK_MOVED: { sessionId: string; expected: number; actual: number };
  NOT_SUPPORTED: { capability: string; instead: string };
  MISSING_PACKAGE: { package: string; install: string };
  FILE_NOT_FOUND: { file: string };
  FILE_EXISTS: { file: string };
  NOT_A_STORE: { file: string; reason: string };
  SCHEMA_NEWER: { file: string; found: number; supported: number };
  STORE_BUSY: { file: string; waitedMs: number };
  STORE_FULL: { file: string };
  STORE_CORRUPT: { file: string; reason: string };
  STORE_FAILED: { file: string; reason: string };
  INVALID_IMPORT: { file: string; line?: number; field: string; reason: string };
  IMPORT_DIVERGED: { sessionId: string; seq: number; reason: string };
  CLOSED: { what: string };
  ABORTED: { what: string };
}

/** The name of a failure. */
export type ErrorCode = keyof ErrorDetails;

/** How a code behaves: whether the same call may simply be made again, its HTTP status, what to tell a person. */
export interface ErrorTraits<C extends ErrorCode> {
  readonly retryable: boolean;
  readonly status: number;
  readonly message: (details: ErrorDetails[C]) => string;
}

/** The one table from which the server, the client, MCP and the command line translate. */
export const errorTable: { readonly [C in ErrorCode]: ErrorTraits<C> } = {
  INVALID_ARGUMENT: row(400, (d) => `${d.argument} ${d.reason}.`),
  INVALID_ID: row(400, (d) => `${d.field} ${d.reason}. Ids are 1 to 256 code points, NFC, without control characters.`),
  INVALID_EVENT: row(400, (d) => `${d.field} ${d.reason}.`),
  NOT_JSON: row(400, (d) => `${d.path} ${d.reason}. Only JSON values can be stored.`),
  EVENT_TOO_LARGE: row(
    413,
    (d) =>
      `${d.field} takes ${d.bytes} bytes of JSON, the limit is ${d.limit}. Store large payloads as artifacts and refer to them by fileData.`,
  ),
  EVENT_ID_REUSED: row(
    409,
    (d) => `Event id ${quote(d.eventId)} of session ${quote(d.sessionId)} ${d.reason}. Give a new event a new id.`,
  ),
  INVALID_COMPACTION: row(400, (d) => `The compaction ${d.reason}.`),
  INVALID_REWIND: row(400, (d) => `Cannot rewind before invocation ${quote(d.invocationId)}: ${d.reason}.`),
  INVALID_PIN: row(400, (d) => `Event ${d.seq} ${d.reason}.`),
  APPEND_CONFLICT: retry(
    409,
    (d) =>
      `Session ${quote(d.sessionId)} is at version ${d.actual}, not ${d.expected}. Read what was appended since, then append again.`,
  ),
  SESSION_EXISTS: row(409, (d) => `Session ${quote(d.sessionId)} exists already. Open it, or choose another id.`),
  SESSION_NOT_FOUND: row(404, (d) => `There is no session ${quote(d.sessionId)}. Create it first.`),
  SESSION_BUSY: retry(
    423,
    (d) =>
      `Another run holds session ${quote(d.sessionId)}. Wait for it (onBusy: 'queue'), or try again after ${d.freeAt}, when its lease ends unless renewed.`,
  ),
  LEASE_LOST: row(
    409,
    (d) => `The run no longer holds session ${quote(d.sessionId)}. Acquire the lease again and reload.`,
  ),
  MODEL_FAILED: retry(
    502,
    (d) =>
      `Model ${quote(d.model)} failed after ${d.attempts === 1 ? '1 attempt' : `${d.attempts} attempts`}${d.status === undefined ? '' : ` (HTTP ${d.status})`}: ${d.reason}.`,
  ),
  STEP_LIMIT: row(
    508,
    (d) =>
      `The run in session ${quote(d.sessionId)} made ${d.limit} model calls without an answer. Raise maxSteps, or see in the log what the model keeps calling.`,
  ),
  FORK_REFUSED: row(
    409,
    (d) =>
      `Session ${quote(d.sessionId)} cannot be forked here: calls ${d.openCalls.join(', ')} are unanswered. Fork at a later seq.`,
  ),
  MEMORY_NOT_FOUND: row(404, (d) => `There is no memory entry ${quote(d.id)} in this scope.`),
  MEMORY_ID_REUSED: row(
    409,
    (d) => `Memory id ${quote(d.id)} is stored with other content. Give a new memory a new id, or delete the old one.`,
  ),
  WATERMARK_MOVED: retry(
    409,
    (d) =>
      `Session ${quote(d.sessionId)} is ingested up to ${d.actual}, not ${d.expected}. Read the watermark and go on from there.`,
  ),
  NOT_SUPPORTED: row(501, (d) => `${d.capability} is not supported here. ${d.instead}`),
  MISSING_PACKAGE: row(501, (d) => `The package ${d.package} is not installed. Install it with: '${d.install}'.`),
  FILE_NOT_FOUND: row(404, (d) => `There is no file ${quote(d.file)}. Check the path.`),
  FILE_EXISTS: row(409, (d) => `${quote(d.file)} exists already. Choose another name, or remove it first.`),
  NOT_A_STORE: row(400, (d) => `${quote(d.file)} ${d.reason}. Give a file that palimpsest made, or a new name.`),
  SCHEMA_NEWER: row(
    409,
    (d) =>
      `${quote(d.file)} has schema version ${d.found}, this release reads up to ${d.supported}. Update the palimpsest package.`,
  ),
  STORE_BUSY: retry(
    503,
    (d) => `${quote(d.file)} stayed locked for ${d.waitedMs} ms. Another process is writing; try again.`,
  ),
  STORE_FULL: row(
    507,
    (d) => `No space is left for ${quote(d.file)}. Free some, then try again; nothing was half-written.`,
  ),
  STORE_CORRUPT: row(
    500,
    (d) => `${quote(d.file)} is damaged: ${d.reason}. Restore a backup; 'palimpsest doctor' shows what can be read.`,
  ),
  STORE_FAILED: row(500, (d) => `${quote(d.file)} failed: ${d.reason}.`),
  INVALID_IMPORT: row(400, (d) => `${d.file}${d.line === undefined ? '' : `:${d.line}`}: ${d.field} ${d.reason}.`),
  IMPORT_DIVERGED: row(
    409,
    (d) =>
      `Session ${quote(d.sessionId)} cannot follow its source: event ${d.seq} ${d.reason}. Nothing was changed; import it under another session id, or erase the session first.`,
  ),
  CLOSED: row(409, (d) => `${d.what} is closed.`),
  ABORTED: row(499, (d) => `${d.what} was stopped before it finished.`),
};

function row<C extends ErrorCode>(status: number, message: (details: ErrorDetails[C]) => string): ErrorTraits<C> {
  return { retryable: false, status, message };
}

function retry<C extends ErrorCode>(status: number, message: (details: ErrorDetails[C]) => string): ErrorTraits<C> {
  return { retryable: true, status, message };
}

function quote(text: string): string {
  return JSON.stringify(text);
}
