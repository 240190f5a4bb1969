import type { AdkCasing, AdkDialect, Fields } from './adk-names.ts';
import { respellDeep, spellFields } from './adk-names.ts';
import type { AdkOrigin } from './adk-origin.ts';
import { usageToAdk } from './adk-usage.ts';
import { type Event, isBookkeeping } from './event.ts';
import { type Instant, toMillis } from './instant.ts';

/** In which form an event is written: its spelling, its clock, and what the event kept from ADK. */
export interface AdkForm {
  readonly casing: AdkCasing;
  readonly dialect: AdkDialect;
  readonly origin: AdkOrigin | undefined;
}

/** The fields of an event that ADK has a place for. */
export type Expressible = Omit<Event, 'seq' | 'origin' | 'recordedAt'>;

/** The casing that kept fields must be put into, or `undefined` if they are spelt that way already. */
export function respellingOf({ casing, origin }: AdkForm): AdkCasing | undefined {
  return origin === undefined || origin.casing === casing ? undefined : casing;
}

/** An instant as ADK counts it: seconds since 1970 in Python, milliseconds in JavaScript. */
export function timeInAdk(instant: Instant, dialect: AdkDialect): number {
  return dialect === 'js' ? toMillis(instant) : toMillis(instant) / 1000;
}

/** What an event says through Palimpsest's own fields, content and actions excepted, under ADK's names. */
export function expressOwnFields(event: Expressible, form: AdkForm): Fields {
  const byLibrary = form.origin === undefined && event.author === 'system' && isBookkeeping(event);
  return spellFields(
    {
      id: event.id,
      invocationId: event.invocationId,
      // ADK-Python attributes its own bookkeeping to the user.
      author: byLibrary && form.dialect === 'python' ? 'user' : event.author,
      timestamp: timeInAdk(event.timestamp, form.dialect),
      branch: event.branch,
      isolationScope: event.isolationScope,
      turnComplete: event.turnComplete,
      interrupted: event.interrupted,
      errorCode: event.errorCode,
      errorMessage: event.errorMessage,
      finishReason: event.finishReason,
      longRunningToolIds: event.longRunningToolIds,
      usageMetadata: usageOf(event, form),
      inputTranscription: event.inputTranscription,
      outputTranscription: event.outputTranscription,
      customMetadata: event.customMetadata,
    },
    form.casing,
  );
}

/** The provider's own record goes back as it came, if it came from ADK: of another system it would mean nothing there. */
function usageOf({ usage }: Expressible, form: AdkForm): unknown {
  if (usage === undefined) return undefined;
  if (form.origin === undefined || usage.raw === undefined) return usageToAdk(usage, form.casing);
  const casing = respellingOf(form);
  return casing === undefined ? usage.raw : respellDeep(usage.raw, casing);
}
