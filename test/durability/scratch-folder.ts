import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished, type TestContext } from 'vitest';

/** A folder of the running test's own, removed when it ends. */
export function scratchFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'palimpsest-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A small file system in memory, mounted for the running test; skips the test where mounting is not permitted. */
export function smallDisk(context: TestContext, size: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'palimpsest-disk-'));
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', folder]);
  onTestFinished(() => {
    // Lazily, so that a file left open by a failed test does not keep the mount.
    if (status === 0) spawnSync('umount', ['-l', folder]);
    rmSync(folder, { recursive: true, force: true });
  });
  context.skip(status !== 0, 'needs the right to mount a file system');
  return folder;
}
