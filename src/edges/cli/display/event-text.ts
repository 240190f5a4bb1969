import type { Content, Event, EventActions, Overflow, Part, SeqRange } from '../../../events/index.ts';

/** What an event says or does, as text for a person: words, calls, results, and what the log notes about itself. */
export function eventText(event: Event): string {
  const pieces = [contentText(event.content), ...actionTexts(event.actions)];
  if (event.content === undefined) pieces.push(event.inputTranscription?.text ?? event.outputTranscription?.text ?? '');
  if (event.errorCode !== undefined || event.errorMessage !== undefined) {
    pieces.push(`! ${[event.errorCode, event.errorMessage].filter(Boolean).join(': ')}`);
  }
  if (event.interrupted === true) pieces.push('(interrupted)');
  return pieces.filter((piece) => piece !== '').join('\n');
}

/** The parts of a content as text, one a line. */
export function contentText(content: Content | undefined): string {
  return (content?.parts ?? [])
    .map(partText)
    .filter((piece) => piece !== '')
    .join('\n');
}

/** Seqs as `1–12, 15`. */
export function rangesText(ranges: readonly SeqRange[]): string {
  return ranges.map(([from, to]) => (from === to ? `${from}` : `${from}–${to}`)).join(', ');
}

function partText(part: Part): string {
  if (part.functionCall) return `→ ${part.functionCall.name}(${jsonText(part.functionCall.args)})`;
  if (part.functionResponse) return `← ${part.functionResponse.name}: ${jsonText(part.functionResponse.response)}`;
  if (part.inlineData)
    return `[${part.inlineData.displayName ?? part.inlineData.mimeType}, ${bytesText(part.inlineData.data.length * 0.75)}]`;
  if (part.fileData) return `[${part.fileData.displayName ?? part.fileData.fileUri}]`;
  if (part.executableCode) return `[code] ${part.executableCode.code}`;
  if (part.codeExecutionResult)
    return `[ran: ${part.codeExecutionResult.outcome}] ${part.codeExecutionResult.output ?? ''}`;
  return part.thought === true && part.text ? `(thought) ${part.text}` : (part.text ?? '');
}

function actionTexts(actions: EventActions): string[] {
  const texts: string[] = [];
  const { compaction, rewind, pin, unpin, trim, overflow } = actions;
  if (compaction) texts.push(`summary of ${rangesText(compaction.covers)}: ${contentText(compaction.content)}`);
  if (rewind) texts.push(`rewound to before event ${rewind.fromSeq}`);
  if (pin) texts.push(`pinned ${pin.seqs.join(', ')}`);
  if (unpin) texts.push(`unpinned ${unpin.seqs.join(', ')}`);
  if (trim) texts.push(`cut results of ${trim.seqs.join(', ')} to ${trim.keepChars} characters`);
  if (overflow) texts.push(overflowText(overflow));
  if (actions.sessionEnd) texts.push('session ended');
  for (const [key, value] of Object.entries(actions.stateDelta ?? {})) texts.push(`state ${key} = ${jsonText(value)}`);
  for (const key of actions.stateRemoved ?? []) texts.push(`state ${key} removed`);
  for (const [name, version] of Object.entries(actions.artifactDelta ?? {})) texts.push(`artifact ${name} v${version}`);
  if (actions.transferToAgent) texts.push(`transfer to ${actions.transferToAgent}`);
  if (actions.escalate) texts.push('escalated');
  return texts;
}

function overflowText({ why, agentName, by = [], tokens, limit, leftOut }: Overflow): string {
  const whose = agentName === undefined ? '' : ` for ${agentName}`;
  if (why === 'blocked') return `nothing could be folded${whose}: ${eventsText(by)} must be answered first`;
  const because = why === 'ceiling' ? 'was about to fill the context' : 'was too long for its provider';
  const sizes = tokens === undefined || limit === undefined ? '' : `, ${tokens} tokens where ${limit} fit`;
  const left = leftOut === undefined ? 'the oldest events' : `the oldest ${leftOut} event${leftOut === 1 ? '' : 's'}`;
  return `a request${whose} ${because}${sizes}: it was sent without ${left}`;
}

function eventsText(seqs: readonly number[]): string {
  return seqs.length === 0 ? 'what is open' : `event${seqs.length === 1 ? '' : 's'} ${seqs.join(', ')}`;
}

function jsonText(value: unknown): string {
  return value === undefined ? '' : JSON.stringify(value);
}

/** A size as `12 KB`. */
export function bytesText(bytes: number): string {
  if (bytes < 1024) return `${Math.round(bytes)} B`;
  return bytes < 1024 * 1024 ? `${Math.round(bytes / 1024)} KB` : `${(bytes / 1024 / 1024).toFixed(1)} MB`;
}
