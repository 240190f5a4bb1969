import { writeSync } from 'node:fs';
import { openSqlite } from '../../src/backends/sqlite/index.ts';
import { isPalimpsestError } from '../../src/errors/index.ts';
import { type EventInput, openPalimpsest } from '../../src/index.ts';
import { createSessionService } from '../../src/sessions/index.ts';
import { importedSession } from './imported-session.ts';

/** What a worker process is told to do; every task prints a line for each thing that was acknowledged. */
export type WorkerTask = { readonly file: string } & (
  | { readonly do: 'talk' | 'import'; readonly userId: string; readonly sessionId: string }
  | { readonly do: 'append'; readonly writer: string; readonly count: number; readonly versioned: boolean }
  | { readonly do: 'makeStore' | 'createSession'; readonly writer: string }
  | { readonly do: 'shareState'; readonly writer: string; readonly count: number }
  | { readonly do: 'holdLock' }
);

/** The session that workers append to together. */
export const sharedSession = { appName: 'default', userId: 'u1', sessionId: 'shared' };

/** The merge of the state key that workers write together. */
export const sharedMerges = { 'user:notes': 'append' } as const;

type Task<Do extends WorkerTask['do']> = Extract<WorkerTask, { do: Do }>;

/** Synchronous, so that a line is on its way before anything else happens to the process. */
function say(line: string | number): void {
  writeSync(1, `${line}\n`);
}

/** A conversation without end, which memory reads while it goes on. Acknowledges versions. */
async function talk({ file, userId, sessionId }: Task<'talk' | 'import'>): Promise<void> {
  const palimpsest = await openPalimpsest({ file, sweepSeconds: 0 });
  const session = await palimpsest.user(userId).session(sessionId);
  for (;;) {
    const next = session.version + 1;
    const turn: EventInput[] = [
      { id: `e${next}`, author: 'user', content: `question ${next} 问题`, actions: { stateDelta: { asked: next } } },
      { id: `e${next + 1}`, author: 'assistant', content: `answer ${next + 1} 回答` },
    ];
    say((await session.append(turn)).version);
    // Gives ingestion its turn.
    await new Promise((goOn) => setImmediate(goOn));
  }
}

/** Imports one long session. Acknowledges the end. */
async function importSession({ file, userId, sessionId }: Task<'talk' | 'import'>): Promise<void> {
  const palimpsest = await openPalimpsest({ file, sweepSeconds: 0 });
  say('open');
  await palimpsest.import(importedSession({ userId, sessionId }), { from: 'test' });
  say('imported');
  await palimpsest.settled();
  say('read');
  await palimpsest.close();
}

/** Appends one event at a time, with or without the version it has seen. Acknowledges `writer number seq`. */
async function append({ file, writer, count, versioned }: Task<'append'>): Promise<void> {
  const palimpsest = await openPalimpsest({ file, ingest: 'never', sweepSeconds: 0 });
  const { sessions } = palimpsest;
  for (let number = 1; number <= count; ) {
    const seen = versioned ? await sessions.open(sharedSession) : undefined;
    const counted = Number(seen?.state.counter ?? 0);
    const event: EventInput = {
      id: `${writer}-${number}`,
      author: 'user',
      content: `${writer} ${number}`,
      ...(versioned ? { actions: { stateDelta: { counter: counted + 1 } } } : {}),
    };
    try {
      const expected = seen === undefined ? {} : { expectedVersion: seen.version };
      say(`${writer} ${number} ${(await sessions.append(sharedSession, [event], expected)).version}`);
      number++;
    } catch (error) {
      if (!isPalimpsestError(error, 'APPEND_CONFLICT')) throw error;
    }
  }
  await palimpsest.close();
}

/** Opens a file that may not exist yet and writes to both stores. Acknowledges the end. */
async function makeStore({ file, writer }: Task<'makeStore' | 'createSession'>): Promise<void> {
  const palimpsest = await openPalimpsest({ file, sweepSeconds: 0 });
  const session = await palimpsest.user(writer).session('s1');
  await session.append([{ author: 'user', content: `made by ${writer}` }]);
  await palimpsest.user(writer).remember(`likes ${writer}`);
  await palimpsest.close();
  say('made');
}

/** Creates the shared session. Acknowledges who won, or the refusal. */
async function createSession({ file, writer }: Task<'makeStore' | 'createSession'>): Promise<void> {
  const palimpsest = await openPalimpsest({ file, ingest: 'never', sweepSeconds: 0 });
  try {
    await palimpsest.sessions.create({ ...sharedSession, state: { 'user:owner': writer, creator: writer } });
    say('won');
  } catch (error) {
    if (!isPalimpsestError(error)) throw error;
    say(error.code);
  }
  await palimpsest.close();
}

/** Writes a user's state from a session of the writer's own: a merged key, and one for itself. */
async function shareState({ file, writer, count }: Task<'shareState'>): Promise<void> {
  const palimpsest = await openPalimpsest({ file, ingest: 'never', sweepSeconds: 0, state: sharedMerges });
  const session = await palimpsest.user('u1').session(writer);
  for (let number = 1; number <= count; number++) {
    const stateDelta = { 'user:notes': [`${writer}-${number}`], [`user:last-${writer}`]: number };
    await session.append([{ author: 'assistant', actions: { stateDelta } }]);
    say(number);
  }
  await palimpsest.close();
}

/** Holds the write lock until another line comes, with a row written that is then withdrawn. */
async function holdLock({ file }: Task<'holdLock'>): Promise<void> {
  const stores = await openSqlite({ file });
  await createSessionService({ store: stores.sessions }).health();
  stores.file.run('BEGIN IMMEDIATE');
  stores.file.run("UPDATE sessions SET body = 'half-written'");
  say('held');
  await nextLine();
  stores.file.run('ROLLBACK');
  say('released');
  stores.file.close();
}

const tasks: { readonly [Do in WorkerTask['do']]: (task: Task<Do>) => Promise<void> } = {
  talk,
  import: importSession,
  append,
  makeStore,
  createSession,
  shareState,
  holdLock,
};

/** Does the task given as the process's argument, once a line on its input gives the start. */
export async function runWorker(): Promise<void> {
  const task: WorkerTask = JSON.parse(process.argv[2] ?? '{}');
  say('ready');
  await nextLine();
  await (tasks[task.do] as (task: WorkerTask) => Promise<void>)(task);
  process.stdin.destroy();
}

function nextLine(): Promise<unknown> {
  return new Promise((goOn) => process.stdin.once('data', goOn));
}
