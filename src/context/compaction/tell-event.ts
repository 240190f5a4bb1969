import type { Event, JsonValue, Part } from '../../events/index.ts';
import { canonicalJson } from '../../internal/index.ts';

/** What kind of thing is told of an event. */
export type ToldKind = 'said' | 'thought' | 'call' | 'result' | 'note';

/** One thing that an event says. */
export interface Told {
  readonly kind: ToldKind;
  readonly text: string;
}

/**
 * All that an event says, as text: words and speech, thoughts, calls and results, and a note of each medium and failure.
 * Nothing is cut here.
 */
export function tellEvent(event: Event): readonly Told[] {
  const told = (event.content?.parts ?? []).flatMap((part) => tellPart(part) ?? []);
  const spoken =
    event.content === undefined ? (event.inputTranscription ?? event.outputTranscription)?.text : undefined;
  const { errorCode, errorMessage } = event;
  const failure = [errorCode, errorMessage].filter((text) => text !== undefined).join(': ');
  const more: readonly Told[] = [
    { kind: 'said', text: spoken ?? '' },
    { kind: 'note', text: failure === '' ? '' : `failed: ${failure}` },
    { kind: 'note', text: event.interrupted === true ? 'was interrupted' : '' },
  ];
  return [...told, ...more].filter(({ text }) => text.trim() !== '');
}

function tellPart(part: Part): Told | undefined {
  const { text, thought, functionCall, functionResponse, executableCode, codeExecutionResult } = part;
  if (text !== undefined) return { kind: thought === true ? 'thought' : 'said', text };
  if (functionCall) return { kind: 'call', text: `${functionCall.name} ${canonicalJson(functionCall.args ?? {})}` };
  if (functionResponse)
    return { kind: 'result', text: `${functionResponse.name} ${textOfResult(functionResponse.response)}` };
  if (executableCode) return { kind: 'call', text: executableCode.code };
  if (codeExecutionResult)
    return { kind: 'result', text: `${codeExecutionResult.outcome} ${codeExecutionResult.output ?? ''}` };
  const medium = part.inlineData ?? part.fileData;
  if (medium === undefined) return undefined;
  const name = [medium.displayName, medium.mimeType].filter((text) => text !== undefined).join(', ');
  return { kind: 'note', text: `a medium, not shown here: ${name === '' ? 'of unknown kind' : name}` };
}

/** A tool's result as text: itself if it is one, else its JSON. */
export function textOfResult(response: JsonValue | undefined): string {
  return typeof response === 'string' ? response : canonicalJson(response ?? null);
}
