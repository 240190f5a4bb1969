import type { Content, Event, Transcription } from '../../events/index.ts';
import type { Response } from './call-ledger.ts';
import { speaks } from './provider-rules.ts';
import { sideOf } from './speaker.ts';
import type { StageFacts } from './stage-facts.ts';

/** What one event, or several pieces of one transcript, say. */
export interface Turn {
  /** The first event it comes from. */
  readonly event: Event;
  /** All events it comes from, in order. */
  readonly seqs: readonly number[];
  /** Without function responses; may be left with no part. */
  readonly content: Content;
  readonly responses: readonly Response[];
}

/**
 * Stage 7: makes turns of events. Transcripts of one speaker that follow each other are pieces of one turn, until a
 * finished one; their texts are put together as they are. Later pieces are merged into the first.
 */
export function joinTranscripts(recovered: readonly Event[], facts: StageFacts): readonly Turn[] {
  const turns: Turn[] = [];
  for (let index = 0; index < recovered.length; index++) {
    const event = recovered[index];
    if (event === undefined) continue;
    const transcript = transcriptOf(event);
    if (transcript === undefined) {
      turns.push(turnOf(event, facts));
      continue;
    }
    const end = endOfTranscript(recovered, index);
    const turn = joined(recovered.slice(index, end), facts);
    if (turn !== undefined) turns.push(turn);
    index = end - 1;
  }
  return turns;
}

/** True if two neighbours are pieces of one transcript. */
export function isOneTranscript(before: Event, after: Event): boolean {
  const [first, second] = [transcriptOf(before), transcriptOf(after)];
  if (first === undefined || second === undefined || first.said.finished === true) return false;
  return first.role === second.role && before.author === after.author;
}

interface Transcript {
  readonly role: Content['role'];
  readonly said: Transcription;
}

function transcriptOf(event: Event): Transcript | undefined {
  if (event.content !== undefined || event.actions.compaction !== undefined) return undefined;
  if (event.inputTranscription !== undefined) return { role: 'user', said: event.inputTranscription };
  return event.outputTranscription && { role: 'model', said: event.outputTranscription };
}

/** Index after the last piece of the transcript that starts at `start`. */
function endOfTranscript(events: readonly Event[], start: number): number {
  for (let end = start + 1; ; end++) {
    const [before, after] = [events[end - 1], events[end]];
    if (before === undefined || after === undefined || !isOneTranscript(before, after)) return end;
  }
}

function joined(pieces: readonly Event[], { placements }: StageFacts): Turn | undefined {
  const [first, ...later] = pieces;
  const transcript = first && transcriptOf(first);
  if (first === undefined || transcript === undefined) return undefined;
  const text = pieces.map((piece) => transcriptOf(piece)?.said.text ?? '').join('');
  if (text.trim() === '') {
    for (const { seq } of pieces) placements.hide(seq, 'empty');
    return undefined;
  }
  for (const { seq } of later) placements.merge(seq, first.seq);
  const parts = Object.freeze([Object.freeze({ text })]);
  return {
    event: first,
    seqs: pieces.map(({ seq }) => seq),
    content: Object.freeze({ role: transcript.role, parts }),
    responses: noResponses,
  };
}

const noResponses: readonly Response[] = Object.freeze([]);
const noContent: Content = Object.freeze({ role: 'user', parts: Object.freeze([]) });

function turnOf(event: Event, { view, links, rules }: StageFacts): Turn {
  const content = event.actions.compaction?.content ?? event.content ?? noContent;
  const role = sideOf(event, view.agentName);
  const responses = links.responsesOf(event);
  let { parts } = content;
  if (responses.length > 0) {
    if (responses.length === parts.length) return { event, seqs: [event.seq], content: noContent, responses };
    const rest = parts.filter((part) => part.functionResponse === undefined);
    parts = rest.some((part) => speaks(part, role, rules)) ? rest : noContent.parts;
  }
  const isWhole = parts === content.parts && role === content.role;
  return { event, seqs: [event.seq], content: isWhole ? content : { role, parts }, responses };
}
