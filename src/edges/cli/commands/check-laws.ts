import { openSqlite } from '../../../backends/sqlite/index.ts';
import { createMemoryService, type MemoryStore } from '../../../memory/service/index.ts';
import { createSessionService, type SessionStore } from '../../../sessions/index.ts';
import {
  isRed,
  type LawReport,
  ManualClock,
  ManualHooks,
  memoryChecks,
  memoryLaws,
  runLaws,
  sessionChecks,
  sessionLawMerges,
  sessionLaws,
} from '../../../testing/index.ts';
import { countText } from '../display/index.ts';
import type { DoctorFinding, ScratchCopy } from './diagnose-file.ts';

const farFuture = '9999-12-31T23:59:59.000Z';

/** Has the file's own engine keep every law, each in an app of its own, beside the data that are there. */
export async function checkLaws(copy: ScratchCopy): Promise<DoctorFinding> {
  const reports = [...(await runSessionLaws(copy)), ...(await runMemoryLaws(copy))];
  // A signal makes the laws that are left fail; then there is nothing to report.
  await copy.mayGoOn();
  const broken = reports.filter(isRed);
  return {
    what: `Laws: ${reports.length - broken.length} of ${countText(reports.length, 'law')} kept, on a scratch copy`,
    problems: broken.map(({ law, why }) => `${law}: ${why?.split('\n')[0] ?? 'broken'}`),
  };
}

async function runSessionLaws({ file, mayGoOn }: ScratchCopy): Promise<readonly LawReport[]> {
  let runs = 0;
  const create = async () => {
    await mayGoOn();
    const clock = new ManualClock();
    const { one, two, dispose } = await openTwice(file);
    // Laws about expiry count what a sweep removes: nothing that stands there already may expire meanwhile.
    await createSessionService({ store: one.sessions }).sweepExpired(farFuture);
    const hooks = new ManualHooks();
    const { beforeAppend, beforeErase } = hooks;
    const options = { clock, merges: sessionLawMerges, beforeAppend, beforeErase };
    const serviceOn = (store: SessionStore) => createSessionService({ store, ...options });
    const capabilities = new Set(['artifacts'] as const);
    return {
      first: serviceOn(one.sessions),
      second: serviceOn(two.sessions),
      clock,
      hooks,
      capabilities,
      appName: `doctor-${++runs}`,
      dispose,
    };
  };
  return runLaws({ laws: sessionLaws, checks: sessionChecks, create });
}

/** Laws of memory want a store without anything in it, so each gets a file of its own beside the copy. */
async function runMemoryLaws({ file, mayGoOn }: ScratchCopy): Promise<readonly LawReport[]> {
  let runs = 0;
  const create = async () => {
    await mayGoOn();
    const { one, two, dispose } = await openTwice(`${file}.memory-${++runs}`);
    const serviceOn = (store: MemoryStore) => createMemoryService({ store });
    return { memory: serviceOn(one.memory), second: serviceOn(two.memory), capabilities: new Set<string>(), dispose };
  };
  return runLaws({ laws: memoryLaws, checks: memoryChecks, create });
}

async function openTwice(file: string) {
  const one = await openSqlite({ file });
  const two = await openSqlite({ file });
  const dispose = async () => {
    one.file.close();
    two.file.close();
  };
  return { one, two, dispose };
}
