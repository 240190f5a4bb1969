import { PalimpsestError } from '../../errors/index.ts';
import { freezeParsed } from '../../events/index.ts';
import type { SessionHead } from '../../sessions/index.ts';
import type { Row } from './driver.ts';

/** The columns that a head is read from. */
export const headColumns = 'no, app, user, id, active, body';

type Body = Omit<SessionHead, 'key'>;
type Check = (value: unknown) => boolean;

const lastTime = 8.64e15;
const isText: Check = (value) => typeof value === 'string';
const isWhole: Check = Number.isSafeInteger;
const isTime: Check = (value) => typeof value === 'number' && Math.abs(value) <= lastTime;
const isFlag: Check = (value) => typeof value === 'boolean';
const isMap: Check = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);
const optional =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value);

const checks: { readonly [Field in keyof Body]-?: Check } = {
  incarnation: isText,
  stamp: isWhole,
  version: isWhole,
  contentVersion: isWhole,
  invocationId: optional(isText),
  lastInvocationId: optional(isText),
  createdAt: isTime,
  updatedAt: isTime,
  ended: isFlag,
  ttlSeconds: optional(isTime),
  expiresAt: optional(isTime),
  projectId: optional(isText),
  timeZone: optional(isText),
  metadata: optional(isMap),
  forkedFrom: optional(isMap),
  copiedArtifacts: optional(Array.isArray),
  erasures: optional(isWhole),
  lease: optional(isMap),
  leaseToken: isWhole,
  ingestedSeq: isWhole,
};

const fields = Object.entries(checks);

/** The head of a session from its row. Throws STORE_CORRUPT naming the session. */
export function headOf({ app, user, id, body }: Row, file: string): SessionHead {
  const key = Object.freeze({ appName: String(app), userId: String(user), sessionId: String(id) });
  const corrupt = (what: string, cause?: unknown) =>
    new PalimpsestError('STORE_CORRUPT', { file, reason: `the head of session ${id} ${what}` }, { cause });
  let parsed: unknown;
  try {
    parsed = JSON.parse(String(body));
  } catch (cause) {
    throw corrupt('is no JSON', cause);
  }
  if (!isBody(parsed)) throw corrupt('has a field missing or of another type');
  for (const value of Object.values(parsed)) freezeParsed(value);
  return Object.freeze({ key, ...parsed });
}

function isBody(parsed: unknown): parsed is Body {
  if (typeof parsed !== 'object' || parsed === null) return false;
  return fields.every(([field, check]) => check(Reflect.get(parsed, field)));
}
