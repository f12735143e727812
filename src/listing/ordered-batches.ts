/** The result of one call, once it is there. */
type Slot<B> = { readonly value: B } | { readonly thrown: unknown };

/**
 * Calls `call` for each item, at most `atOnce` in parallel, and yields the results in the order of the items: each
 * time as many as are ready. A result that is no promise needs no wait. Rejects with the first failure in that order,
 * after which no further call is started.
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

/**
 * The results of `call` for each item, in the order of the items; up to `ahead` calls are started before their
 * results are needed. Items are taken only on demand.
 */
export async function* inOrder<A, B>(
  items: AsyncIterable<A>,
  ahead: number,
  call: (item: A) => Promise<B>,
): AsyncGenerator<B> {
  const begun: Promise<B>[] = [];
  for await (const item of items) {
    const result = call(item);
    // A failure is reported in its turn; until then it must not count as unhandled.
    result.catch(() => undefined);
    begun.push(result);
    if (begun.length >= ahead) yield (await begun.shift()) as B;
  }
  for (const result of begun) yield await result;
}

/** The items of `source`; the next one is requested while its reader works on the one before. */
export async function* readAhead<T>(source: AsyncIterable<T>): AsyncGenerator<T> {
  const iterator = source[Symbol.asyncIterator]();
  const fetch = () => {
    const result = iterator.next();
    // A failure is reported when awaited; until then it must not count as unhandled.
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
