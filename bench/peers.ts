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

/** Measures the session service of @google/adk 2.0.0. */
export function measureAdk(print: (line: string) => void): PeerFigures {
  return runPeer('adk.mjs', print);
}

/** Measures a turn of the Runner of @google/adk 2.0.0. */
export function measureAdkTurn(print: (line: string) => void): { readonly turnCpuMs: number } {
  return runPeer('adk-turn.mjs', print);
}

/** Measures what @google/adk 2.0.0 takes from the given events to the contents of a request. */
export function measureAdkContents(
  print: (line: string) => void,
  events: readonly object[],
): { readonly contentsMs: number; readonly contents: number } {
  return runPeer('adk-contents.mjs', print, JSON.stringify(events));
}

/** Runs a program in bench/peers, installing the rivals first, by the lock file that stands there. */
function runPeer<Figures>(program: string, print: (line: string) => void, input = ''): Figures {
  if (!existsSync(`${folder}node_modules`)) {
    print('installing the rivals into bench/peers …');
    execFileSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], {
      cwd: folder,
      stdio: 'inherit',
    });
  }
  const output = execFileSync(process.execPath, [program], { cwd: folder, encoding: 'utf8', input });
  return JSON.parse(output.trim().split('\n').at(-1) ?? '{}');
}
