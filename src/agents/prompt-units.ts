import type { Content, Part, Role } from '../events/index.ts';
import { canonicalJson, sha256 } from '../internal/index.ts';
import { movedDataUri } from './artifact-name.ts';

/** One thing said in a content, in a form that is the same wherever the content comes from. */
export interface Unit {
  /** Equal exactly for what counts as the same. */
  readonly key: string;
  /** Text and media of the user, what the model said or asked for, or what a tool returned. */
  readonly side: 'user' | 'model' | 'tool';
  /** Index in the content after its last part. */
  readonly end: number;
}

const longestPlainKey = 64;

const known = new WeakMap<Content, readonly Unit[]>();

/**
 * The units of a content: texts trimmed, those of neighbouring parts as one; calls by id, name and arguments; media by
 * hash or address. Thoughts and empty parts are none. Nor are responses with an id: it says which call they answer, so
 * that it does not matter where they stand, and tools at work side by side answer in any order.
 */
export function unitsOf(content: Content): readonly Unit[] {
  const found = known.get(content) ?? readUnits(content);
  if (Object.isFrozen(content)) known.set(content, found);
  return found;
}

function readUnits({ role, parts }: Content): readonly Unit[] {
  const units: Unit[] = [];
  let text = '';
  let textEnd = 0;
  const closeText = () => {
    const said = text.trim();
    if (said !== '') units.push({ key: keyOf([role, 'text'], said.toWellFormed()), side: role, end: textEnd });
    text = '';
  };
  for (const [index, part] of parts.entries()) {
    if (part.thought === true) continue;
    if (part.text !== undefined) {
      text += part.text;
      textEnd = index + 1;
      continue;
    }
    const unit = unitOf(part, role, index + 1);
    if (unit !== undefined || part.functionResponse !== undefined) closeText();
    if (unit !== undefined) units.push(unit);
  }
  closeText();
  return units;
}

function unitOf(part: Part, role: Role, end: number): Unit | undefined {
  const { functionCall, functionResponse, executableCode, codeExecutionResult } = part;
  if (functionCall !== undefined) {
    const { id = '', name, args = {} } = functionCall;
    return { key: keyOf(['call', id, name], canonicalJson(args)), side: 'model', end };
  }
  if (functionResponse !== undefined) {
    const { id, name, response } = functionResponse;
    return id === undefined
      ? { key: keyOf(['response', name], canonicalJson(response)), side: 'tool', end }
      : undefined;
  }
  const code = executableCode ?? codeExecutionResult;
  if (code !== undefined) return { key: keyOf(['code'], canonicalJson(code)), side: 'model', end };
  const media = addressOf(part);
  return media === undefined ? undefined : { key: keyOf([role, 'media'], media), side: role, end };
}

function addressOf({ inlineData, fileData }: Part): string | undefined {
  if (inlineData !== undefined) return movedDataUri(sha256(Buffer.from(inlineData.data, 'base64')));
  const uri = fileData?.fileUri;
  // A caller may have had it as a URL, which writes what is not ASCII in its own way.
  return uri !== undefined && URL.canParse(uri) ? new URL(uri).href : uri;
}

function keyOf(kind: readonly string[], what: string): string {
  return JSON.stringify([...kind, what.length > longestPlainKey ? ['sha256', sha256(what)] : what]);
}
