/** The value in the middle, or the mean of the two. */
export function median(values: readonly number[]): number {
  return percentile(values, 50);
}

/** Linear interpolation between the closest ranks. */
export function percentile(values: readonly number[], percent: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const rank = (percent / 100) * (sorted.length - 1);
  const below = sorted[Math.floor(rank)] ?? 0;
  const above = sorted[Math.ceil(rank)] ?? below;
  return below + (above - below) * (rank - Math.floor(rank));
}

/** A figure for people: three significant digits. */
export function round(value: number): string {
  return Number(value.toPrecision(3)).toString();
}
