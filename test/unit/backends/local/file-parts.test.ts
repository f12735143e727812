import { createHash } from 'node:crypto';
import fs from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { partsOf } from '../../../../src/backends/local/write-parts.ts';
import type { PartsMd5 } from '../../../../src/core/entry-details.ts';
import { SyncerError } from '../../../../src/core/errors.ts';
import type { Hashes } from '../../../../src/core/hash-names.ts';
import type { ReadRange, WriteSource } from '../../../../src/core/remote.ts';
import { hashesOf } from '../../../../src/hashes/content-hasher.ts';
import { names, newFolder, OP, openLocal, partials } from './local-world.ts';

const MIB = 1024 * 1024;

describe('partsOf', () => {
  it('covers every byte once, in order, in at most as many parts as asked for', () => {
    fc.assert(
      fc.property(fc.nat(2_000_000_000), fc.integer({ min: 1, max: 16 }), (size, count) => {
        const parts = partsOf(size, count);
        expect(parts.length).toBeLessThanOrEqual(count);
        let end = 0;
        for (const { offset, length } of parts) {
          expect(offset).toBe(end);
          expect(length).toBeGreaterThan(0);
          end += length;
        }
        expect(end).toBe(size);
      }),
    );
  });
});

describe('a file written in parts', () => {
  const inParts = { partsFrom: 1, parts: 4 };
  const content = Buffer.alloc(4 * MIB, 'abcdefg');

  it('is read in ranges, all at once', async () => {
    const { remote } = openLocal({}, newFolder(), inParts);
    const ranges: ReadRange[] = [];
    let release = () => {};
    const all = new Promise<void>((resolve) => {
      release = resolve;
    });
    await remote.write(
      {
        path: 'file',
        size: content.length,
        seekable: true,
        async open(range = { offset: 0 }) {
          ranges.push(range);
          if (ranges.length === 4) release();
          await all;
          return content.subarray(range.offset, range.offset + (range.length ?? 0));
        },
      },
      OP,
    );
    expect(ranges.map(({ offset }) => offset)).toEqual([0, MIB, 2 * MIB, 3 * MIB]);
  });

  it.each([
    ['from its size on', content.length, 2, [0, 2 * MIB]],
    ['below it', content.length + 1, 2, [undefined]],
    ['with one stream', 1, 1, [undefined]],
  ])('obeys what the writer wants of ranges: %s', async (_, from, count, expected) => {
    const { remote } = openLocal({}, newFolder(), inParts);
    const offsets: (number | undefined)[] = [];
    await remote.write(
      {
        path: 'file',
        size: content.length,
        ranges: { from, count },
        seekable: true,
        async open(range) {
          offsets.push(range?.offset);
          const { offset = 0, length = content.length } = range ?? {};
          return content.subarray(offset, offset + length);
        },
      },
      OP,
    );
    expect(offsets).toEqual(expected);
  });

  it('stops all parts when one fails, with the error of that one', async () => {
    const { remote, dir } = openLocal({}, newFolder(), inParts);
    const signals: AbortSignal[] = [];
    const writing = remote.write(
      {
        path: 'file',
        size: content.length,
        seekable: true,
        async open(range, { signal }) {
          signals.push(signal);
          if (range?.offset === MIB) throw new SyncerError('network', 'connection reset');
          return new Promise((_, reject) => {
            signal.addEventListener('abort', () => reject(signal.reason));
          });
        },
      },
      OP,
    );
    await expect(writing).rejects.toMatchObject({ code: 'network', message: 'connection reset' });
    expect(signals.every(({ aborted }) => aborted)).toBe(true);
    expect(await names(remote)).toEqual([]);
    expect(partials(dir)).toEqual([]);
  });

  const hashed = (hashes: Hashes): WriteSource => ({
    ...{ path: 'file', size: content.length, seekable: true, hashes },
    // The last parts come first.
    async open(range = { offset: 0 }) {
      await setTimeout(10 - range.offset / MIB);
      return content.subarray(range.offset, range.offset + (range.length ?? 0));
    },
  });
  const right = hashesOf(['md5', 'crc32'], content);

  it('has the CRC-32 of all bytes, in whatever order they come, and the other hashes', async () => {
    const { remote } = openLocal({}, newFolder(), { ...inParts, parts: 8 });
    const written = await remote.write(hashed(right), OP);
    expect(written.hashes).toEqual(right);
    const crc32 = right.crc32?.toUpperCase() ?? '';
    expect((await remote.write(hashed({ crc32 }), OP)).hashes).toEqual({ crc32: right.crc32 });
  });

  it.each([
    { crc32: '00c0ffee' },
    { ...right, crc32: '00c0ffee' },
    { ...right, md5: '00c0ffee'.repeat(4) },
  ])('does not get its name where it should have other hashes: %o', async (hashes) => {
    const { remote, dir } = openLocal({}, newFolder(), inParts);
    const writing = remote.write(hashed(hashes), OP);
    await expect(writing).rejects.toMatchObject({
      code: 'corrupted',
      message: expect.stringContaining('00c0ffee'),
    });
    expect(await names(remote)).toEqual([]);
    expect(partials(dir)).toEqual([]);
  });

  describe('with an MD5 of its parts', () => {
    const { md5 = '' } = right;
    const partsMd5 = (partLength: number): PartsMd5 => {
      const all = createHash('md5');
      for (let at = 0; at < content.length; at += partLength) {
        all.update(
          createHash('md5')
            .update(content.subarray(at, at + partLength))
            .digest(),
        );
      }
      return { partLength, digest: all.digest('hex') };
    };
    const write = (source: Partial<WriteSource>, bytes = content) => {
      const { remote, dir } = openLocal({}, newFolder(), inParts);
      const open: WriteSource['open'] = async ({ offset = 0, length = 0 } = { offset: 0 }) => {
        await setTimeout(10 - offset / MIB);
        // In pieces that do not end where parts do.
        const range = bytes.subarray(offset, offset + length);
        return Readable.from([range.subarray(0, 300_000), range.subarray(300_000)]);
      };
      return { dir, remote, writing: remote.write({ ...hashed({}), open, ...source }, OP) };
    };

    it.each([0.25, 1, 1.5, 3, 4])('of %f MiB is written where it fits', async (mib) => {
      const wrong = '00c0ffee'.repeat(4);
      const { dir, writing } = write({ partsMd5: partsMd5(mib * MIB), hashes: { md5: wrong } });
      await writing;
      expect(fs.readFileSync(join(dir, 'file')).equals(content)).toBe(true);
    });

    it('is what the other hashes say where it does not fit', async () => {
      const guessed = { ...partsMd5(MIB), partLength: 2 * MIB };
      const { writing } = write({ partsMd5: guessed, hashes: { md5 } });
      expect((await writing).hashes).toEqual({ md5 });
    });

    it('does not get its name where a byte is wrong', async () => {
      const bytes = Buffer.from(content);
      bytes[2_500_000] = 0;
      const { dir, remote, writing } = write({ partsMd5: partsMd5(MIB), hashes: { md5 } }, bytes);
      await expect(writing).rejects.toMatchObject({ code: 'corrupted' });
      expect(await names(remote)).toEqual([]);
      expect(partials(dir)).toEqual([]);
    });

    it('leaves nothing behind where a part cannot be read', async () => {
      const open: WriteSource['open'] = async (range = { offset: 0 }) => {
        if (range.offset === 2 * MIB) throw new SyncerError('network', 'connection reset');
        return content.subarray(range.offset, range.offset + (range.length ?? 0));
      };
      const { dir, writing } = write({ partsMd5: partsMd5(MIB), hashes: { md5 }, open });
      await expect(writing).rejects.toMatchObject({ code: 'network' });
      expect(partials(dir)).toEqual([]);
    });
  });

  it.each(['short', 'long'])('is refused when a part is too %s', async (which) => {
    const { remote, dir } = openLocal({}, newFolder(), inParts);
    const writing = remote.write(
      {
        path: 'file',
        size: content.length,
        seekable: true,
        open: async () => Buffer.alloc(which === 'short' ? 5 : 2 * MIB),
      },
      OP,
    );
    await expect(writing).rejects.toMatchObject({ code: 'corrupted' });
    expect(partials(dir)).toEqual([]);
  });
});
