/**
 * The results for all items in their order, with at most `width` calls at the same time. After one has failed, no more
 * are made: it rejects with that error when those that have begun are done.
 */
export async function mapAtOnce<A, B>(
  items: readonly A[],
  width: number,
  map: (item: A) => B | Promise<B>,
): Promise<B[]> {
  const results: B[] = new Array(items.length);
  let next = 0;
  let failure: { readonly thrown: unknown } | undefined;
  const work = async () => {
    while (failure === undefined && next < items.length) {
      const at = next++;
      try {
        const result = map(items[at] as A);
        results[at] = result instanceof Promise ? await result : result;
      } catch (thrown) {
        failure ??= { thrown };
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(width, items.length) }, work));
  if (failure !== undefined) throw failure.thrown;
  return results;
}
