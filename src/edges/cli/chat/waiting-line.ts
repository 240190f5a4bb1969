import type { Terminal } from '../terminal.ts';

const patienceMs = 2000;
const eraseLine = '\r\u001b[K';

/** A faint line of a terminal that stands there while nothing comes, and goes away when something does. */
export class WaitingLine {
  readonly #terminal: Terminal;
  #timer: NodeJS.Timeout | undefined;
  #isShown = false;

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  /** Shows it if nothing hides it for a while. The cursor must stand at the beginning of a line. */
  await(): void {
    this.hide();
    const { io, options } = this.#terminal;
    if (io.stdout.isTTY !== true || options.json === true || io.env.TERM === 'dumb') return;
    this.#timer = setTimeout(() => this.#show(), patienceMs);
  }

  hide(): void {
    clearTimeout(this.#timer);
    if (this.#isShown) this.#terminal.io.stdout.write(eraseLine);
    this.#isShown = false;
  }

  #show(): void {
    this.#isShown = true;
    this.#terminal.write(this.#terminal.paint.dim('  waiting …'));
  }
}
