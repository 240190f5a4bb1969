import {
  type Agent,
  type AgentOptions,
  createAgent,
  type InvocationDriver,
  type PreparedRequest,
} from '../../../agents/index.ts';
import type { Palimpsest } from '../../../engine/index.ts';
import type { EventInput } from '../../../events/index.ts';
import { systemClock } from '../../../internal/index.ts';

/** What is asked of an agent besides its answers. */
export interface AgentWatch {
  /** Sees every request before it is sent. */
  readonly onRequest: (prepared: PreparedRequest) => void;
  /**
   * Seals what the agent says: the log keeps it and a person can read it, but no model is given it and memory does not
   * learn from it.
   */
  readonly seal?: string;
}

/** An agent as palimpsest.agent() makes it, with a look at its requests. */
export function createWatchedAgent(palimpsest: Palimpsest, options: AgentOptions, watch: AgentWatch): Agent {
  const { appName, sessions, memory, artifacts } = palimpsest;
  const driver = watchedDriver(palimpsest.invocations, watch);
  return createAgent(options, {
    appName,
    driver,
    artifacts,
    memory,
    open: (key) => sessions.open(key),
    clock: systemClock,
  });
}

function watchedDriver(driver: InvocationDriver, { onRequest, seal }: AgentWatch): InvocationDriver {
  const sealed = (event: EventInput): EventInput => (seal === undefined ? event : { ...event, isolationScope: seal });
  return {
    async begin(input) {
      const invocation = await driver.begin(input);
      const { key, invocationId, session, begun, signal } = invocation;
      return {
        key,
        invocationId,
        session,
        begun,
        signal,
        async request(wanted) {
          const prepared = await invocation.request(wanted);
          onRequest(prepared);
          return prepared;
        },
        record: (events) => invocation.record(events.map(sealed)),
        finish: () => invocation.finish(),
      };
    },
  };
}
