import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sameBytes } from '../../../src/engine/compare-pair.ts';

async function* chunks(bytes: Uint8Array, sizes: readonly number[]): AsyncGenerator<Buffer> {
  let at = 0;
  for (const size of sizes) {
    yield Buffer.from(bytes.subarray(at, at + size));
    at += size;
  }
  yield Buffer.from(bytes.subarray(at));
}

const sizes = fc.array(fc.integer({ min: 0, max: 7 }), { maxLength: 6 });

test('equal bytes are the same however they are cut', async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 40 }), sizes, sizes, async (bytes, a, b) => {
      expect(await sameBytes(chunks(bytes, a), chunks(bytes, b))).toBe(true);
    }),
  );
});

test('a changed, missing or added byte is found', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.uint8Array({ minLength: 1, maxLength: 40 }),
      fc.nat(),
      sizes,
      async (bytes, where, cut) => {
        const changed = Uint8Array.from(bytes);
        const at = where % bytes.length;
        changed[at] = (changed[at] ?? 0) ^ 1;
        const shorter = bytes.subarray(0, bytes.length - 1);
        expect(await sameBytes(chunks(bytes, cut), chunks(changed, []))).toBe(false);
        expect(await sameBytes(chunks(bytes, cut), chunks(shorter, []))).toBe(false);
        expect(await sameBytes(chunks(shorter, cut), chunks(bytes, []))).toBe(false);
      },
    ),
  );
});
