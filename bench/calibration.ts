const record = { id: 'c'.repeat(36), text: 'x'.repeat(900), list: [1, 2, 3], nested: { a: true, b: null } };
const rounds = 20_000;

/**
 * Milliseconds that this machine takes, right now, for 20,000 JSON round trips of one kilobyte: the yardstick for bars
 * in milliseconds, which hold up to 60 and scale with it above.
 */
export function calibrate(): number {
  const started = performance.now();
  let length = 0;
  for (let round = 0; round < rounds; round++) length += JSON.stringify(JSON.parse(JSON.stringify(record))).length;
  const millis = performance.now() - started;
  return length > 0 ? millis : 0;
}
