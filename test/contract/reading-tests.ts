import { expect } from 'vitest';
import { bodyChunks, collectBody, openWithDetails } from '../../src/core/body.ts';
import type { HashName } from '../../src/core/hash-names.ts';
import type { FileEntry } from '../../src/core/remote.ts';
import { deleteOne } from '../../src/core/remote-calls.ts';
import { hashesOf } from '../../src/hashes/content-hasher.ts';
import { type ContractTest, promise } from './contract-test.ts';
import { expectError, noise, OP } from './contract-world.ts';

const MIB = 1024 * 1024;

/** An entry without what some answers tell and others do not; each tells when it was asked. */
const withoutHashes = (file: FileEntry | undefined) => ({
  ...file,
  toldAt: undefined,
  hashes: undefined,
});

/** Expects the hashes that an entry tells, if any, to be those of the content. */
function expectRight(file: FileEntry | undefined, content: Buffer): void {
  const told = file?.hashes ?? {};
  expect(told).toEqual(hashesOf(Object.keys(told) as HashName[], content));
}

export const readingTests: readonly ContractTest[] = [
  promise('reads what was written, of any size', [], async (world) => {
    for (const size of [0, 1, 4096, 65_536, 65_537, 3 * MIB + 17]) {
      const content = noise(size, size + 1);
      const written = await world.put(`size-${size}`, content);
      expect(written.size).toBe(size);
      expect((await world.file(`size-${size}`)).size).toBe(size);
      expect((await world.read(`size-${size}`)).equals(content)).toBe(true);
    }
  }),

  promise('reads ranges', [], async (world) => {
    for (const size of [1000, 300_000]) {
      const content = noise(size);
      await world.put('file', content);
      const part = async (offset: number, length?: number) =>
        world.read('file', length === undefined ? { offset } : { offset, length });
      expect((await part(0, 1)).equals(content.subarray(0, 1))).toBe(true);
      expect((await part(10, 500)).equals(content.subarray(10, 510))).toBe(true);
      expect((await part(size - 7)).equals(content.subarray(size - 7))).toBe(true);
      expect((await part(size - 1, 1)).equals(content.subarray(size - 1))).toBe(true);
      expect((await part(0)).equals(content)).toBe(true);
      // A range that ends behind the end gives what there is.
      expect((await part(size - 5, 100)).equals(content.subarray(size - 5))).toBe(true);
    }
  }),

  promise('reads content and details in one', ['openedWithDetails'], async (world) => {
    for (const size of [0, 5, 2 * MIB]) {
      const content = noise(size, 6);
      await world.put('file', content);
      const [listed] = await world.entries();
      if (listed?.kind !== 'file') throw new Error('no file listed');
      const { details } = world.remote.can;
      const read = details && (await openWithDetails(details, listed, OP));
      expect((await collectBody(read?.body ?? Buffer.of(0), OP.signal)).equals(content)).toBe(true);
      const alone = await details?.read(listed, OP);
      expect(withoutHashes(read?.file)).toEqual(withoutHashes(alone));
      expectRight(read?.file, content);
    }
  }),

  promise('tells checksums that are right', ['checksums'], async (world) => {
    const content = noise(2 * MIB, 7);
    await world.put('file', content);
    const [listed] = await world.entries();
    if (listed?.kind !== 'file') throw new Error('no file listed');
    const details = await world.remote.can.details?.read(listed, OP);
    const more = await world.remote.can.details?.read(listed, OP, { checksums: true });
    expect(withoutHashes(more)).toEqual(withoutHashes(details));
    expect(more?.hashes).toMatchObject(details?.hashes ?? {});
    expectRight(more, content);
  }),

  promise('reads a file twice at once', [], async (world) => {
    const content = noise(2 * MIB);
    await world.put('file', content);
    const [one, two] = await Promise.all([world.read('file'), world.read('file')]);
    expect(one.equals(content) && two.equals(content)).toBe(true);
  }),

  promise('rejects for a file that is gone', [], async (world) => {
    await world.put('file', 'x');
    const file = await world.file('file');
    await deleteOne(world.remote, file, OP);
    const reading = async () => {
      const body = await world.remote.read(file, undefined, OP);
      for await (const _ of bodyChunks(body, OP.signal));
    };
    await expectError(reading(), 'file-not-found');
  }),

  promise('stops reading when the signal is aborted', [], async (world) => {
    await world.put('file', noise(4 * MIB));
    const file = await world.file('file');
    const reason = new Error('stop');
    await expect(
      world.remote.read(file, undefined, { signal: AbortSignal.abort(reason) }),
    ).rejects.toBe(reason);

    const controller = new AbortController();
    const body = await world.remote.read(file, undefined, { signal: controller.signal });
    if (Buffer.isBuffer(body)) return;
    const reading = async () => {
      for await (const _ of bodyChunks(body, controller.signal)) controller.abort(reason);
    };
    await expect(reading()).rejects.toBe(reason);
  }),

  promise('lets a stream be left unread', [], async (world) => {
    await world.put('file', noise(4 * MIB));
    const body = await world.remote.read(await world.file('file'), undefined, OP);
    if (!Buffer.isBuffer(body)) body.destroy();
    await deleteOne(world.remote, await world.file('file'), OP);
    expect(await world.names()).toEqual([]);
  }),
];
