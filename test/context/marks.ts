import type { Content, Event, Part, Role } from '../../src/events/index.ts';

/** What a mark stands in: `silent` is what no model is given, be it blank or a framework's question to the user. */
export type MarkKind = 'text' | 'thought' | 'media' | 'code' | 'call' | 'response' | 'silent' | 'summary';

/** A mark of an event, and the text or part that holds it. */
export interface Mark {
  readonly mark: string;
  readonly kind: MarkKind;
  readonly part: Part;
}

/** Where a mark stands in contents. */
export interface Standing {
  readonly role: Role;
  readonly part: Part;
}

const pattern = /<\d+\.\d+>/g;

/** All marks in a value, each as often as it stands there. */
export function marksIn(value: unknown): readonly string[] {
  return JSON.stringify(value)?.match(pattern) ?? [];
}

/** What an event of a story says, mark by mark. */
export function marksOf({ content, actions, inputTranscription, outputTranscription }: Event): readonly Mark[] {
  const kind = 'summary' as const;
  if (actions.compaction) return marksOfParts(actions.compaction.content).map((mark) => ({ ...mark, kind }));
  if (content !== undefined) return marksOfParts(content);
  const said = inputTranscription ?? outputTranscription;
  return said === undefined ? [] : marksOfParts({ role: 'user', parts: [{ text: said.text }] });
}

/** Where each mark stands in contents. */
export function standingIn(contents: readonly Content[]): ReadonlyMap<string, readonly Standing[]> {
  const found = new Map<string, Standing[]>();
  for (const { role, parts } of contents)
    for (const part of parts) {
      for (const mark of marksIn(part)) {
        const places = found.get(mark);
        if (places === undefined) found.set(mark, [{ role, part }]);
        else places.push({ role, part });
      }
    }
  return found;
}

function marksOfParts({ parts }: Content): readonly Mark[] {
  return parts.flatMap((part) => marksIn(part).map((mark) => ({ mark, kind: kindOf(part), part })));
}

/** What the mark of a part stands in. */
export function kindOf({ text, thought, functionCall, functionResponse, inlineData, fileData }: Part): MarkKind {
  if (text !== undefined) return thought === true ? 'thought' : 'text';
  const name = functionCall?.name ?? functionResponse?.name ?? '';
  if (name.startsWith('adk_request_')) return 'silent';
  if (functionCall !== undefined) return 'call';
  if (functionResponse !== undefined) return 'response';
  if (inlineData !== undefined) return inlineData.data === '' ? 'silent' : 'media';
  return fileData === undefined ? 'code' : 'media';
}
