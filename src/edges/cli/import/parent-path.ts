/** The nodes from the root to a leaf, by following parents; a cycle or a parent that is missing ends the path. */
export function parentPath<T>(
  leaf: string,
  nodeOf: (id: string) => T | undefined,
  parentOf: (node: T) => string | undefined,
): T[] {
  const path: T[] = [];
  const seen = new Set<string>();
  let id: string | undefined = leaf;
  while (id !== undefined && !seen.has(id)) {
    seen.add(id);
    const node = nodeOf(id);
    if (node === undefined) break;
    path.push(node);
    id = parentOf(node);
  }
  return path.reverse();
}
