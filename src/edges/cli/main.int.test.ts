import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  closeSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import process from 'node:process';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { startWireServer } from '../../../test/wire-server/index.ts';
import { SqliteFile } from '../../backends/sqlite/index.ts';
import { openPalimpsest } from '../../engine/index.ts';

const project = resolve('.');
const program = ['--import', 'tsx', join(project, 'src/edges/cli/main.ts')];
const timeout = 120_000;
let directory = '';
let store = '';

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'palimpsest-main-'));
  store = join(directory, 'talks.db');
  const made = join(directory, 'made.db');
  const palimpsest = await openPalimpsest({ file: made });
  const session = await palimpsest.user('u1').session('trip');
  await session.append([
    { author: 'user', content: '我周五去大理，大概住三天。' },
    { author: 'assistant', content: '好的。' },
  ]);
  await palimpsest.close();
  // Some drivers of this process let go of what stands beside a closed file only later.
  copyFileSync(made, store);
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

interface Running {
  readonly child: ChildProcess;
  readonly ended: Promise<{ readonly code: number | null; readonly out: string; readonly err: string }>;
  /** The command's folders for temporary files that are there now. */
  scratch(): string[];
}

/** Runs the command as a process with a folder of its own for temporary files. */
function start(
  args: readonly string[],
  options: { readonly stdout?: number; readonly stderr?: number; readonly uid?: number } = {},
): Running {
  const temporary = mkdtempSync(join(directory, 'tmp-'));
  chmodSync(temporary, 0o777);
  const { uid } = options;
  const child = spawn(process.execPath, [...program, ...args], {
    cwd: project,
    env: { ...process.env, NO_COLOR: '1', TMPDIR: temporary, PALIMPSEST_FILE: store },
    stdio: ['ignore', options.stdout ?? 'pipe', options.stderr ?? 'pipe'],
    ...(uid === undefined ? {} : { uid, gid: uid }),
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let out = '';
  let err = '';
  child.stdout?.on('data', (data) => {
    out += String(data);
  });
  child.stderr?.on('data', (data) => {
    err += String(data);
  });
  return {
    child,
    ended: new Promise((done) => child.on('close', (code) => done({ code, out, err }))),
    scratch: () => readdirSync(temporary).filter((name) => name.startsWith('palimpsest-')),
  };
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((again) => setTimeout(again, 10));
}

describe('signals', () => {
  test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('%s leaves no copy of the store', { timeout }, async (signal) => {
    const { child, ended, scratch } = start(['doctor']);
    await until(() => scratch().length > 0 || child.exitCode !== null);
    expect(scratch()).toHaveLength(1);
    child.kill(signal);
    const { code, out, err } = await ended;
    expect({ code, out, err }).toEqual({
      code: 130,
      out: '',
      err: 'error: The command was stopped before it finished.\n',
    });
    expect(scratch()).toEqual([]);
  });

  test('SIGINT stops a fold, and nothing is folded', { timeout }, async () => {
    const server = await startWireServer();
    onTestFinished(() => server.close());
    server.reply({ hang: true });
    const model = `${server.baseUrl('openai')}#模型`;
    const copy = join(directory, 'folded.db');
    copyFileSync(store, copy);
    const { child, ended } = start(['compact', 'trip', '--through', '1', '--model', model, '--file', copy]);
    await until(() => server.requests.length > 0 || child.exitCode !== null);
    child.kill('SIGINT');
    const { code, out, err } = await ended;
    expect({ code, out }).toEqual({ code: 130, out: '' });
    expect(err).toMatch(/^Asking 模型 for a summary …\nerror: .*\nNothing was folded\.\n$/);
    const palimpsest = await openPalimpsest({ file: copy });
    const session = await palimpsest.user('u1').session('trip');
    expect(session.version).toBe(2);
    await palimpsest.close();
  });

  test('a second one ends it at once, and tidies up all the same', { timeout }, async () => {
    const { child, ended, scratch } = start(['doctor']);
    await until(() => scratch().length > 0 || child.exitCode !== null);
    child.kill('SIGTERM');
    child.kill('SIGINT');
    expect((await ended).code).toBe(130);
    expect(scratch()).toEqual([]);
  });
});

describe.skipIf(!existsSync('/dev/full'))('a full disk behind stdout', () => {
  test.each([['sessions'], ['sessions', '--json'], ['--help']])(
    '%j %j: one line with the reason',
    { timeout },
    async (...args) => {
      const full = openSync('/dev/full', 'w');
      const { code, err } = await start(args.filter(Boolean), { stdout: full }).ended;
      closeSync(full);
      expect(code).toBe(1);
      expect(err.trimEnd().split('\n')).toHaveLength(1);
      expect(err).toMatch(args.includes('--json') ? /^\{"error":\{"code":"ENOSPC"/ : /^error: .*no space left/);
      expect(readdirSync(directory).filter((name) => /^talks.*-(wal|shm)$/.test(name))).toEqual([]);
    },
  );

  test('stderr may be full too', { timeout }, async () => {
    const full = openSync('/dev/full', 'w');
    const { code } = await start(['sessions'], { stdout: full, stderr: full }).ended;
    closeSync(full);
    expect(code).toBe(1);
  });
});

/** Root may write anywhere, so the command runs as somebody else then; `undefined` where that is impossible. */
const nobody = 65534;
const unprivileged = process.getuid?.() === 0 ? { uid: nobody, gid: nobody } : {};
const canRun =
  process.getuid !== undefined &&
  spawnSync(process.execPath, [...program, '--version'], { ...unprivileged, cwd: project }).status === 0;

describe.skipIf(!canRun)('a store that may not be written', () => {
  let readOnly = '';
  beforeAll(() => {
    const folder = join(directory, 'read-only');
    mkdirSync(folder);
    readOnly = join(folder, 'talks.db');
    chmodSync(directory, 0o755);
    copyFileSync(store, readOnly);
    chmodSync(readOnly, 0o444);
    chmodSync(folder, 0o555);
  });
  afterAll(() => chmodSync(join(directory, 'read-only'), 0o755));

  const uid = process.getuid?.() === 0 ? { uid: nobody } : {};

  test.each([
    ['sessions', 'trip'],
    ['show trip', '大理'],
    ['search 大理 --user u1', '大理'],
    ['ask 大理 --user u1', '大理'],
    ['doctor', 'The file is sound.'],
  ])('%s reads it', { timeout }, async (command, shown) => {
    const before = readFileSync(readOnly);
    const running = start([...command.split(' '), '--file', readOnly], uid);
    const { code, out, err } = await running.ended;
    expect({ code, err }).toMatchObject({ code: 0, err: expect.not.stringMatching(/error/) });
    expect(out).toContain(shown);
    expect(running.scratch()).toEqual([]);
    expect(readFileSync(readOnly)).toEqual(before);
    expect(readdirSync(join(directory, 'read-only'))).toEqual(['talks.db']);
  });

  test('erase is told why not', { timeout }, async () => {
    const { code, out, err } = await start(['erase', '--user', 'u1', '--yes', '--file', readOnly], uid).ended;
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toMatch(/^error: .*talks\.db" failed: there is no permission to write/);
  });
});

test('the doctor leaves nothing beside a store', { timeout }, async () => {
  expect((await start(['doctor']).ended).code).toBe(0);
  expect(readdirSync(directory).filter((name) => name.startsWith('talks'))).toEqual(['talks.db']);
});

test('a log that memory cannot read is told in one line', { timeout }, async () => {
  const hurt = join(directory, 'hurt.db');
  const palimpsest = await openPalimpsest({ file: hurt, ingest: 'never' });
  const session = await palimpsest.user('u1').session('s1');
  await session.append([{ author: 'user', content: 'hello', invocationId: 'i1' }]);
  await palimpsest.close();
  const file = await SqliteFile.open({ file: hurt });
  await file.write(() => file.run("UPDATE events SET body = 'torn'"));
  file.close();
  const { code, out, err } = await start(['search', 'hello', '--file', hurt]).ended;
  expect({ code, out }).toEqual({ code: 1, out: '' });
  expect(err).toMatch(/^error: [^\n]*\n(Run again[^\n]*\n)?$/);
});
