import type { Content, ModelRequest } from '../../../events/index.ts';

/** What one side says in one content of a request, parted where some of it is there for this request only. */
export interface RequestPiece extends Content {
  /** Index of the content that it stands in. */
  readonly content: number;
  readonly isTransient: boolean;
}

/** The contents of a request; one that is shared with what is there for this request only is several pieces. */
export function requestPieces({
  contents,
  transient,
  transientParts: span,
}: Pick<ModelRequest, 'contents' | 'transient' | 'transientParts'>): RequestPiece[] {
  const alone = new Set(transient);
  return contents.flatMap(({ role, parts }, content) => {
    if (span?.content !== content) return [{ role, parts, content, isTransient: alone.has(content) }];
    const pieceOf = (some: Content['parts'], isTransient: boolean) =>
      some.length === 0 ? [] : [{ role, parts: some, content, isTransient }];
    const { from, to } = span;
    return [
      ...pieceOf(parts.slice(0, from), false),
      ...pieceOf(parts.slice(from, to), true),
      ...pieceOf(parts.slice(to), false),
    ];
  });
}
