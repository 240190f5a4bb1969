import type { ArtifactStore, Clock } from '../events/index.ts';
import type { MemoryService } from '../memory/service/index.ts';
import { type Logger, silentLogger, silentTelemetry, type Telemetry, withRetries } from '../models/index.ts';
import type { Session } from '../sessions/index.ts';
import type { Agent, AgentOptions, RunEvent, RunInput } from './agent-options.ts';
import { AgentRun } from './agent-run.ts';
import { checkAgentOptions } from './check-agent-options.ts';
import type { InvocationDriver } from './invocation-driver.ts';
import { readRunInput } from './read-run-input.ts';
import { RunStates } from './run-state.ts';
import { jsonSchemaOf } from './tools/index.ts';

/** What an agent works with. */
export interface AgentParts {
  readonly appName: string;
  readonly driver: InvocationDriver;
  readonly artifacts: ArtifactStore;
  readonly memory: MemoryService;
  /** The session as it is now. */
  readonly open: (key: Session['key']) => Promise<Session | undefined>;
  readonly clock: Clock;
  readonly logger?: Logger;
  /** Asked at each run, so that what has to be loaded is loaded late. */
  readonly telemetry?: () => Promise<Telemetry>;
}

/**
 * An agent over a log. Each run loads the session, appends the user's words, assembles what the model is given, recalls
 * memory, calls the model, appends what it said, answers its calls, and so on until it has answered. Throws
 * INVALID_ARGUMENT naming the option that is wrong.
 */
export function createAgent<State extends object>(options: AgentOptions<State>, parts: AgentParts): Agent {
  checkAgentOptions(options);
  const { name, retry, outputSchema } = options;
  const model = retry === false ? options.model : withRetries(options.model, retry);
  // Found out now, so that a schema that describes nothing is told before the first run.
  const outputJsonSchema = outputSchema === undefined ? undefined : jsonSchemaOf(outputSchema, 'outputSchema');
  // Which keys state has is known to the compiler alone.
  const untyped = options as object as AgentOptions;
  const logger = parts.logger ?? silentLogger;
  return {
    name,
    async *run(input: RunInput): AsyncGenerator<RunEvent, void, undefined> {
      const { key, projectId, content, stateDelta, onBusy, signal } = readRunInput(input, parts.appName);
      const telemetry = (await parts.telemetry?.()) ?? silentTelemetry;
      const span = telemetry.span(`invoke_agent ${name}`, {
        'gen_ai.operation.name': 'invoke_agent',
        'gen_ai.agent.name': name,
        'gen_ai.conversation.id': key.sessionId,
        'gen_ai.request.model': model.name,
      });
      const states = new RunStates({});
      try {
        const actions = states.take(stateDelta);
        const invocation = await parts.driver.begin({
          key,
          ...(projectId === undefined ? {} : { projectId }),
          agentName: name,
          events: isSomething(content, actions) ? [{ author: 'user', ...(content && { content }), actions }] : [],
          ...(onBusy === undefined ? {} : { onBusy }),
          ...(signal === undefined ? {} : { signal }),
          span,
        });
        try {
          states.renew(invocation.session.state);
          const run = new AgentRun(untyped, { ...parts, logger, model, outputJsonSchema, invocation, states, span });
          yield* run.events();
        } finally {
          await invocation.finish();
        }
      } catch (error) {
        span.end(error);
        throw error;
      } finally {
        span.end();
      }
    },
  };
}

function isSomething(content: unknown, actions: object): boolean {
  return content !== undefined || Object.keys(actions).length > 0;
}
