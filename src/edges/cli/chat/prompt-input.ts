import { createInterface, type Interface } from 'node:readline';
import { Writable } from 'node:stream';
import type { CliIo, OutputStream } from '../terminal.ts';

/** What a person did at the prompt. */
export type Typed = { readonly text: string } | 'interrupt' | 'end';

const pasteOn = '\u001b[?2004h';
const pasteOff = '\u001b[?2004l';

/**
 * Lines that a person types at a terminal. A paste of several lines is one text. While an answer comes, typing is not
 * shown; what was typed stands at the next prompt. Ctrl-C stops the answer, or clears the prompt.
 */
export class PromptInput {
  readonly #lines: Interface;
  readonly #gate: OutputGate;
  readonly #signal: AbortSignal;
  readonly #waiting: string[] = [];
  /** Lines of a paste that is not over, or that Enter has not ended yet. */
  #pasted: string[] = [];
  #isPasting = false;
  #isOver = false;
  #take: ((typed: Typed) => void) | undefined;
  #stop: (() => void) | undefined;

  constructor({ stdin, stdout, signal }: CliIo, prompt: string) {
    this.#gate = new OutputGate(stdout);
    this.#signal = signal;
    this.#lines = createInterface({ input: stdin, output: this.#gate, terminal: true, prompt, historySize: 200 });
    this.#lines.on('line', (line) => this.#onLine(line));
    this.#lines.on('SIGINT', () => this.#onInterrupt());
    this.#lines.on('close', () => {
      this.#isOver = true;
      this.#give('end');
    });
    stdin.on('keypress', this.#onKey);
    signal.addEventListener('abort', this.#onAbort, { once: true });
    stdout.write(pasteOn);
  }

  /** The next text that the person enters. */
  ask(): Promise<Typed> {
    if (this.#signal.aborted) return Promise.resolve('interrupt');
    const [next] = this.#waiting.splice(0, 1);
    if (next !== undefined) {
      this.#gate.target.write(`${this.#lines.getPrompt()}${next}\n`);
      return Promise.resolve({ text: next });
    }
    if (this.#isOver) return Promise.resolve('end');
    this.#gate.isOpen = true;
    this.#lines.prompt(true);
    return new Promise((take) => {
      this.#take = take;
    });
  }

  /** Does work that Ctrl-C stops. */
  async during<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const controller = new AbortController();
    this.#stop = () => controller.abort();
    try {
      return await work(AbortSignal.any([this.#signal, controller.signal]));
    } finally {
      this.#stop = undefined;
    }
  }

  close(): void {
    this.#signal.removeEventListener('abort', this.#onAbort);
    this.#gate.target.write(pasteOff);
    this.#lines.close();
  }

  readonly #onAbort = () => this.#give('interrupt');

  readonly #onKey = (_: string | undefined, key: { readonly name?: string } | undefined) => {
    if (key?.name === 'paste-start') this.#isPasting = true;
    if (key?.name === 'paste-end') this.#isPasting = false;
  };

  #onLine(line: string): void {
    this.#pasted.push(line);
    if (this.#isPasting) return;
    const text = this.#pasted.join('\n');
    this.#pasted = [];
    if (this.#take === undefined) this.#waiting.push(text);
    else this.#give({ text });
  }

  #onInterrupt(): void {
    if (this.#stop !== undefined) {
      this.#stop();
      return;
    }
    if (this.#take === undefined) return;
    const isEmpty = this.#lines.line === '' && this.#pasted.length === 0;
    this.#pasted = [];
    this.#lines.write(null, { ctrl: true, name: 'e' });
    this.#lines.write(null, { ctrl: true, name: 'u' });
    this.#gate.target.write('^C\n');
    if (isEmpty) this.#give('interrupt');
    else this.#lines.prompt();
  }

  #give(typed: Typed): void {
    const take = this.#take;
    this.#take = undefined;
    this.#gate.isOpen = false;
    take?.(typed);
  }
}

/** Lets through what readline writes while the prompt is open. */
class OutputGate extends Writable {
  readonly target: OutputStream;
  isOpen = false;

  constructor(target: OutputStream) {
    super({ decodeStrings: false });
    this.target = target;
    target.on('resize', () => this.emit('resize'));
  }

  get columns(): number {
    return this.target.columns ?? 80;
  }

  override _write(chunk: string | Uint8Array, _encoding: string, done: () => void): void {
    if (this.isOpen) this.target.write(chunk);
    done();
  }
}
