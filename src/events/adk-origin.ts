import type { AdkCasing, AdkDialect } from './adk-names.ts';
import type { AdkRecordForm } from './adk-records.ts';
import type { Content, Role } from './content.ts';
import { isPlainObject, type JsonMap } from './json.ts';

/**
 * What an event that came from ADK keeps in `extensions.adk`: how it was spelt, and what it says beyond Palimpsest's own
 * fields, by level. Parts keep theirs in their own `extensions.adk`. The content's unknown fields are in `content`.
 */
export interface AdkOrigin {
  readonly casing: AdkCasing;
  readonly dialect: AdkDialect;
  /** Set if the actions were spelt otherwise than the event. */
  readonly actionsCasing?: AdkCasing;
  readonly event?: unknown;
  readonly actions?: unknown;
  readonly content?: unknown;
  /** The content of a rewind or a summary, which ADK keeps and never shows. */
  readonly unshownContent?: Content;
  /** Set if the event holds a summary that is stored as a compaction. */
  readonly compaction?: { readonly form: AdkRecordForm; readonly residue?: unknown };
}

/** What an event's extensions say of its time in ADK; `undefined` if it did not come from there. */
export function originInAdk(extensions: JsonMap | undefined): AdkOrigin | undefined {
  const adk = extensions?.adk;
  if (!isPlainObject(adk)) return undefined;
  const { casing, dialect, actionsCasing, compaction, event, actions, content, unshownContent } = adk;
  if (!isCasing(casing) || (dialect !== 'python' && dialect !== 'js')) return undefined;
  return {
    casing,
    dialect,
    ...(isCasing(actionsCasing) ? { actionsCasing } : {}),
    event,
    actions,
    content,
    ...(isContent(unshownContent) ? { unshownContent } : {}),
    ...(isPlainObject(compaction) && (compaction.form === 'action' || compaction.form === 'event')
      ? { compaction: { form: compaction.form, residue: compaction.residue } }
      : {}),
  };
}

/** Enough of a look at what may be anybody's to write it out without a fault. */
function isContent(value: unknown): value is Content {
  if (!isPlainObject(value) || !isRole(value.role) || !Array.isArray(value.parts)) return false;
  return value.parts.every(
    (part: unknown) =>
      isPlainObject(part) && (part.functionResponse === undefined || isPlainObject(part.functionResponse)),
  );
}

function isRole(value: unknown): value is Role {
  return value === 'user' || value === 'model';
}

function isCasing(value: unknown): value is AdkCasing {
  return value === 'snake' || value === 'camel';
}
