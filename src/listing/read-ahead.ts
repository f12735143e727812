/** The items of `source`, the next one being fetched while its reader works on the one before. */
export async function* readAhead<T>(source: AsyncIterable<T>): AsyncGenerator<T> {
  const iterator = source[Symbol.asyncIterator]();
  const fetch = () => {
    const result = iterator.next();
    // Its failure is told when it is awaited; until then it is not unhandled.
    result.catch(() => undefined);
    return result;
  };
  let next = fetch();
  try {
    for (let result = await next; result.done !== true; result = await next) {
      next = fetch();
      yield result.value;
    }
  } finally {
    await iterator.return?.();
  }
}
