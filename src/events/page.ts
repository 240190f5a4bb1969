/** Some items in order, and where to go on; no cursor means that this was the end. */
export interface Page<T> {
  readonly items: readonly T[];
  readonly nextCursor?: string;
}
