import type { Event, JsonMap, JsonValue } from '../../events/index.ts';
import { shortenText } from './shorten-text.ts';
import { toldText } from './told-text.ts';
import type { ToldSummary, Tool, ToolHistory } from './tool.ts';
import { tool } from './tool-of.ts';

/** Limits of what expand_history brings. */
export interface ExpandHistoryOptions {
  /** At most about this many tokens of text an answer. Default 2,000. */
  readonly tokenBudget?: number;
}

const toolName = 'expand_history';

/** No single event is told at greater length, in code points. */
const longestText = 2000;

/**
 * A tool by which a model reads what summaries of its conversation stand for, or what was cut from old results:
 * `expand_history`. Without arguments it tells which summaries there are.
 */
export function expandHistory({ tokenBudget = 2000 }: ExpandHistoryOptions = {}): Tool {
  return tool({
    name: toolName,
    description:
      'Reads earlier parts of this conversation in full, where you have only a summary or a cut result. ' +
      'Without arguments it lists the summaries; give one of them, a range of numbers, or words to search for.',
    parameters: {
      type: 'object',
      properties: {
        summary: { type: 'integer', minimum: 1, description: 'The number of a summary.' },
        from: { type: 'integer', minimum: 1, description: 'The first event wanted.' },
        to: { type: 'integer', minimum: 1, description: 'The last event wanted.' },
        query: {
          type: 'string',
          minLength: 1,
          description: 'Words to search for, in the language of the conversation.',
        },
      },
    },
    async run({ summary, from, to, query }, { history }) {
      if (history === undefined) return { error: 'This conversation has no history that could be read.' };
      if (summary === undefined && from === undefined && to === undefined && query === undefined)
        return listed(history);
      const { events, more } = await history.read({
        tokenBudget,
        ...(summary === undefined ? {} : { summary }),
        ...(from === undefined ? {} : { fromSeq: from }),
        ...(to === undefined ? {} : { toSeq: to }),
        ...(query === undefined ? {} : { query }),
      });
      return { events: events.map(toldEvent), ...(more === 0 ? {} : { more: `${more} more; narrow the range` }) };
    },
  });
}

/** True for an event in which a model looks its conversation up, or is answered: what it says stands elsewhere. */
export function looksUpHistory({ content }: Pick<Event, 'content'>): boolean {
  return (content?.parts ?? []).some(
    ({ functionCall, functionResponse }) => (functionCall ?? functionResponse)?.name === toolName,
  );
}

async function listed(history: ToolHistory): Promise<JsonValue> {
  return { summaries: (await history.summaries()).map(toldSummary) };
}

function toldSummary({ seq, covers, text }: ToldSummary): JsonMap {
  return {
    summary: seq,
    covers: covers.map(([from, to]) => (from === to ? `${from}` : `${from}–${to}`)).join(', '),
    begins: shortenText(text, 200),
  };
}

function toldEvent(event: Event): JsonMap {
  return {
    number: event.seq,
    when: event.timestamp,
    by: event.author,
    text: shortenText(toldText(event), longestText),
  };
}
