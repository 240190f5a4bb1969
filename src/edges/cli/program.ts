import { Command, InvalidArgumentError, Option } from 'commander';
import packageJson from '../../../package.json' with { type: 'json' };
import { PalimpsestError } from '../../errors/index.ts';
import type { Provider } from '../../events/index.ts';
import { askQuestion, modelAsked } from './commands/ask-question.ts';
import { backupStore } from './commands/backup-store.ts';
import { compactSession } from './commands/compact-session.ts';
import { diagnoseFile } from './commands/diagnose-file.ts';
import { diffSeqs } from './commands/diff-seqs.ts';
import { eraseData } from './commands/erase-data.ts';
import { expandSession } from './commands/expand-session.ts';
import { importFile } from './commands/import-file.ts';
import { showSessions } from './commands/list-sessions.ts';
import { pinEvents } from './commands/pin-events.ts';
import { printUsage } from './commands/print-usage.ts';
import { searchMemory } from './commands/search-memory.ts';
import { showSession } from './commands/show-session.ts';
import { printable, wrapHanging } from './display/index.ts';
import { importFormats } from './import-formats.ts';
import { modelForms } from './model-choice.ts';
import { exitCodes, reportError } from './report-error.ts';
import { type CliIo, createTerminal, defaultApp, type GlobalOptions, type Terminal } from './terminal.ts';
import { watchOutput } from './watch-output.ts';

const providers: readonly Provider[] = ['gemini', 'anthropic', 'openai'];

/** Commander breaks no line that would be narrower; the terminal would then break inside words. */
const narrowestHelp = 20;

const showExamples = `
Examples:
  $ palimpsest show 6f2a                     the log
  $ palimpsest show 6f2a --context           and the next request, made of it
  $ palimpsest show 6f2a --at 12             the request that event 12 answers
  $ palimpsest show 6f2a --diff 12 20        what changed between two requests

A request that was sent is rebuilt, and held against the hash of what was sent. Of an event that answers none, --at and --diff take what the request behind it would have been.`;

const examples = `
Examples:
  $ palimpsest import conversations.json     a ChatGPT or Claude export
  $ palimpsest sessions
  $ palimpsest show 6f2a --context           what the next request would be
  $ palimpsest show 6f2a --at 12             what the model saw when it answered with event 12
  $ palimpsest show 6f2a --diff 12 20        what changed between two requests
  $ palimpsest search "temperature unit"
  $ palimpsest ask "以后用摄氏度还是华氏度？" --user u1
  $ palimpsest chat --model google:gemini-2.5-flash
  $ palimpsest doctor palimpsest.db
  $ palimpsest erase --user u1 --yes

The file is ./palimpsest.db unless --file or PALIMPSEST_FILE names another.`;

/** What the program leaves behind: the exit code of the command that ran. */
export interface CliProgram {
  readonly command: Command;
  exitCode(): number;
}

/** The `palimpsest` command with all its commands, writing to the given streams. */
export function createProgram(io: CliIo): CliProgram {
  const program = new Command('palimpsest');
  let exitCode: number = exitCodes.done;
  const act: Act = async (work, { stopsItself = false } = {}) => {
    const working = work(createTerminal(io, program.opts<GlobalOptions>()));
    exitCode = (await (stopsItself ? working : Promise.race([working, interrupted(io.signal)]))) ?? exitCodes.done;
  };
  program
    .description(
      'Sessions and memory of LLM agents: look into a file, import conversations, search what is remembered, talk with a model that remembers.',
    )
    .version(packageJson.version)
    .option('--file <path>', 'the store (default: PALIMPSEST_FILE, else ./palimpsest.db)')
    .option('--app <name>', 'the application whose sessions are meant', defaultApp)
    .option('--json', 'print JSON')
    .option('--no-color', 'print without colours')
    .option('--verbose', 'print stack traces with errors')
    .addHelpText('after', fitted(examples, io))
    .showHelpAfterError('Run palimpsest --help for commands and examples.')
    .exitOverride()
    .configureHelp({ minWidthToWrap: narrowestHelp })
    .configureOutput({
      writeOut: (text) => void io.stdout.write(printable(text)),
      // Under --json the error is told as JSON, by reportError.
      writeErr: (text) => {
        if (program.opts<GlobalOptions>().json !== true) io.stderr.write(printable(text));
      },
      getOutHelpWidth: () => io.stdout.columns ?? 80,
      getErrHelpWidth: () => io.stderr.columns ?? 80,
      getOutHasColors: () => io.stdout.isTTY === true,
      getErrHasColors: () => io.stderr.isTTY === true,
    });
  addImport(program, act);
  addReading(program, act, io);
  addTalking(program, act, io.env);
  addFolding(program, act, io);
  addKeeping(program, act);
  return { command: program, exitCode: () => exitCode };
}

/** Runs the command for the arguments after its name and returns the exit code; never throws. */
export async function run(argv: readonly string[], io: CliIo): Promise<number> {
  const written = watchOutput(io);
  const program = createProgram(io);
  const report = (error: unknown) => {
    const options = program.command.opts<GlobalOptions>();
    return reportError(error, io, {
      json: options.json === true,
      verbose: options.verbose === true || Boolean(io.env.PALIMPSEST_DEBUG),
      storeFile: createTerminal(io, options).file,
    });
  };
  let exitCode: number;
  try {
    await program.command.parseAsync(argv, { from: 'user' });
    exitCode = program.exitCode();
  } catch (error) {
    exitCode = report(error);
  }
  if (io.signal.aborted) return exitCode;
  const failure = await written();
  return failure === undefined ? exitCode : report(failure);
}

/** Runs a command's work; one that stops itself at a signal says how far it got or tidies up, others are left at once. */
type Act = (
  work: (terminal: Terminal) => Promise<number> | Promise<void>,
  options?: { readonly stopsItself?: boolean },
) => Promise<void>;

function interrupted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const stop = () => reject(new PalimpsestError('ABORTED', { what: 'The command' }));
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
}

function addImport(program: Command, act: Act): void {
  program
    .command('import')
    .argument('<file>', 'a file, or - for standard input')
    .description('add conversations that another system kept; importing again adds only what is new')
    .addOption(
      new Option('--format <name>', 'the format of the file').choices(['auto', ...importFormats]).default('auto'),
    )
    .option('--user <id>', 'whose the sessions become (default: as the file says, else "user")')
    .action((file, options) => act((terminal) => importFile(terminal, file, options), { stopsItself: true }));
}

function addReading(program: Command, act: Act, io: CliIo): void {
  const user = () => new Option('--user <id>', 'whose; may be left out where there is one user');
  const agent = () =>
    new Option(
      '--agent <name>',
      'the agent that the request is for; implies --context (default: the one that spoke last)',
    );
  const provider = () =>
    new Option('--provider <name>', 'whose wire rules the request keeps; implies --context (default: gemini)').choices(
      providers,
    );
  const full = () => new Option('--full', 'print whole texts');
  program
    .command('sessions')
    .description('list sessions, newest first')
    .option('--user <id>', 'only of this user')
    .addOption(limit('how many, 0 for all', 50))
    .action((options) => act((terminal) => showSessions(terminal, options)));
  program
    .command('show <session>')
    .description("show a session's log; the beginning of its id is enough")
    .addOption(user())
    .option('--context', 'also show what the next request is made of, what it makes of each event, and that request')
    .addOption(
      new Option(
        '--at <seq>',
        'the same of the request that this event answers, or that would have followed it',
      ).conflicts('diff'),
    )
    .addOption(
      new Option(
        '--diff <seqs...>',
        'what changed between the requests of two events; last, for it takes all that follows',
      ).argParser(diffSeqs),
    )
    .addOption(agent())
    .addOption(provider())
    .addOption(limit('how many of the newest events, 0 for all', 50))
    .addOption(full())
    .addHelpText('after', fitted(showExamples, io))
    .action((session, options) => act((terminal) => showSession(terminal, session, options)));
  program
    .command('search <query>')
    .description('search what is remembered of a user')
    .addOption(user())
    .addOption(limit('at most this many', 10))
    .action((query, options) => act((terminal) => searchMemory(terminal, query, options)));
  program
    .command('usage [session]')
    .description('what the model calls of a session, or of all of a user, have used and cost at list prices')
    .addOption(user())
    .action((session, options) => act((terminal) => printUsage(terminal, session, options)));
}

function addTalking(program: Command, act: Act, env: CliIo['env']): void {
  const model = () => new Option('--model <name>', `which model (default: PALIMPSEST_MODEL): ${modelForms}`);
  const system = () => new Option('--system <text>', 'what the model is told to be');
  const tools = () => new Option('--no-tools', 'give the model no tools for memory');
  program
    .command('chat')
    .description(
      'talk with a model that remembers; without one, answers are labelled quotations of memory. From a pipe, each line is a message',
    )
    .option('--user <id>', 'who talks; may be left out where there is one user, or none')
    .option('--session <id>', 'go on in this session, the beginning of its id is enough; or begin one of this id')
    .addOption(model())
    .addOption(system())
    .option('--agent <name>', 'the name under which the model answers (default: the one that spoke last)')
    .addOption(tools())
    .action((options) =>
      act(async (terminal) => (await import('./commands/hold-chat.ts')).holdChat(terminal, options), {
        stopsItself: true,
      }),
    );
  program
    .command('ask <question>')
    .description(
      'ask the model in a session, with what memory recalls. Without a model, or with --dry-run: show the request that the question would become; nothing is sent or stored',
    )
    .option('--user <id>', 'whose; may be left out where there is one user')
    .option('--session <id>', 'the session to ask in (default: the newest)')
    .addOption(model())
    .addOption(system())
    .option('--agent <name>', 'the agent that answers (default: the one that spoke last)')
    .addOption(tools())
    .option('--dry-run', 'show the request, send nothing')
    .addOption(
      new Option(
        '--provider <name>',
        "whose wire rules a request that is shown keeps (default: the model's, else gemini)",
      ).choices(providers),
    )
    .addOption(limit('at most this many memories', 10))
    .option('--full', 'print whole texts of the request')
    .action((question, options) =>
      act((terminal) => askQuestion(terminal, question, options), {
        stopsItself: modelAsked(options, env) !== undefined,
      }),
    );
}

const compactExamples = `
Examples:
  $ palimpsest compact 6f2a --model google:gemini-2.5-flash
  $ palimpsest compact 6f2a --through 120 --focus "decisions and open tasks"
  $ palimpsest expand 6f2a                   the summaries in force
  $ palimpsest expand 6f2a 121               what summary 121 stands for

The log stays as it is: a summary stands for its events in requests, and can be opened again.`;

const expandExamples = `
Examples:
  $ palimpsest expand 6f2a                   the summaries in force
  $ palimpsest expand 6f2a 121               what summary 121 stands for
  $ palimpsest expand 6f2a 121 --all --full  every event of it, whole

What a summary stands for is what was said, also where older summaries lie in between.`;

const pinExamples = `
Examples:
  $ palimpsest pins 6f2a                     what is pinned
  $ palimpsest pins 6f2a --add 3,7           keep events 3 and 7 word for word
  $ palimpsest pins 6f2a --remove 3`;

function addFolding(program: Command, act: Act, io: CliIo): void {
  const user = () => new Option('--user <id>', 'whose; may be left out where there is one user');
  const full = () => new Option('--full', 'print whole texts');
  program
    .command('compact <session>')
    .description('fold all but the last exchange of a session into a summary, which expand opens again')
    .addOption(user())
    .option('--model <name>', `writes the summary (default: PALIMPSEST_MODEL): ${modelForms}`)
    .option('--focus <text>', 'what the summary should dwell on')
    .option('--through <seq>', 'fold nothing newer than this event')
    .option('--agent <name>', 'whose requests become shorter (default: the one that spoke last)')
    .addHelpText('after', fitted(compactExamples, io))
    .action((session, options) => act((terminal) => compactSession(terminal, session, options), { stopsItself: true }));
  program
    .command('expand <session> [seq]')
    .description('show the events that a summary stands for; without its seq, list the summaries in force')
    .addOption(user())
    .addOption(limit('at most this many events, 0 for all', 50))
    .addOption(new Option('--all', 'all of them, as --limit 0').conflicts('limit'))
    .addOption(full())
    .addHelpText('after', fitted(expandExamples, io))
    .action((session, seq, options) => act((terminal) => expandSession(terminal, session, seq, options)));
  program
    .command('pins <session>')
    .description('list the events that stay word for word whatever is folded; pin and unpin them')
    .addOption(user())
    .option('--add <seqs...>', 'pin these events, commas between them')
    .option('--remove <seqs...>', 'unpin these')
    .addOption(full())
    .addHelpText('after', fitted(pinExamples, io))
    .action((session, options) => act((terminal) => pinEvents(terminal, session, options)));
}

function addKeeping(program: Command, act: Act): void {
  program
    .command('doctor [file]')
    .description('check a file without changing it')
    .action((file) => act((terminal) => diagnoseFile(terminal, file), { stopsItself: true }));
  program
    .command('eval <dataset>')
    .description(
      'measure what memory finds: asks the questions of a data set (locomo, lme, madial-zh, madial-en, a file of your own) of a memory that has learnt it',
    )
    .option('--data <folder>', 'where the sets are (default: PALIMPSEST_EVAL_DATA, else ./data)')
    .option('--out <file>', 'keep the report as JSON')
    .option('--compare <file>', 'tell what changed since a kept report')
    .option('--html <file>', 'write a page with plots')
    .action((dataset, options) =>
      act(
        async (terminal) => (await import('./commands/evaluate-memory.ts')).evaluateMemory(terminal, dataset, options),
        {
          stopsItself: true,
        },
      ),
    );
  program
    .command('backup <to>')
    .description('write a consistent copy of the store to a new file')
    .action((to) => act((terminal) => backupStore(terminal, to)));
  program
    .command('erase')
    .description('remove a user, a session or a memory for good, and print the receipt')
    .requiredOption('--user <id>', 'whose')
    .option('--session <id>', 'only this session; the whole id')
    .option('--memory <id>', 'only this memory')
    .option('--yes', 'really do it')
    .action((options) => act((terminal) => eraseData(terminal, options)));
}

/** A text of the help, broken between words. */
function fitted(text: string, io: CliIo): (context: { readonly error: boolean }) => string {
  return ({ error }) => wrapHanging(text, (error ? io.stderr : io.stdout).columns ?? 80).join('\n');
}

function limit(description: string, value: number): Option {
  return new Option('--limit <n>', description).default(value).argParser((text) => {
    const count = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
    if (Number.isNaN(count)) throw new InvalidArgumentError('It must be a whole number, 0 or more.');
    return count;
  });
}
