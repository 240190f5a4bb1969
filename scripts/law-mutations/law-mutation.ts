/** A fault put into one place of the source, and the laws that must notice it. */
export interface LawMutation {
  /** Below src/. */
  readonly file: string;
  /** Stands exactly once in the file. */
  readonly from: string;
  readonly to: string;
  readonly red: readonly string[];
}
