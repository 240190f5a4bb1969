import { beginsInvocation, type Content, type Event } from '../events/index.ts';
import { overdueAnswers } from './prompt-events.ts';
import { type Unit, unitsOf } from './prompt-units.ts';

/** A unit of the log. */
export interface Logged {
  readonly unit: Unit;
  /** Index of its event. */
  readonly at: number;
  readonly invocationId: string;
  /** Its invocation begins with it. */
  readonly begins: boolean;
}

/** A unit of the prompt. */
export interface Asked {
  readonly unit: Unit;
  /** Index of its content. */
  readonly at: number;
}

/** A prompt beside a log. */
export interface AskedOfLog {
  readonly events: readonly Event[];
  readonly prompt: readonly Content[];
  readonly asked: readonly Asked[];
}

/** The units of a prompt, in order. */
export function askedUnits(prompt: readonly Content[]): readonly Asked[] {
  return prompt.flatMap((content, at) => unitsOf(content).map((unit): Asked => ({ unit, at })));
}

/** The units of live events, in order; of answers that broke off only if asked. */
export function loggedUnits(events: readonly Event[], withInterrupted: boolean): readonly Logged[] {
  const units: Logged[] = [];
  const met = new Set<string>();
  for (const [at, event] of events.entries()) {
    const { content, invocationId } = event;
    const begins = beginsInvocation(event.origin, event) && !met.has(invocationId);
    met.add(invocationId);
    if (content === undefined || event.origin === 'system' || (event.interrupted && !withInterrupted)) continue;
    for (const [index, unit] of unitsOf(content).entries())
      units.push({ unit, at, invocationId, begins: begins && index === 0 });
  }
  return units;
}

/**
 * The prompt's contents behind its first units, without those that say nothing; before them, responses from among the
 * first units that this part of the log waits for.
 */
export function freshFrom(
  { prompt, asked, events }: AskedOfLog,
  known: number,
  live: readonly Event[] = events,
): readonly Content[] {
  const last = asked[known - 1];
  if (last === undefined) return prompt.filter(speaks);
  const { at, unit } = last;
  const divided = prompt.slice(at, at + 1);
  const before = divided.map(({ role, parts }) => ({ role, parts: parts.slice(0, unit.end) }));
  const after = divided.map(({ role, parts }) => ({ role, parts: parts.slice(unit.end) }));
  const overdue = overdueAnswers([...prompt.slice(0, at), ...before], live);
  return [...overdue, ...[...after, ...prompt.slice(at + 1)].filter(speaks)];
}

function speaks(content: Content): boolean {
  return unitsOf(content).length > 0 || content.parts.some(({ functionResponse }) => functionResponse !== undefined);
}
