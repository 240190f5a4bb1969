import type { PreparedRequest, RunEvent } from '../../../agents/index.ts';
import { isPalimpsestError } from '../../../errors/index.ts';
import { type Event, functionCalls, type Part, textOf } from '../../../events/index.ts';
import { contentText, countText, fitWidth, oneLine, printable, StreamedText } from '../display/index.ts';
import { sourceText } from '../source-text.ts';
import type { Terminal } from '../terminal.ts';
import { modelAttempts, type Retry } from './conversation.ts';
import { WaitingLine } from './waiting-line.ts';

/** So much is shown of why a call is made again. */
const widestReason = 40;

/** Where what is no part of the answer goes: faint between the lines of a terminal, else to stderr; nowhere under --json. */
export function asideOf(terminal: Terminal): (line: string) => void {
  const { io, options, paint, print, note } = terminal;
  if (io.stdout.isTTY !== true || options.json === true) return note;
  return (line) => print(paint.dim(`  ${fitWidth(oneLine(line), terminal.width - 2)}`));
}

/**
 * Shows a run to a person as it happens: what was recalled, the answer while it comes, one line for each call, and that
 * it is waited for.
 */
export class AnswerPrinter {
  readonly #terminal: Terminal;
  readonly #aside: (line: string) => void;
  readonly #text: StreamedText;
  readonly #streamed = new Set<string>();
  readonly #waiting: WaitingLine;
  #isOpen = false;
  #hasBegun = false;
  #isThinking = false;

  /** What is no part of the answer goes to `aside`. */
  constructor(terminal: Terminal, aside: (line: string) => void) {
    this.#terminal = terminal;
    this.#aside = aside;
    this.#waiting = new WaitingLine(terminal);
    this.#text = new StreamedText(
      () => terminal.width,
      (text) => {
        if (text !== '') terminal.write(text);
      },
    );
    this.#waiting.await();
  }

  /** Whether anything of an answer has come. */
  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  recalled({ memories }: PreparedRequest): void {
    if (memories.length === 0) return;
    const sources = sourceText({ id: '', provenance: memories.flatMap(({ provenance }) => provenance) });
    this.#tell(`recalled ${countText(memories.length, 'memory', 'memories')}: ${sources}`);
  }

  /** A call of the model has failed and is made again. */
  retrying({ attempt, delayMs, error }: Retry): void {
    this.#tell(`${reasonOf(error)}; asking again in ${secondsText(delayMs)} (${attempt + 1} of ${modelAttempts})`);
  }

  /** Does what prints whole lines of its own before the answer. */
  between(print: () => void): void {
    this.#waiting.hide();
    print();
    this.#waiting.await();
  }

  show(event: RunEvent): void {
    this.#hasBegun ||= event.partial === true || (event.origin === 'agent' && event.interrupted !== true);
    if (event.partial) {
      this.#stream(event.id, event.content.parts);
      return;
    }
    if (event.origin !== 'agent') return;
    this.#showStored(event);
  }

  /** Ends what stands at the terminal: nothing more is waited for. */
  end(): void {
    this.#waiting.hide();
    this.#endLine();
  }

  #tell(line: string): void {
    this.between(() => this.#aside(line));
  }

  #endLine(): void {
    if (!this.#isOpen) return;
    this.#text.end();
    this.#terminal.write('\n');
    this.#isOpen = false;
  }

  #stream(id: string, parts: readonly Part[]): void {
    for (const part of parts) {
      if (part.thought === true) this.#think();
      else if (part.text) this.#say(id, part.text);
    }
  }

  #think(): void {
    if (this.#isThinking) return;
    this.#isThinking = true;
    this.#tell('thinking');
  }

  #say(id: string, text: string): void {
    this.#streamed.add(id);
    this.#isOpen = true;
    this.#waiting.hide();
    this.#text.push(printable(text));
  }

  #showStored(event: Event): void {
    if (!this.#streamed.has(event.id)) {
      const whole = textOf(event.content);
      if (whole !== '') this.#say(event.id, whole);
    }
    this.#endLine();
    this.#isThinking = false;
    for (const functionCall of functionCalls(event.content)) {
      const call = contentText({ role: 'model', parts: [{ functionCall }] });
      this.#tell(oneLine(call));
    }
  }
}

function reasonOf(error: unknown): string {
  if (!isPalimpsestError(error, 'MODEL_FAILED')) return fitWidth(oneLine(String(error)), widestReason);
  const { status, reason } = error.details;
  return status === undefined ? fitWidth(oneLine(reason), widestReason) : `HTTP ${status}`;
}

function secondsText(ms: number): string {
  return `${Number((ms / 1000).toFixed(ms < 10_000 ? 1 : 0))} s`;
}
