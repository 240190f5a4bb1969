import { fitWidth, oneLine } from '../display/index.ts';
import type { Terminal } from '../terminal.ts';

const turns = ['|', '/', '-', '\\'];
const turnMs = 150;
/** In a file or a pipe a person wants to see now and then that something goes on. */
const patienceMs = 10_000;
/** The terminal shows `^C` behind the line; what goes on in the next one would stay there. */
const echoWidth = '^C'.length + 1;
const eraseLine = '\r\u001b[K';

/**
 * Does work that takes a while and that Ctrl-C stops, and says on stderr that it goes on: at a terminal in a line that
 * moves and then goes away, else in whole lines.
 */
export async function whileWaiting<T>(terminal: Terminal, what: string, work: () => Promise<T>): Promise<T> {
  const { io, options } = terminal;
  const isWatched = io.stderr.isTTY === true && options.json !== true && io.env.TERM !== 'dumb';
  const stop = isWatched ? turnLine(terminal, oneLine(what)) : addLines(terminal, oneLine(what));
  try {
    return await work();
  } finally {
    stop();
  }
}

function turnLine({ io: { stderr } }: Terminal, what: string): () => void {
  const secondsSince = stopwatch();
  let turn = 0;
  const draw = () => {
    const sign = turns[turn++ % turns.length];
    const line = `${sign} ${secondsSince()} s · Ctrl-C stops it · ${what}`;
    stderr.write(eraseLine + fitWidth(line, (stderr.columns ?? 80) - echoWidth));
  };
  draw();
  const turning = setInterval(draw, turnMs);
  return () => {
    clearInterval(turning);
    stderr.write(eraseLine);
  };
}

function addLines(terminal: Terminal, what: string): () => void {
  const secondsSince = stopwatch();
  terminal.note(`${what} …`);
  const telling = setInterval(() => terminal.note(`… ${secondsSince()} s; Ctrl-C stops it.`), patienceMs);
  return () => clearInterval(telling);
}

function stopwatch(): () => number {
  const began = Date.now();
  return () => Math.round((Date.now() - began) / 1000);
}
