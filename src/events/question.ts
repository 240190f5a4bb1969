import type { Part } from './content.ts';
import type { Event } from './event.ts';
import { isFinal } from './obligations.ts';

/** True for words or media of the user. */
export function asks(event: Event): boolean {
  if (event.origin !== 'user') return false;
  if (event.content !== undefined) return event.content.parts.some(isWordOrMedia);
  return event.inputTranscription !== undefined && event.inputTranscription.text.trim() !== '';
}

/** True for an agent's final words, which answer the question above them. */
export function answers(event: Event): boolean {
  if (isFinal(event)) return true;
  const spoken = event.content === undefined ? event.outputTranscription?.text.trim() : '';
  return event.origin === 'agent' && event.interrupted !== true && spoken !== undefined && spoken !== '';
}

/** Blank texts and media without bytes stand in no request: nobody would see what was asked. */
function isWordOrMedia({ text = '', thought, inlineData, fileData }: Part): boolean {
  if (fileData !== undefined || (inlineData !== undefined && inlineData.data !== '')) return true;
  return thought !== true && text.trim() !== '';
}
