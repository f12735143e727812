/**
 * The results of `call` for each item, in the order of the items; up to `ahead` calls are begun before their
 * results are wanted. Items are taken only as they are needed.
 */
export async function* inOrder<A, B>(
  items: AsyncIterable<A>,
  ahead: number,
  call: (item: A) => Promise<B>,
): AsyncGenerator<B> {
  const begun: Promise<B>[] = [];
  for await (const item of items) {
    const result = call(item);
    // A failure is told when its turn comes; until then it is not unhandled.
    result.catch(() => undefined);
    begun.push(result);
    if (begun.length >= ahead) yield (await begun.shift()) as B;
  }
  for (const result of begun) yield await result;
}
