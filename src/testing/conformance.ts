import { PalimpsestError } from '../index.ts';

/** A requirement of a contract, as data. */
export interface Law {
  /** The requirement in one sentence. */
  readonly says: string;
  /** Where it comes from: a section of the contract, rows of the fault catalogue. */
  readonly source: string;
  /** What a subject must be capable of; one that is not must refuse with a typed error. */
  readonly needs?: string;
}

/** Laws by id. */
export type Laws = Readonly<Record<string, Law>>;

/** Proves a law by throwing where it is broken. */
export type Proof<Subject> = (subject: Subject) => Promise<void>;

/** The proof of a law; for one that needs a capability also the proof that a subject without it refuses. */
export type Check<Subject> = Proof<Subject> | { readonly holds: Proof<Subject>; readonly refuses: Proof<Subject> };

/** Checks by the id of the law they prove. */
export type Checks<Subject> = Readonly<Record<string, Check<Subject>>>;

/** What every subject offers, whatever is tested on it. */
export interface LawSubject {
  /** Of the capabilities that laws name, those it has. */
  readonly capabilities: ReadonlySet<string>;
  /** Closes it and removes what the check left. */
  dispose(): Promise<void>;
}

/**
 * How a law fared: kept; broken; refused as declared, where the capability is missing; a known failure; or stale, which
 * is a known failure that no longer fails and has to be struck off the list.
 */
export type LawOutcome = 'kept' | 'broken' | 'refused-as-declared' | 'known' | 'stale';

/** The result of one law on one subject. */
export interface LawReport {
  readonly law: string;
  readonly outcome: LawOutcome;
  /** What went wrong, or the reason on the list of known failures. */
  readonly why?: string;
  /** The error behind `why`. */
  readonly error?: unknown;
}

/** What is run, and on what. */
export interface RunLaws<Subject extends LawSubject> {
  readonly laws: Laws;
  readonly checks: Checks<Subject>;
  /** Makes a fresh subject; called once a law. */
  readonly create: () => Promise<Subject>;
  /** Law → why it is known to fail here. It runs all the same. */
  readonly known?: Readonly<Record<string, string>>;
  /** Run only these laws. */
  readonly only?: readonly string[];
}

/** True for the outcomes that must fail a build. */
export function isRed(report: LawReport): boolean {
  return report.outcome === 'broken' || report.outcome === 'stale';
}

/**
 * Runs every law against a fresh subject, one after the other, without any test runner. Throws INVALID_ARGUMENT if a law
 * has no check, a check no law, or a known failure names neither.
 */
export async function runLaws<Subject extends LawSubject>(options: RunLaws<Subject>): Promise<readonly LawReport[]> {
  refuseMismatch(options);
  const reports: LawReport[] = [];
  for (const law of options.only ?? Object.keys(options.laws)) reports.push(await runLaw(options, law));
  return reports;
}

async function runLaw<Subject extends LawSubject>(options: RunLaws<Subject>, law: string): Promise<LawReport> {
  const known = options.known?.[law];
  const result = await prove(options, law);
  if ('error' in result) {
    if (known !== undefined) return { law, outcome: 'known', why: known, error: result.error };
    return { law, outcome: 'broken', why: describe(result.error), error: result.error };
  }
  if (known !== undefined) return { law, outcome: 'stale', why: `is kept now; no longer known to fail: ${known}` };
  return { law, outcome: result.outcome };
}

async function prove<Subject extends LawSubject>(
  { laws, checks, create }: RunLaws<Subject>,
  law: string,
): Promise<{ outcome: 'kept' | 'refused-as-declared' } | { error: unknown }> {
  const needs = laws[law]?.needs;
  const check = checks[law];
  try {
    const subject = await create();
    try {
      const lacks = needs !== undefined && !subject.capabilities.has(needs);
      const proof = typeof check === 'object' ? (lacks ? check.refuses : check.holds) : check;
      await proof?.(subject);
      return { outcome: lacks ? 'refused-as-declared' : 'kept' };
    } finally {
      await subject.dispose();
    }
  } catch (error) {
    return { error };
  }
}

function refuseMismatch<Subject extends LawSubject>({ laws, checks, known = {}, only = [] }: RunLaws<Subject>): void {
  const named = (lists: Readonly<Record<string, unknown>>, other: Readonly<Record<string, unknown>>): string =>
    Object.keys(lists)
      .filter((id) => !Object.hasOwn(other, id))
      .join(', ');
  refuse('laws', 'have no check', named(laws, checks));
  refuse('checks', 'prove no law', named(checks, laws));
  refuse('known', 'name no law', named(known, laws));
  refuse('only', 'name no law', only.filter((id) => !Object.hasOwn(laws, id)).join(', '));
  const halves = Object.keys(laws).filter((id) => (laws[id]?.needs !== undefined) !== (typeof checks[id] === 'object'));
  refuse('checks', 'must prove the refusal exactly where their law needs a capability', halves.join(', '));
}

function refuse(argument: string, fault: string, ids: string): void {
  if (ids !== '') throw new PalimpsestError('INVALID_ARGUMENT', { argument, reason: `${fault}: ${ids}` });
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
