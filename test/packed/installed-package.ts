import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The project's root folder. */
export const projectRoot = join(import.meta.dirname, '..', '..');

/** The package as a stranger gets it: built, packed and installed into a folder of its own. */
export interface InstalledPackage {
  /** Folder of the installing application. */
  readonly folder: string;
  /** Folder of the installed package. */
  readonly root: string;
  /** Paths in the tarball. */
  readonly files: readonly string[];
  /** Runs a module's text there and returns what it printed. */
  run(source: string): string;
  remove(): void;
}

/** Packs the project (which builds it) and installs the tarball, with further packages if wanted, without install scripts. */
export function installPackage(further: readonly string[] = []): InstalledPackage {
  const folder = mkdtempSync(join(tmpdir(), 'palimpsest-packed-'));
  const packed = npm(['pack', '--json', '--pack-destination', folder], projectRoot);
  const [report]: { filename: string; files: { path: string }[] }[] = JSON.parse(packed.slice(packed.indexOf('[\n')));
  if (report === undefined) throw new Error('npm pack reported nothing');
  const application = join(folder, 'application');
  mkdirSync(application);
  writeFileSync(
    join(application, 'package.json'),
    JSON.stringify({ name: 'application', private: true, type: 'module' }),
  );
  npm(['install', '--ignore-scripts', '--prefer-offline', join(folder, report.filename), ...further], application);
  return {
    folder: application,
    root: join(application, 'node_modules', 'palimpsest'),
    files: report.files.map(({ path }) => path).sort(),
    run: (source) =>
      execFileSync(process.execPath, ['--input-type=module', '-e', source], { cwd: application, encoding: 'utf8' }),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Packages that the project uses as `name@version`, to be installed beside it. */
export function atProjectVersion(...names: readonly string[]): string[] {
  const { dependencies, devDependencies } = readManifest();
  return names.map((name) => `${name}@${dependencies[name] ?? devDependencies[name]}`);
}

/** The manifest of the project. */
export function readManifest(): {
  version: string;
  exports: Record<string, unknown>;
  dependencies: Record<string, string>;
  devDependencies: Record<string, string>;
} {
  return JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8'));
}

function npm(args: readonly string[], cwd: string): string {
  return execFileSync('npm', args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}
