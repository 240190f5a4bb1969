import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** What a rival's own service costs, measured in a process of its own. */
export interface PeerFigures {
  readonly importMs: number;
  readonly appendAt1kMs: number;
  readonly appendAt10kMs: number;
  readonly bytesPerEvent: number;
}

const folder = fileURLToPath(new URL('./peers/', import.meta.url));

/** Measures @google/adk 2.0.0, installing it first into bench/peers, by the lock file that stands there. */
export function measureAdk(print: (line: string) => void): PeerFigures {
  if (!existsSync(`${folder}node_modules`)) {
    print('installing the rivals into bench/peers …');
    execFileSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], {
      cwd: folder,
      stdio: 'inherit',
    });
  }
  const output = execFileSync(process.execPath, ['adk.mjs'], { cwd: folder, encoding: 'utf8' });
  return JSON.parse(output.trim().split('\n').at(-1) ?? '{}');
}
