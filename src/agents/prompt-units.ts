import type { Content, Part, Role } from '../events/index.ts';
import { canonicalJson, sha256 } from '../internal/index.ts';
import { isStoppedAnswer } from './open-calls.ts';

/** One thing said in a content, in a form that is the same wherever the content comes from. */
export interface Unit {
  /** Equal exactly for what counts as the same. */
  readonly key: string;
  /** Text and media of the user, what the model said or asked for, or what a tool returned. */
  readonly side: 'user' | 'model' | 'tool';
  /** Index of its first part in the content. */
  readonly part: number;
}

/** Where the session keeps inline data that it has moved out of an event, by the hash of the bytes. */
const movedData = 'artifact:inline/';
const longestPlainKey = 64;

const known = new WeakMap<Content, readonly Unit[]>();

/**
 * The units of a content: texts trimmed, those of neighbouring parts as one; calls by id, name and arguments; responses
 * by id alone; media by hash or address. Thoughts and empty parts are none.
 */
export function unitsOf(content: Content): readonly Unit[] {
  const found = known.get(content) ?? readUnits(content);
  if (Object.isFrozen(content)) known.set(content, found);
  return found;
}

function readUnits({ role, parts }: Content): readonly Unit[] {
  const units: Unit[] = [];
  let text = '';
  let textAt = 0;
  const closeText = () => {
    const said = text.trim();
    if (said !== '') units.push({ key: keyOf([role, 'text'], said.toWellFormed()), side: role, part: textAt });
    text = '';
  };
  for (const [index, part] of parts.entries()) {
    if (part.thought === true) continue;
    if (part.text !== undefined) {
      if (text === '') textAt = index;
      text += part.text;
      continue;
    }
    const unit = unitOf(part, role, index);
    if (unit === undefined) continue;
    closeText();
    units.push(unit);
  }
  closeText();
  return units;
}

function unitOf(part: Part, role: Role, index: number): Unit | undefined {
  const { functionCall, functionResponse, executableCode, codeExecutionResult } = part;
  if (functionCall !== undefined) {
    const { id = '', name, args = {} } = functionCall;
    return { key: keyOf(['call', id, name], canonicalJson(args)), side: 'model', part: index };
  }
  if (functionResponse !== undefined) {
    const { id, name, response } = functionResponse;
    const isById = id !== undefined && !isStoppedAnswer(functionResponse);
    const key = isById ? keyOf(['response'], id) : keyOf(['response', id ?? '', name], canonicalJson(response));
    return { key, side: 'tool', part: index };
  }
  const code = executableCode ?? codeExecutionResult;
  if (code !== undefined) return { key: keyOf(['code'], canonicalJson(code)), side: 'model', part: index };
  const media = addressOf(part);
  return media === undefined ? undefined : { key: keyOf([role, 'media'], media), side: role, part: index };
}

function addressOf({ inlineData, fileData }: Part): string | undefined {
  if (inlineData !== undefined) return movedData + sha256(Buffer.from(inlineData.data, 'base64'));
  return fileData?.fileUri;
}

function keyOf(kind: readonly string[], what: string): string {
  return JSON.stringify([...kind, what.length > longestPlainKey ? ['sha256', sha256(what)] : what]);
}
