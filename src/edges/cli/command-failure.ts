/** A failure with what a script needs to know beside it: facts that stand in the error's JSON, under names of their own. */
export class CommandFailure extends Error {
  readonly facts: Readonly<Record<string, unknown>>;

  constructor(cause: unknown, facts: Readonly<Record<string, unknown>> = {}) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.facts = facts;
  }
}
