import { type Compactor, type CompactorOptions, createCompactor, window } from '../../src/context/compaction/index.ts';
import type { Event, JsonMap, SessionKey } from '../../src/events/index.ts';
import { type LanguageModel, type ModelCall, silentLogger } from '../../src/models/index.ts';
import { createInMemorySessionStore, createSessionService, type SessionService } from '../../src/sessions/index.ts';
import { ManualClock, type Script, ScriptedModel } from '../../src/testing/index.ts';

/** A session to be folded, with what loggers are warned of. */
export interface SessionToFold {
  readonly service: SessionService;
  readonly key: SessionKey;
  readonly clock: ManualClock;
  readonly warnings: [string, JsonMap | undefined][];
  readonly log: () => Promise<readonly Event[]>;
  /** The ranges of each summary, oldest first. */
  readonly covers: () => Promise<unknown[]>;
}

/** An empty session in memory. */
export async function openSession(): Promise<SessionToFold> {
  const clock = new ManualClock();
  const service = createSessionService({ store: createInMemorySessionStore(), clock });
  const { key } = await service.create({ appName: '应用', userId: '用户 1' });
  const log = async () => (await service.read(key, { limit: 1000 })).items;
  const covers = async () =>
    (await log()).flatMap(({ actions }) => (actions.compaction ? [actions.compaction.covers] : []));
  return { service, key, clock, warnings: [], log, covers };
}

/** A compactor of that session, by default for every two invocations, and the calls of its model, which follows a script. */
export function compactorOf(
  { service, clock, warnings }: SessionToFold,
  script: Script | LanguageModel,
  more: Partial<CompactorOptions> = {},
): { readonly compactor: Compactor; readonly calls: readonly ModelCall[] } {
  const model = typeof script === 'object' && 'call' in script ? script : new ScriptedModel(script);
  const logger = { ...silentLogger, warn: (text: string, fields?: JsonMap) => void warnings.push([text, fields]) };
  const triggers = [window({ interval: 2 })];
  const compactor = createCompactor({ log: service, model, clock, logger, triggers, ...more });
  return { compactor, calls: model instanceof ScriptedModel ? model.calls : [] };
}
