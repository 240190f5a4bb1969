/** The results of promises in the order in which they come. The first that fails ends it. */
export async function* asTheyFinish<T>(promises: readonly Promise<T>[]): AsyncGenerator<T, void, undefined> {
  const waiting = new Map(promises.map((promise, index) => [index, promise.then((value) => ({ index, value }))]));
  while (waiting.size > 0) {
    const { index, value } = await Promise.race(waiting.values());
    waiting.delete(index);
    yield value;
  }
}
