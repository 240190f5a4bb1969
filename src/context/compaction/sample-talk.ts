import type { EventInput, SessionKey } from '../../events/index.ts';
import type { ModelCall } from '../../models/index.ts';
import type { CompactionLog } from './compactor.ts';
import { asked, told } from './sample-window.ts';

/** For tests: a summary that is taken whatever it stands for. */
export const sampleSummary = '他们谈过一些事。';

/** For tests: appends whole invocations, `i…` of these numbers, each a question and an answer. */
export async function talk(
  log: Pick<CompactionLog, 'append'>,
  key: SessionKey,
  from: number,
  to = from,
  more: Partial<EventInput> = {},
): Promise<void> {
  for (let number = from; number <= to; number++) {
    const { seq: _, tokens: __, ...question } = asked(0, number);
    const { seq: ___, tokens: ____, ...answer } = told(0, number, more);
    await log.append(key, [question, answer]);
  }
}

/** For tests: the text that a summariser was given. */
export function givenText({ request }: ModelCall): string {
  return request.contents.flatMap(({ parts }) => parts.map(({ text = '' }) => text)).join('\n');
}
