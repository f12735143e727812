import fc from 'fast-check';
import { expect, test } from 'vitest';
import { inOrder, orderedBatches, readAhead } from '../../../src/listing/ordered-batches.ts';

async function collect<T>(source: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of source) all.push(item);
  return all;
}

async function* from<T>(items: readonly T[]): AsyncGenerator<T> {
  yield* items;
}

const turns = async (count: number) => {
  for (let i = 0; i < count; i++) await undefined;
};

test('results come in order, whatever takes long, and never more at once than allowed', async () => {
  const delays = fc.array(fc.option(fc.nat(20), { nil: undefined }), { maxLength: 60 });
  await fc.assert(
    fc.asyncProperty(delays, fc.integer({ min: 1, max: 8 }), async (items, atOnce) => {
      let running = 0;
      let most = 0;
      const call = (delay: number | undefined): string | Promise<string> => {
        if (delay === undefined) return 'now';
        most = Math.max(most, ++running);
        return turns(delay).then(() => {
          running--;
          return String(delay);
        });
      };
      const batches = await collect(orderedBatches(items, atOnce, call));
      expect(batches.flat()).toEqual(
        items.map((delay) => (delay === undefined ? 'now' : String(delay))),
      );
      expect(most).toBeLessThanOrEqual(atOnce);
    }),
  );
});

test('what is ready is given out before a failure, and nothing is begun after it', async () => {
  const begun: number[] = [];
  const call = async (item: number) => {
    begun.push(item);
    await turns(item);
    if (item === 3) throw new Error('three');
    return item;
  };
  const seen: number[] = [];
  const reading = (async () => {
    for await (const batch of orderedBatches([1, 2, 3, 4, 5, 6, 7, 8, 9], 2, call))
      seen.push(...batch);
  })();
  await expect(reading).rejects.toThrow('three');
  expect(seen).toEqual([1, 2]);
  expect(begun.length).toBeLessThan(9);
});

test('reading ahead fetches one item more, passes failures on, and ends its source', async () => {
  const fetched: number[] = [];
  let ended = false;
  async function* source() {
    try {
      for (let i = 1; i <= 5; i++) {
        fetched.push(i);
        yield i;
      }
      throw new Error('at the end');
    } finally {
      ended = true;
    }
  }
  for await (const item of readAhead(source())) {
    await turns(10);
    expect(fetched).toEqual([1, 2, 3, 4, 5].slice(0, item + 1));
    if (item === 2) break;
  }
  expect(ended).toBe(true);
  await expect(collect(readAhead(source()))).rejects.toThrow('at the end');
});

test('calls are begun ahead of their turn, but not further than allowed', async () => {
  const begun: number[] = [];
  const results = inOrder(from([5, 1, 3, 2, 4]), 2, async (item) => {
    begun.push(item);
    await turns(item);
    return item;
  });
  const first = await results.next();
  expect([first.value, begun]).toEqual([5, [5, 1]]);
  expect(await collect(results)).toEqual([1, 3, 2, 4]);
});
