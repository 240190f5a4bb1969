/** The calls of a session as numbers: when each happened, what came in before it and what it replied, in tokens. */
export interface Trace {
  readonly name: string;
  /** Tokens of instruction and tools. */
  readonly base: number;
  /** When calls happen. */
  readonly seconds: readonly number[];
  /** How many calls each turn has. */
  readonly turns: readonly number[];
  /** The user's question before the first call of a turn, a tool's result before each other one. */
  readonly incoming: readonly number[];
  readonly replies: readonly number[];
}

/** A trace with what is often asked of it; call n has the events 2n, what comes in, and 2n + 1, the reply. */
export interface CallTable {
  readonly trace: Trace;
  /** At n: how many calls of its turn stand before call n. */
  readonly places: readonly number[];
  /** At n: tokens of the first n events. */
  readonly sums: readonly number[];
}

/** Works out once what every schedule of a trace needs. */
export function tableOf(trace: Trace): CallTable {
  const sums = [0];
  for (const [call, incoming] of trace.incoming.entries())
    for (const tokens of [incoming, trace.replies[call] ?? 0]) sums.push((sums.at(-1) ?? 0) + tokens);
  const places = trace.turns.flatMap((calls) => Array.from({ length: calls }, (_, place) => place));
  return { trace, places, sums };
}
