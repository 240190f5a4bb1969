import { type SettledFold, settledCount } from '../context/assembly/index.ts';
import type { Content, ModelRequest } from '../events/index.ts';
import { LineHash } from '../internal/index.ts';
import { contentHash, jsonHash, partHash } from './content-hashes.ts';

/** Hashes of a request. */
export interface RequestHashes {
  /** Of the whole request. */
  readonly request: string;
  /** Of the model's name, instruction, tools and the parts that are not transient. */
  readonly prefix: string;
  /** How many lines of such parts, and of roles between them, there are. */
  readonly stableLines: number;
  /** What `prefix` would be of the first lines asked for; `undefined` if there are fewer. */
  readonly prefixAsked: string | undefined;
}

/**
 * Hashes a request made for a model. `linesAsked`: of how many stable lines the prefix is wanted as well. `fold` knows the
 * request before.
 */
export function hashRequest(
  request: ModelRequest,
  { model, linesAsked }: { readonly model: string; readonly linesAsked?: number | undefined },
  fold: SettledFold<RequestLines>,
): RequestHashes {
  const { contents, transientParts } = request;
  const [instruction, tools] = [jsonHash(request.instruction), jsonHash(request.tools)];
  const transient = new Set(request.transient);
  if (linesAsked !== undefined && linesAsked < (fold.known?.stableLines ?? 0)) fold.clear();
  let prefixAsked: string | undefined;
  const note = ({ stable, stableLines }: RequestLines) => {
    if (stableLines === linesAsked) prefixAsked ??= stable.digest();
  };
  const lines = fold.fold({
    contents,
    settled: settledCount(request),
    key: [model, instruction, tools],
    empty: () => new RequestLines(new LineHash([instruction, tools]), new LineHash([model, instruction, tools])),
    add: (state, content, index) => {
      note(state);
      state.request.add(contentHash(content));
      if (transient.has(index)) return;
      state.addStable(content, transientParts?.content === index ? transientParts : undefined, note);
    },
  });
  note(lines);
  return {
    request: lines.request.digest(),
    prefix: lines.stable.digest(),
    stableLines: lines.stableLines,
    prefixAsked,
  };
}

/** Hashes of a request that grow content by content. */
export class RequestLines {
  readonly request: LineHash;
  readonly stable: LineHash;
  #stableLines: number;
  #role: Content['role'] | undefined;

  constructor(request: LineHash, stable: LineHash, stableLines = 0, role?: Content['role']) {
    this.request = request;
    this.stable = stable;
    this.#stableLines = stableLines;
    this.#role = role;
  }

  /** How many lines `stable` has, without those of model, instruction and tools. */
  get stableLines(): number {
    return this.#stableLines;
  }

  copy(): RequestLines {
    return new RequestLines(this.request.copy(), this.stable.copy(), this.#stableLines, this.#role);
  }

  /** Adds the parts of a content but those of a span, with the role where it changes; `tell` is called after each line. */
  addStable(
    { role, parts }: Content,
    span: { readonly from: number; readonly to: number } | undefined,
    tell: (lines: RequestLines) => void,
  ): void {
    for (const [at, part] of parts.entries()) {
      if (span !== undefined && at >= span.from && at < span.to) continue;
      if (role !== this.#role) this.#line(role, tell);
      this.#role = role;
      this.#line(partHash(part), tell);
    }
  }

  #line(line: string, tell: (lines: RequestLines) => void): void {
    this.stable.add(line);
    this.#stableLines++;
    tell(this);
  }
}
