import { createHash } from 'node:crypto';
import fs from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { SmallFileReader } from '../../../../src/backends/local/hash-many.ts';
import { LocalDisk } from '../../../../src/backends/local/local-disk.ts';
import { WholeReads } from '../../../../src/backends/local/local-entry.ts';
import { localSettings } from '../../../../src/backends/local/local-settings.ts';
import { readFile } from '../../../../src/backends/local/read-file.ts';
import { SmallCopyCalls } from '../../../../src/backends/local/small-copier.ts';
import { collectBody } from '../../../../src/core/body.ts';
import { systemClock } from '../../../../src/core/context.ts';
import type { FileEntry, ReadRange } from '../../../../src/core/remote.ts';
import { type Libc, loadLibc } from '../../../../src/system/libc.ts';
import { fileAt, OP, openLocal, partials } from './local-world.ts';

/** Read whole, by a stream, and, copied, by the kernel. */
const LENGTHS = [10, 100_000, 3_000_000];

type Look = (...args: unknown[]) => fs.Stats | fs.BigIntStats | undefined;

/** From now on the system says that files with this content have another size. */
function sayWrongSize(path: string, size: () => number): void {
  const { ino } = fs.statSync(path, { bigint: true });
  for (const name of ['statSync', 'lstatSync', 'fstatSync'] as const) {
    const look = fs[name] as Look;
    const lie: Look = (...args) => {
      const stats = look(...args);
      if (stats === undefined || BigInt(stats.ino) !== ino) return stats;
      return Object.assign(stats, {
        size: typeof stats.size === 'bigint' ? BigInt(size()) : size(),
      });
    };
    const spy = vi.spyOn(fs, name).mockImplementation(lie as never);
    onTestFinished(() => spy.mockRestore());
  }
}

/** A file of `length` bytes that is listed with `size`; `later` is its size from the first read on. */
async function listedWrongly(
  length: number,
  size: number,
  options: Record<string, string> = {},
  later = size,
) {
  const { remote, dir } = openLocal(options);
  const path = join(dir, 'file');
  const content = Buffer.alloc(length, 'some content ');
  fs.writeFileSync(path, content);
  let now = size;
  sayWrongSize(path, () => now);
  const file = await fileAt(remote, 'file');
  expect(file.size).toBe(size);
  now = later;
  const read = async (range?: ReadRange, entry: FileEntry = file) =>
    collectBody(await remote.read(entry, range, OP), OP.signal);
  return { remote, dir, path, content, file, read };
}

const md5 = (content: Buffer) => createHash('md5').update(content).digest('hex');

const CHANGED = {
  code: 'source-changed',
  message: expect.stringMatching(/^can't copy - source file is being updated \(it has more than/),
};

describe.each([{}, { no_check_updated: 'true' }])(
  'a size of 0 of what has content, %o',
  (options) => {
    it.each(LENGTHS)('does not count: all of %d bytes are read', async (length) => {
      const { content, read, remote, file } = await listedWrongly(length, 0, options);
      expect((await read()).equals(content)).toBe(true);
      const confirmed = await remote.can.confirmSize?.(file, OP);
      expect(confirmed).toEqual({ ...file, size: -1 });
      expect((await read(undefined, confirmed)).equals(content)).toBe(true);
    });

    it('does not limit a range', async () => {
      const { content, read } = await listedWrongly(100_000, 0, options);
      expect((await read({ offset: 5 })).equals(content.subarray(5))).toBe(true);
      expect((await read({ offset: 5, length: 10 })).equals(content.subarray(5, 15))).toBe(true);
      const last = { offset: 99_990, length: 100 };
      expect((await read(last)).equals(content.subarray(99_990))).toBe(true);
      expect(await read({ offset: 200_000 })).toHaveLength(0);
    });

    it.each(LENGTHS)('is not hashed: %d bytes are', async (length) => {
      const { content, remote, file } = await listedWrongly(length, 0, options);
      expect(await remote.can.hash?.(file, 'md5', OP)).toBe(md5(content));
      expect((await remote.can.hashes?.(file, ['md5'], OP))?.md5).toBe(md5(content));
      // Nothing shows when it changes: the hash is not cached.
      expect(remote.can.stamp?.(file, 'read')).toBeUndefined();
    });

    it.each(LENGTHS)(
      'is not copied: what has %d bytes is left to a copy by bytes',
      async (length) => {
        const { remote, dir, file } = await listedWrongly(length, 0, options);
        expect(await remote.can.copyFrom?.(remote, file, 'copy', OP)).toBeUndefined();
        expect(fs.readdirSync(dir)).toEqual(['file']);
        expect(partials(dir)).toEqual([]);
      },
    );
  },
);

describe('a size of 0', () => {
  it('is confirmed of an empty file', async () => {
    const { remote, file, read } = await listedWrongly(0, 0);
    expect(await remote.can.confirmSize?.(file, OP)).toEqual(file);
    expect(await read()).toHaveLength(0);
    expect(await read({ offset: 5 })).toHaveLength(0);
    expect(await remote.can.copyFrom?.(remote, file, 'copy', OP)).toMatchObject({ size: 0 });
  });

  it.each([{}, { no_check_updated: 'true' }])('may become right, %o', async (options) => {
    const { content, read, remote, file } = await listedWrongly(3_000, 0, options, 3_000);
    expect((await read()).equals(content)).toBe(true);
    expect(await remote.can.hash?.(file, 'md5', OP)).toBe(md5(content));
    expect(await remote.can.confirmSize?.(file, OP)).toEqual({ ...file, size: -1 });
    expect(await remote.can.copyFrom?.(remote, file, 'copy', OP)).toBeUndefined();
  });

  it('of a file that was written since is an error, and taken with no_check_updated', async () => {
    for (const options of [{}, { no_check_updated: 'true' }]) {
      const { remote, path, file, read } = await listedWrongly(0, 0, options);
      vi.restoreAllMocks();
      fs.writeFileSync(path, 'new');
      fs.utimesSync(path, 1, 1);
      if ('no_check_updated' in options) {
        expect(await read()).toHaveLength(0);
        expect(await remote.can.confirmSize?.(file, OP)).toEqual(file);
      } else {
        await expect(read()).rejects.toMatchObject({ code: 'source-changed' });
        const confirming = remote.can.confirmSize?.(file, OP);
        await expect(confirming).rejects.toMatchObject({ code: 'source-changed' });
      }
    }
  });

  it('of what has content does not count on a slow disk either', async () => {
    const { dir, content, file } = await listedWrongly(10, 0);
    const settings = localSettings({ name: '', root: dir, options: {} });
    const context = { signal: OP.signal, clock: systemClock, emit: () => {} };
    const disk = new LocalDisk(settings, context);
    for (let n = 0; n < 100; n++) disk.pace.note(1, 1000);
    expect(disk.pace.isSlow).toBe(true);
    const { open } = fs.promises;
    const opening = vi.spyOn(fs.promises, 'open').mockImplementation(async (...args) => {
      const handle = await open(...args);
      return Object.assign(handle, { stat: async () => fs.fstatSync(handle.fd, { bigint: true }) });
    });
    onTestFinished(() => opening.mockRestore());
    expect(await collectBody(await readFile(disk, file, undefined), OP.signal)).toEqual(content);
    expect(opening).toHaveBeenCalled();
  });
});

describe.each([{}, { no_check_updated: 'true' }])('a size that is too small, %o', (options) => {
  it.each(LENGTHS)('is an error: %d bytes are not cut', async (length) => {
    const { read, remote, dir, file } = await listedWrongly(length, length / 2, options);
    await expect(read()).rejects.toMatchObject(CHANGED);
    await expect(read({ offset: length / 2 - 1, length: 1 })).rejects.toMatchObject(CHANGED);
    await expect(remote.can.confirmSize?.(file, OP)).rejects.toMatchObject(CHANGED);
    await expect(remote.can.copyFrom?.(remote, file, 'copy', OP)).rejects.toMatchObject(CHANGED);
    expect(fs.readdirSync(dir)).toEqual(['file']);
    await expect(async () => remote.can.hash?.(file, 'md5', OP)).rejects.toMatchObject(CHANGED);
    await expect(remote.can.hashes?.(file, ['md5'], OP)).rejects.toMatchObject(CHANGED);
  });

  it('is an error of the last of large ranges, not of the others', async () => {
    const { read, content } = await listedWrongly(3_000_000, 2_000_000, options);
    const first = await read({ offset: 0, length: 1_000_000 });
    expect(first.equals(content.subarray(0, 1_000_000))).toBe(true);
    const last = { offset: 1_000_000, length: 1_000_000 };
    await expect(read(last)).rejects.toMatchObject(CHANGED);
  });

  it('is an error of a hash that threads compute', async () => {
    const { remote, file } = await listedWrongly(18_000_000, 17_000_000, options);
    for (const name of ['md5', 'sha1'] as const)
      await expect(remote.can.hash?.(file, name, OP)).rejects.toMatchObject(CHANGED);
  });
});

describe('readers of small files', () => {
  /** The C library, in which every file has `size` bytes. */
  async function lyingLibc(size: number): Promise<Libc> {
    const libc = await loadLibc();
    const func: Libc['func'] = (name, result, parameters) => {
      const call = libc.func(name, result, parameters);
      if (name !== 'statx') return call;
      const lie = (...args: Parameters<typeof call>) => {
        const answer = call(...args);
        new BigInt64Array(args[4] as ArrayBuffer)[5] = BigInt(size);
        return answer;
      };
      return Object.assign(lie, call);
    };
    return { ...libc, func, errno: () => libc.errno() };
  }

  it.skipIf(process.platform !== 'linux')('notice by calls of C that there is more', async () => {
    const { path } = await listedWrongly(100, 100);
    const reader = async (size: number) =>
      new SmallFileReader(await lyingLibc(size)).read(path, new Uint8Array(size));
    expect(await reader(100)).toBeDefined();
    expect(await reader(50)).toBeUndefined();
    const { mtimeNs } = fs.statSync(path, { bigint: true });
    const copied = async (size: number) => {
      const calls = new SmallCopyCalls(await lyingLibc(size), 1000, new WholeReads());
      calls.setTime(mtimeNs);
      return calls.read(path, size);
    };
    expect(await copied(100)).toBe(true);
    expect(await copied(50)).toBe(false);
    expect(await copied(0)).toBe(false);
  });

  it.skipIf(process.platform !== 'linux')('notice it where less is read at a time', async () => {
    const { path } = await listedWrongly(100, 100);
    const libc = await lyingLibc(50);
    const func: Libc['func'] = (name, result, parameters) => {
      const call = libc.func(name, result, parameters);
      if (name !== 'pread') return call;
      const step = (...args: Parameters<typeof call>) =>
        call(args[0], args[1], Math.min(50, Number(args[2])), args[3]);
      return Object.assign(step, call);
    };
    const calls = new SmallCopyCalls({ ...libc, func }, 1000, { areAll: () => false });
    calls.setTime(fs.statSync(path, { bigint: true }).mtimeNs);
    expect(calls.read(path, 50)).toBe(false);
  });
});

it.skipIf(!fs.existsSync('/proc/version'))('a short read of a file in /proc proves no end', () => {
  const fd = fs.openSync('/proc/version', 'r');
  onTestFinished(() => fs.closeSync(fd));
  expect(new WholeReads().areAll(fs.fstatSync(fd).dev, fd)).toBe(false);
});

it.skipIf(!fs.existsSync('/proc/version'))('files in /proc are read', async () => {
  const { remote } = openLocal({}, '/proc');
  const file = await fileAt(remote, 'version');
  const content = fs.readFileSync('/proc/version');
  expect(file.size).toBe(0);
  expect(await collectBody(await remote.read(file, undefined, OP), OP.signal)).toEqual(content);
  expect(await remote.can.hash?.(file, 'md5', OP)).toBe(md5(content));
  const { remote: dest, dir } = openLocal();
  expect(await dest.can.copyFrom?.(remote, file, 'copy', OP)).toBeUndefined();
  expect(fs.readdirSync(dir)).toEqual([]);
});
