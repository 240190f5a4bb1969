import { type AdkObject, booleanAt, fieldAt, mapAt, onlySet, textAt, withoutKnownNulls } from './adk-fields.ts';
import { type AdkCasing, bareFields, casingOf, type Fields, spell, spellFields } from './adk-names.ts';
import { type Residue, residueOf } from './adk-residue.ts';
import type { EventActions } from './event.ts';
import { isPlainObject } from './json.ts';
import { invalid } from './read-content.ts';

/** Actions read from ADK, without the summary record, which needs the whole session to be understood. */
export interface AdkActions {
  readonly actions: EventActions;
  /** What was read. Old versions of ADK spell actions in snake case inside events in camel case. */
  readonly object: AdkObject;
  readonly residue: Residue | undefined;
}

/** How actions are spelt, as far as they show it. */
export function casingOfActions(actions: unknown, otherwise: AdkCasing): AdkCasing {
  return isPlainObject(actions) ? casingOf(actions, actionNames, otherwise) : otherwise;
}

/**
 * Reads the actions of an ADK event. `temp:` keys are left out, as ADK does when it stores; the summary record is, unless
 * `keepRecord` says that it is not read as one.
 */
export function actionsFromAdk({ fields, casing: otherwise, path }: AdkObject, keepRecord: boolean): AdkActions {
  const casing = casingOf(fields, actionNames, otherwise);
  const object: AdkObject = { fields, casing, path };
  const beforeInvocationId = textAt(object, 'rewindBeforeInvocationId');
  const actions: EventActions = onlySet({
    skipSummarization: booleanAt(object, 'skipSummarization'),
    stateDelta: filled(storableState(mapAt(object, 'stateDelta'))),
    artifactDelta: filled(versionsAt(object)),
    transferToAgent: textAt(object, 'transferToAgent'),
    escalate: booleanAt(object, 'escalate'),
    endOfAgent: booleanAt(object, 'endOfAgent'),
    agentState: mapAt(object, 'agentState'),
    requestedAuthConfigs: filled(mapAt(object, 'requestedAuthConfigs')),
    requestedToolConfirmations: filled(mapAt(object, 'requestedToolConfirmations')),
    // The seq that it goes back to is found at append.
    rewind: beforeInvocationId ? { beforeInvocationId, fromSeq: 0 } : undefined,
  });
  const original = withoutKnownNulls(fields, actionNames);
  if (!keepRecord) delete original.compaction;
  const delta = original[spell('stateDelta', casing)];
  if (isPlainObject(delta)) original[spell('stateDelta', casing)] = withoutTemporary(delta);
  return { actions, object, residue: residueOf(original, actionsToAdk(actions, casing)) };
}

/** What ADK can express of actions, without compaction: a removed key goes out as null, which is ADK's nearest word. */
export function actionsToAdk(actions: EventActions, casing: AdkCasing): Fields {
  const delta = Object.assign(bareFields(), actions.stateDelta);
  for (const key of actions.stateRemoved ?? []) delta[key] = null;
  return spellFields(
    {
      skipSummarization: actions.skipSummarization,
      stateDelta: delta,
      artifactDelta: actions.artifactDelta ?? {},
      transferToAgent: actions.transferToAgent,
      escalate: actions.escalate,
      requestedAuthConfigs: actions.requestedAuthConfigs ?? {},
      requestedToolConfirmations: actions.requestedToolConfirmations ?? {},
      endOfAgent: actions.endOfAgent,
      agentState: actions.agentState,
      rewindBeforeInvocationId: actions.rewind?.beforeInvocationId,
    },
    casing,
  );
}

const actionNames = new Set([
  'skipSummarization',
  'stateDelta',
  'artifactDelta',
  'transferToAgent',
  'escalate',
  'requestedAuthConfigs',
  'requestedToolConfirmations',
  'endOfAgent',
  'agentState',
  'rewindBeforeInvocationId',
  'compaction',
]);

const unstorableKeys = new Set(['', 'app:', 'user:']);

/** State that Palimpsest can store; keys that name nothing are left to the residue. */
function storableState(delta: Readonly<Fields> | undefined): Fields | undefined {
  if (delta === undefined) return undefined;
  const kept = withoutTemporary(delta);
  for (const key of unstorableKeys) delete kept[key];
  return kept;
}

function withoutTemporary(delta: Readonly<Fields>): Fields {
  const kept = bareFields();
  for (const key of Object.keys(delta)) if (!key.startsWith('temp:')) kept[key] = delta[key];
  return kept;
}

function versionsAt(object: AdkObject): Readonly<Fields> | undefined {
  const versions = mapAt(object, 'artifactDelta');
  for (const name of Object.keys(versions ?? {})) {
    const version = versions?.[name];
    if (!Number.isSafeInteger(version) || Number(version) < 0)
      throw invalid(`${fieldAt(object, 'artifactDelta')?.path}.${name}`, 'must be a whole number, 0 or more');
  }
  return versions;
}

function filled(map: Readonly<Fields> | undefined): Readonly<Fields> | undefined {
  return map === undefined || Object.keys(map).length === 0 ? undefined : map;
}
