import { PalimpsestError } from '../errors/index.ts';
import { copyJsonMap, isPlainObject, parseId, parseScope } from '../events/index.ts';
import { decodeCursor } from '../internal/index.ts';
import type { DeadLetterOptions, NewJob } from './job-runner.ts';
import type { DeadLetterQuery, JobFilter, JobRow, JobScope } from './job-store.ts';

/** Of JSON. */
const maxPayloadBytes = 65_536;

const defaultPage = 50;
const largestPage = 1_000;

/** Checks a job and copies it, deep-frozen. Throws INVALID_ARGUMENT, INVALID_ID or NOT_JSON, naming the field. */
export function readJob(job: NewJob): Omit<JobRow, 'id' | 'enqueuedAt'> {
  const { queue, scope, payload = {}, dedupeId } = requireObject(job, 'job');
  return {
    queue: parseId(queue, 'queue'),
    scope: readJobScope(scope),
    payload: readPayload(payload),
    ...(dedupeId === undefined ? {} : { dedupeId: parseId(dedupeId, 'dedupeId') }),
  };
}

/** Checks whose jobs are meant. Throws INVALID_ARGUMENT or INVALID_ID. */
export function readJobScope(scope: JobScope): JobScope {
  const read = parseScope(scope);
  if ('shared' in read) throw bad('scope.shared', 'is not possible for jobs; name a userId');
  return read;
}

/** Checks which scopes are meant. Throws INVALID_ARGUMENT or INVALID_ID. */
export function readFilter(filter: JobFilter): JobFilter {
  const { appName, userId, projectId, sessionId } = requireObject(filter, 'filter');
  return {
    appName: parseId(appName, 'appName'),
    ...(userId === undefined ? {} : { userId: parseId(userId, 'userId') }),
    ...(projectId === undefined ? {} : { projectId: parseId(projectId, 'projectId') }),
    ...(sessionId === undefined ? {} : { sessionId: parseId(sessionId, 'sessionId') }),
  };
}

/** Checks which dead letters are wanted. Throws INVALID_ARGUMENT or INVALID_ID. */
export function readDeadLetterOptions(options: DeadLetterOptions): DeadLetterQuery {
  const filter = readFilter(options);
  const { queue, limit = defaultPage, cursor } = options;
  if (!(Number.isSafeInteger(limit) && limit >= 1 && limit <= largestPage)) {
    throw bad('limit', `must be a whole number from 1 to ${largestPage}`);
  }
  return {
    filter,
    limit,
    ...(queue === undefined ? {} : { queue: parseId(queue, 'queue') }),
    ...(cursor === undefined ? {} : { before: readCursor(cursor) }),
  };
}

/** The error for an argument that is not as it must be. */
export function bad(argument: string, reason: string): PalimpsestError {
  return new PalimpsestError('INVALID_ARGUMENT', { argument, reason });
}

function readPayload(payload: unknown): JobRow['payload'] {
  const copy = copyJsonMap(payload, 'payload', { replacedSurrogates: 0, size: 0 });
  const bytes = Buffer.byteLength(JSON.stringify(copy));
  if (bytes <= maxPayloadBytes) return copy;
  throw bad(
    'payload',
    `takes ${bytes} bytes of JSON, the limit is ${maxPayloadBytes}; store what is large and name it in the payload`,
  );
}

function requireObject<T extends object>(value: T, argument: string): T {
  if (isPlainObject(value)) return value;
  throw bad(argument, 'must be an object');
}

function readCursor(cursor: string): number {
  const [place, more] = (typeof cursor === 'string' ? decodeCursor(cursor) : undefined) ?? [];
  if (typeof place !== 'number' || more !== undefined) throw bad('cursor', 'is none that deadLetters returned');
  return place;
}
