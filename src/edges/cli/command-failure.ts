/** A failure with what belongs to it besides its own words. */
export class CommandFailure extends Error {
  /** What a script needs to know: facts that stand in the error's JSON, under names of their own. */
  readonly facts: Readonly<Record<string, unknown>>;
  /** What a person may do about it. */
  readonly hint: string | undefined;

  constructor(cause: unknown, facts: Readonly<Record<string, unknown>> = {}, hint?: string) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.facts = facts;
    this.hint = hint;
  }
}
