import { benchAppend } from './append.ts';
import { benchAssemble } from './assemble.ts';
import { calibrate } from './calibration.ts';
import { benchCompactionCost } from './compaction-cost.ts';
import { benchHeap } from './heap.ts';
import { benchImport } from './import.ts';
import { benchLive } from './live.ts';
import { benchMemory } from './memory.ts';
import { measureAdk } from './peers.ts';
import { benchRead } from './read.ts';
import { benchTurn } from './turn.ts';

const benches: Readonly<Record<string, (print: (line: string) => void) => Promise<Record<string, number>>>> = {
  append: benchAppend,
  read: benchRead,
  import: benchImport,
  heap: benchHeap,
  turn: benchTurn,
  assemble: async (print) => ({ ...(await benchAssemble(print)), ...(await benchLive(print)) }),
  'compaction-cost': benchCompactionCost,
  memory: benchMemory,
};

const usage = `usage: npm run bench -- <${Object.keys(benches).join('|')}|all> [--json] [--peers]

Prints what it measures. With --json the last line is one JSON object with all digits and the calibration in
milliseconds; bars in milliseconds hold for a calibration up to 60 and scale with it above. With --peers the same is
measured of @google/adk 2.0.0; turn and assemble always measure it too. It is installed into bench/peers when it is
first asked for.`;

function printPeers(): void {
  const { importMs, appendAt1kMs, appendAt10kMs, bytesPerEvent } = measureAdk(console.log);
  console.log('@google/adk 2.0.0, in memory');
  console.log(`  import ${importMs.toFixed(0)} ms, ${bytesPerEvent.toFixed(0)} bytes per text event`);
  console.log(
    `  append ${(appendAt1kMs * 1000).toFixed(1)} µs at 1k events, ${(appendAt10kMs * 1000).toFixed(1)} µs at 10k`,
  );
}

/** `{ 'en.p95': 1 }` as `{ en: { p95: 1 } }`. */
function nested(figures: Readonly<Record<string, number>>): Record<string, number | Record<string, number>> {
  const result: Record<string, number | Record<string, number>> = {};
  for (const [name, value] of Object.entries(figures)) {
    const [group = '', inner] = name.split('.');
    const before = result[group];
    if (inner === undefined) result[name] = value;
    else result[group] = { ...(typeof before === 'object' ? before : {}), [inner]: value };
  }
  return result;
}

async function main(words: readonly string[]): Promise<number> {
  const json = words.includes('--json');
  const [name, ...rest] = words.filter((word) => word !== '--json' && word !== '--peers');
  if (name === undefined || rest.length > 0 || !(Object.hasOwn(benches, name) || name === 'all')) {
    console.error(usage);
    return name === '--help' ? 0 : 2;
  }
  if (words.includes('--peers')) printPeers();
  for (const [each, bench] of Object.entries(benches)) {
    if (name !== 'all' && name !== each) continue;
    const calibration = calibrate();
    console.log(`${each} (calibration ${calibration.toFixed(1)} ms)`);
    const figures = await bench((line) => console.log(`  ${line}`));
    if (json) console.log(JSON.stringify({ ...nested(figures), calibration }));
  }
  return 0;
}

// A reader that has seen enough (head) is no failure.
process.stdout.on('error', () => process.exit(0));
process.exitCode = await main(process.argv.slice(2));
