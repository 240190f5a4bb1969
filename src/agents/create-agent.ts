import type { ArtifactStore, Clock } from '../events/index.ts';
import type { MemoryService } from '../memory/service/index.ts';
import {
  type Logger,
  type RetryOptions,
  type Span,
  silentLogger,
  silentTelemetry,
  type Telemetry,
  withRetries,
} from '../models/index.ts';
import type { Session, SessionService } from '../sessions/index.ts';
import type { Agent, AgentOptions, RunEvent, RunInput } from './agent-options.ts';
import { AgentRun } from './agent-run.ts';
import { checkAgentOptions } from './check-agent-options.ts';
import { guardedLogger } from './guarded-logger.ts';
import { guardedTelemetry } from './guarded-telemetry.ts';
import type { InvocationDriver } from './invocation-driver.ts';
import { nothingSaid, readRunInput } from './read-run-input.ts';
import { RunStates } from './run-state.ts';
import type { MemoryOwner } from './tool-memory.ts';
import { jsonSchemaOf } from './tools/index.ts';

/** What an agent works with. */
export interface AgentParts {
  readonly appName: string;
  readonly driver: InvocationDriver;
  readonly artifacts: ArtifactStore;
  readonly memory: MemoryService;
  /** Removes a memory and what quotes it; returns how many are gone. Default: the memory alone. */
  readonly forget?: (scope: MemoryOwner, id: string) => Promise<number>;
  /** Where tools read the conversation beyond what the model is given. Default: they cannot. */
  readonly history?: Pick<SessionService, 'read' | 'readBookkeeping'>;
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
  const { name, model, retry, outputSchema } = options;
  // Wrapped at each run; now only to find out whether the options can be.
  if (retry !== false) withRetries(model, retry);
  // Found out now, so that a schema that describes nothing is told before the first run.
  const outputJsonSchema = outputSchema === undefined ? undefined : jsonSchemaOf(outputSchema, 'outputSchema');
  // Which keys state has is known to the compiler alone.
  const untyped = options as object as AgentOptions;
  const logger = guardedLogger(parts.logger ?? silentLogger);
  return {
    name,
    async *run(input: RunInput): AsyncGenerator<RunEvent, void, undefined> {
      const { key, projectId, content, stateDelta, onBusy, signal } = readRunInput(input, parts.appName);
      const telemetry = guardedTelemetry(await loadTelemetry(parts));
      const span = telemetry.span(`invoke_agent ${name}`, {
        'gen_ai.operation.name': 'invoke_agent',
        'gen_ai.agent.name': name,
        'gen_ai.conversation.id': key.sessionId,
        'gen_ai.request.model': model.name,
      });
      const states = new RunStates({});
      const run = { ...parts, logger, outputJsonSchema, states, span };
      try {
        if (content === undefined) await requireSomethingSaid(key, parts);
        const actions = states.take(stateDelta);
        const patient = retry === false ? model : withRetries(model, toldRetries(retry, run));
        const invocation = await parts.driver.begin({
          key,
          ...(projectId === undefined ? {} : { projectId }),
          agentName: name,
          events: isSomething(content, actions) ? [{ author: 'user', ...(content && { content }), actions }] : [],
          ...(onBusy === undefined ? {} : { onBusy }),
          ...(signal === undefined ? {} : { signal }),
          span,
        });
        const running = new AgentRun(untyped, { ...run, model: patient, invocation });
        try {
          states.renew(invocation.session.state);
          yield* running.events();
        } finally {
          await invocation.finish(running.report);
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

/** A run is timed if it can be. */
async function loadTelemetry({ telemetry, logger }: AgentParts): Promise<Telemetry> {
  try {
    return (await telemetry?.()) ?? silentTelemetry;
  } catch (error) {
    guardedLogger(logger ?? silentLogger).warn('a run is not timed', { error: String(error) });
    return silentTelemetry;
  }
}

/** Throws INVALID_ARGUMENT if neither the caller nor the session has anything that could be answered. */
async function requireSomethingSaid(key: Session['key'], { open }: AgentParts): Promise<void> {
  const session = await open(key);
  if (session === undefined || session.version === 0) throw nothingSaid();
}

/** The options, with the log and the trace told of each repetition as well. */
function toldRetries(
  retry: RetryOptions = {},
  { logger, span }: { readonly logger: Logger; readonly span: Span },
): RetryOptions {
  let count = 0;
  return {
    ...retry,
    onRetry: (repetition) => {
      const { attempt, delayMs, error } = repetition;
      count++;
      span.set({ 'palimpsest.model.repetitions': count });
      logger.warn('a model call is repeated', { ...error.details, attempt, delayMs });
      retry.onRetry?.(repetition);
    },
  };
}

function isSomething(content: unknown, actions: object): boolean {
  return content !== undefined || Object.keys(actions).length > 0;
}
