import { writeSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { window as everyInvocations } from '../../src/context/compaction/index.ts';
import { openPalimpsest } from '../../src/engine/index.ts';
import type { Clock } from '../../src/events/index.ts';
import type { LanguageModel } from '../../src/models/index.ts';
import { ScriptedModel } from '../../src/testing/index.ts';
import { watch, watchCommits } from './watched-sqlite.ts';

/** Where a process that folds may die: with the job taken, the summary written, before, in and after its commit. */
export const points = ['afterClaim', 'afterModel', 'beforeApply', 'insideApply', 'afterApply'] as const;
export type Point = (typeof points)[number];

export const session = { userId: '用户', sessionId: 's1' };
export const summary = '用户每天询问天气，要用摄氏度；已报告两天，都是多云，二十一度。';

/** Opens a file with an agent whose sessions are folded at every second invocation, and tells how far a fold has come. */
export async function openFolding(file: string, reach: (point: Point) => void, clock?: Clock) {
  const palimpsest = await openPalimpsest({
    ...{ file, driver: '@photostructure/sqlite', sweepSeconds: 0, ingest: 'never', telemetry: 'off' },
    ...(clock && { clock }),
    redact: (input) => {
      if (input.actions?.compaction !== undefined) reach('beforeApply');
      return input;
    },
    logger: {
      ...{ debug: () => undefined, warn: () => undefined, error: () => undefined },
      info: (message) => {
        if (message === 'Events were folded into a summary.') reach('afterApply');
      },
    },
  });
  const scripted = new ScriptedModel(() => {
    reach('afterClaim');
    return summary;
  });
  const agent = palimpsest.agent({
    name: 'weather',
    model: new ScriptedModel((_, index) => `第 ${index + 1} 天：多云，二十一摄氏度，微风，湿度百分之六十。`),
    compaction: { triggers: [everyInvocations({ interval: 2 })], model: telling(scripted, () => reach('afterModel')) },
  });
  return { palimpsest, agent, scripted };
}

/** A model that tells when all of its answer has been read but for the word that it is whole. */
function telling(model: ScriptedModel, answered: () => void): LanguageModel {
  const { name, vendor, provider } = model;
  const call: LanguageModel['call'] = async function* (asked) {
    for await (const piece of model.call(asked)) {
      if (piece.type === 'finish') answered();
      yield piece;
    }
  };
  return { name, vendor, provider, call };
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [, , file = '', wanted] = process.argv;
  let isApplying = false;
  const reach = (point: Point): void => {
    if (point === 'beforeApply') isApplying = true;
    if (point === wanted) process.kill(process.pid, 'SIGKILL');
  };
  watchCommits();
  watch.beforeCommit = () => {
    if (isApplying) reach('insideApply');
  };
  const { palimpsest, agent } = await openFolding(file, reach);
  for (const message of ['今天北京的天气怎么样？请用摄氏度。', '那么明天呢？']) {
    for await (const event of agent.run({ ...session, message })) void event;
    writeSync(1, 'answered\n');
  }
  await palimpsest.settled();
  writeSync(1, 'survived\n');
}
