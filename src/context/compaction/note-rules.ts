/** How notes are to be written, for whoever writes them in whatever way: one rule or two a paragraph. */
export function noteRules(mostTokens: number, focus?: string): readonly string[] {
  const rules = [
    'Write prose only, no calls, no headings, in the language of the conversation: notes on a Chinese conversation are Chinese. Say who wanted, said, decided and did what, and when where that matters. Keep names, numbers, dates, identifiers, file and tool names exactly as they are. Say what tools were used for and what they found. Say what is still open, promised or waiting, and what was agreed or ruled out.',
    'Let thoughts guide you to what matters, but do not quote them. Do not copy long passages. Add nothing: no advice, no guesses, no opinion, no greeting.',
    `Use as few words as that takes, and at most about ${mostTokens} tokens. Answer with the notes and nothing else.`,
  ];
  return focus === undefined ? rules : [...rules, `Pay particular attention to: ${oneLine(focus)}`];
}

/** Whatever a reader may take for the end of a line. */
export const lineBreak = /\r\n|[\n\v\f\r\u0085\u2028\u2029]/;

/** A text on one line. */
export function oneLine(text: string): string {
  return text.split(lineBreak).join(' ');
}
