import { PalimpsestError } from '../../errors/index.ts';
import type { RunState, ToolContext, ToolHistory } from './tool.ts';

/** The context of one call, and how to close it. */
export interface CallContext {
  readonly context: ToolContext;
  /** From now on the call has its answer. */
  close(): void;
}

/**
 * The context that a tool is given for one call. Once the call has its answer, or is stopped, it changes nothing any
 * more: what would have an effect throws ABORTED, so that a tool that works on does not write into a run that goes on
 * without it. Reading stays possible.
 */
export function callContext(given: ToolContext, { what, signal }: { what: string; signal: AbortSignal }): CallContext {
  let isOver = false;
  const refuse = (): void => {
    if (isOver || signal.aborted) throw new PalimpsestError('ABORTED', { what }, { cause: signal.reason });
  };
  const { artifacts, memory } = given;
  // Written out, because a context may be an instance whose members do not spread.
  const context: ToolContext = {
    sessionKey: given.sessionKey,
    ...(given.projectId !== undefined && { projectId: given.projectId }),
    invocationId: given.invocationId,
    agentName: given.agentName,
    callId: given.callId,
    signal,
    state: guardedState(given.state, refuse),
    artifacts: {
      save: async (...call) => {
        refuse();
        return artifacts.save(...call);
      },
      load: (...call) => artifacts.load(...call),
      list: () => artifacts.list(),
    },
    memory: {
      search: (...call) => memory.search(...call),
      remember: async (...call) => {
        refuse();
        return memory.remember(...call);
      },
      forget: async (id) => {
        refuse();
        return memory.forget(id);
      },
    },
    ...(given.history && { history: guardedHistory(given.history, refuse) }),
    logger: given.logger,
    skipSummarization: () => {
      refuse();
      given.skipSummarization();
    },
    completeTask: () => {
      refuse();
      given.completeTask();
    },
  };
  const close = (): void => {
    isOver = true;
  };
  return { context, close };
}

function guardedHistory(history: ToolHistory, refuse: () => void): ToolHistory {
  return {
    pin: async (seqs) => {
      refuse();
      return history.pin(seqs);
    },
    unpin: async (seqs) => {
      refuse();
      return history.unpin(seqs);
    },
    compact: (asked) => {
      refuse();
      history.compact(asked);
    },
    summaries: () => history.summaries(),
    read: (options) => history.read(options),
  };
}

function guardedState(state: RunState, refuse: () => void): RunState {
  return {
    get: (key) => state.get(key),
    has: (key) => state.has(key),
    set: (key, value) => {
      refuse();
      state.set(key, value);
    },
    delete: (key) => {
      refuse();
      state.delete(key);
    },
    all: () => state.all(),
  };
}
