/** The result of one call, once it is there. */
type Slot<B> = { readonly value: B } | { readonly thrown: unknown };

/**
 * Calls `call` for each item, at most `atOnce` at a time, and yields the results in the order of the items:
 * each time as many as are ready. A result that is no promise costs no waiting. Rejects with the first failure
 * in that order, after which no further call is begun.
 */
export async function* orderedBatches<A, B>(
  items: readonly A[],
  atOnce: number,
  call: (item: A) => B | Promise<B>,
): AsyncGenerator<B[]> {
  const settled: (Slot<B> | undefined)[] = [];
  const pending: (Promise<void> | undefined)[] = [];
  let begun = 0;
  let taken = 0;
  let running = 0;

  const begin = (index: number) => {
    const result = call(items[index] as A);
    if (!(result instanceof Promise)) {
      settled[index] = { value: result };
      return;
    }
    running++;
    const settle = (slot: Slot<B>) => {
      running--;
      settled[index] = slot;
    };
    pending[index] = result.then(
      (value) => settle({ value }),
      (thrown: unknown) => settle({ thrown }),
    );
  };
  const beginMore = () => {
    while (begun < items.length && running < atOnce && begun - taken < 4 * atOnce) begin(begun++);
  };

  while (taken < items.length) {
    beginMore();
    const batch: B[] = [];
    for (let slot = settled[taken]; slot !== undefined; slot = settled[taken]) {
      if ('thrown' in slot) break;
      batch.push(slot.value);
      settled[taken++] = undefined;
      beginMore();
    }
    if (batch.length > 0) {
      yield batch;
      continue;
    }
    const slot = settled[taken];
    if (slot !== undefined && 'thrown' in slot) throw slot.thrown;
    await pending[taken];
    pending[taken] = undefined;
  }
}
