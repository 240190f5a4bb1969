import type { PreparedRequest, RunEvent } from '../../../agents/index.ts';
import { type Event, functionCalls, type Part, textOf } from '../../../events/index.ts';
import { contentText, countText, fitWidth, oneLine, printable, StreamedText } from '../display/index.ts';
import { sourceText } from '../source-text.ts';
import type { Terminal } from '../terminal.ts';

/** Where what is no part of the answer goes: faint between the lines of a terminal, else to stderr. */
export function asideOf(terminal: Terminal): (line: string) => void {
  const { io, paint, print, note, width } = terminal;
  if (io.stdout.isTTY !== true) return note;
  return (line) => print(paint.dim(`  ${fitWidth(oneLine(line), width - 2)}`));
}

/** Shows a run to a person as it happens: what was recalled, the answer while it comes, one line for each call. */
export class AnswerPrinter {
  readonly #terminal: Terminal;
  readonly #aside: (line: string) => void;
  readonly #text: StreamedText;
  readonly #streamed = new Set<string>();
  #isOpen = false;
  #isThinking = false;

  /** What is no part of the answer goes to `aside`. */
  constructor(terminal: Terminal, aside: (line: string) => void) {
    this.#terminal = terminal;
    this.#aside = aside;
    this.#text = new StreamedText(terminal.width, (text) => {
      if (text !== '') terminal.write(text);
    });
  }

  recalled({ memories }: PreparedRequest): void {
    if (memories.length === 0) return;
    const sources = sourceText({ id: '', provenance: memories.flatMap(({ provenance }) => provenance) });
    this.#aside(`recalled ${countText(memories.length, 'memory', 'memories')}: ${sources}`);
  }

  show(event: RunEvent): void {
    if (event.partial) {
      this.#stream(event.id, event.content.parts);
      return;
    }
    if (event.origin !== 'agent') return;
    this.#showStored(event);
  }

  /** Ends the line that the answer stands on. */
  endLine(): void {
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
    this.#aside('thinking');
  }

  #say(id: string, text: string): void {
    this.#streamed.add(id);
    this.#isOpen = true;
    this.#text.push(printable(text));
  }

  #showStored(event: Event): void {
    if (!this.#streamed.has(event.id)) {
      const whole = textOf(event.content);
      if (whole !== '') this.#say(event.id, whole);
    }
    this.endLine();
    this.#isThinking = false;
    for (const functionCall of functionCalls(event.content)) {
      const call = contentText({ role: 'model', parts: [{ functionCall }] });
      this.#aside(oneLine(call));
    }
  }
}
