import { createHash } from 'node:crypto';
import fs from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  HashThreads,
  Md5Batches,
  THREAD_SIZE,
} from '../../../../src/backends/local/hash-threads.ts';
import { fileAt, newFolder, OP, openLocal, partials } from './local-world.ts';

const MIB = 1024 * 1024;

function fileOf(content: Buffer): { readonly fd: number; readonly path: string } {
  const path = join(newFolder(), 'file');
  fs.writeFileSync(path, content);
  const fd = fs.openSync(path, 'r');
  onTestFinished(() => fs.closeSync(fd));
  return { fd, path };
}

const md5 = (content: Buffer) => createHash('md5').update(content).digest('hex');

/** Bytes that repeat nowhere near. */
function bytes(size: number): Buffer {
  const content = Buffer.alloc(size);
  for (let i = 0; i + 4 <= size; i += 4) content.writeUInt32LE(Math.imul(i, 2654435761) >>> 0, i);
  return content;
}

describe('a hash in a thread', () => {
  test('is that of the file, for more files than threads', async () => {
    const threads = new HashThreads();
    const sizes = [0, 1, MIB - 1, MIB, 2 * MIB + 7, 3 * MIB, 5, 6, 7];
    const found = sizes.map(async (size) => {
      const content = bytes(size);
      const hashing = threads.hash(fileOf(content).fd, size, 'md5');
      hashing.mayRead(size);
      expect(await hashing.digest).toBe(md5(content));
    });
    await Promise.all(found);
  });

  test('never reads what is not final yet', async () => {
    const threads = new HashThreads();
    const content = bytes(3 * MIB);
    const { fd, path } = fileOf(Buffer.alloc(content.length, 'wrong'));
    const hashing = threads.hash(fd, content.length, 'sha256');
    const writing = fs.openSync(path, 'r+');
    for (let at = 0; at < content.length; at += MIB / 2) {
      fs.writeSync(writing, content, at, MIB / 2, at);
      hashing.mayRead(at + MIB / 2);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    fs.closeSync(writing);
    expect(await hashing.digest).toBe(createHash('sha256').update(content).digest('hex'));
  });

  test('can be given up while it waits, and the thread goes on with the next', async () => {
    const threads = new HashThreads();
    const content = bytes(MIB);
    const { fd } = fileOf(content);
    const given = Array.from({ length: 6 }, () => threads.hash(fd, MIB, 'md5'));
    for (const each of given) each.giveUp();
    expect(await Promise.all(given.map(({ digest }) => digest))).toEqual(
      given.map(() => undefined),
    );
    const next = threads.hash(fd, MIB, 'md5');
    next.mayRead(MIB);
    expect(await next.digest).toBe(md5(content));
  });

  test('tells of a file that is shorter, and of one that cannot be read', async () => {
    const threads = new HashThreads();
    const short = threads.hash(fileOf(bytes(10)).fd, 20, 'md5');
    short.mayRead(20);
    expect(await short.digest).toBeUndefined();
    const unreadable = threads.hash(1_000_000, 20, 'md5');
    unreadable.mayRead(20);
    await expect(unreadable.digest).rejects.toMatchObject({ code: 'EBADF' });
  });
});

describe('MD5s of ranges in threads', () => {
  const content = bytes(8 * MIB + 3);
  /** As many as `count`, of about a MiB each, some with odd ends. */
  const rangesOf = (fd: number, count: number) =>
    Array.from({ length: count }, (_, at) => ({ fd, offset: at * MIB, length: MIB - (at % 3) }));
  const md5sOf = (ranges: ReturnType<typeof rangesOf>) =>
    ranges.map(({ offset, length }) => md5(content.subarray(offset, offset + length)));

  test('are those of each, whether there are few or many', async () => {
    const threads = new HashThreads();
    const { fd } = fileOf(content);
    const asked = Array.from({ length: threads.lanes + 1 }, (_, count) => rangesOf(fd, count));
    const found = asked.map((ranges) => threads.hashRanges(ranges).digests);
    expect(await Promise.all(found)).toEqual(asked.map(md5sOf));
  });

  test.each([2, 8])('can be given up: %i of them', async (count) => {
    const threads = new HashThreads();
    const { fd } = fileOf(content);
    const given = Array.from({ length: 5 }, () => threads.hashRanges(rangesOf(fd, count)));
    for (const { giveUp } of given) giveUp();
    const ended = await Promise.all(given.map(({ digests }) => digests));
    // The first may have been done already.
    expect(ended.slice(1).flat()).not.toContainEqual(expect.any(String));
    const again = rangesOf(fd, count);
    expect(await threads.hashRanges(again).digests).toEqual(md5sOf(again));
  });

  test.each([2, 8])('are none of what is shorter or cannot be read: %i of them', async (count) => {
    const threads = new HashThreads();
    const { fd } = fileOf(content.subarray(0, (count - 1) * MIB + 1));
    const ranges = rangesOf(fd, count);
    const [first] = ranges;
    if (first !== undefined) ranges[0] = { ...first, fd: 1_000_000 };
    const [, ...digests] = md5sOf(ranges).slice(0, -1);
    expect(await threads.hashRanges(ranges).digests).toEqual([undefined, ...digests, undefined]);
  });
});

describe('MD5s of files in batches', () => {
  const batches = () => new Md5Batches(new HashThreads());

  test('are those of each, however many there are and whatever their lengths', async () => {
    const md5s = batches();
    const lengths = [3 * MIB, 0, 1, ...Array.from({ length: 30 }, (_, at) => at * 37_501)];
    const found = lengths.map(async (length) => {
      const content = bytes(length);
      expect(await md5s.hash(fileOf(content).fd, length).digest).toBe(md5(content));
    });
    await Promise.all(found);
  });

  test('a file that cannot be read, or is shorter, is told by itself', async () => {
    const md5s = batches();
    const content = bytes(MIB);
    const good = Array.from({ length: 5 }, () => md5s.hash(fileOf(content).fd, MIB));
    const bad = md5s.hash(1_000_000, MIB);
    const short = md5s.hash(fileOf(content.subarray(1)).fd, MIB);
    await expect(bad.digest).rejects.toMatchObject({ code: 'EBADF' });
    expect(await short.digest).toBeUndefined();
    for (const { digest } of good) expect(await digest).toBe(md5(content));
  });

  test('those that are given up end, and the others go on', async () => {
    const md5s = batches();
    const content = bytes(8 * MIB);
    const { fd } = fileOf(content);
    const all = Array.from({ length: 12 }, () => md5s.hash(fd, content.length));
    for (const { giveUp } of all.slice(0, 11)) giveUp();
    expect(await all[11]?.digest).toBe(md5(content));
    await Promise.all(all.map(({ digest }) => digest));
    const given = Array.from({ length: 8 }, () => md5s.hash(fd, content.length));
    for (const { giveUp } of given) giveUp();
    const digests = await Promise.all(given.map(({ digest }) => digest));
    expect(digests).toEqual(given.map(() => undefined));
  });
});

describe('a large local file', () => {
  const content = bytes(THREAD_SIZE + 5);

  test('has the hash it has', async () => {
    const { remote, dir } = openLocal();
    fs.writeFileSync(join(dir, 'file'), content);
    const file = await fileAt(remote, 'file');
    expect(await remote.can.hash?.(file, 'md5', OP)).toBe(md5(content));
    expect(await remote.can.hash?.(file, 'crc32', OP)).toMatch(/^[\da-f]{8}$/);
    fs.truncateSync(join(dir, 'file'), 5);
    const changed = { code: 'source-changed' };
    await expect(remote.can.hash?.(file, 'md5', OP)).rejects.toMatchObject(changed);
    const reason = new Error('enough');
    const aborted = { signal: AbortSignal.abort(reason) };
    await expect(remote.can.hash?.(file, 'md5', aborted)).rejects.toBe(reason);
  });

  test('is hashed while downloads that are verified wait for more', async () => {
    const { remote, dir } = openLocal({}, newFolder(), { partsFrom: 1, parts: 2 });
    fs.writeFileSync(join(dir, 'file'), content);
    const gate = Promise.withResolvers<void>();
    const writing = [1, 2, 3, 4, 5].map((number) =>
      remote.write(
        {
          ...{ path: `slow-${number}`, size: content.length, seekable: true },
          hashes: { md5: md5(content) },
          open: async ({ offset, length } = { offset: 0, length: content.length }) => {
            if (offset > 0) await gate.promise;
            return content.subarray(offset, offset + (length ?? 0));
          },
        },
        OP,
      ),
    );
    const file = await fileAt(remote, 'file');
    expect(await remote.can.hash?.(file, 'md5', OP)).toBe(md5(content));
    expect(await remote.can.hash?.(file, 'sha1', OP)).toHaveLength(40);
    gate.resolve();
    await Promise.all(writing);
  });

  test.each([
    [{ md5: md5(content) }, undefined],
    [{ md5: md5(content), crc32: '00000000' }, 'crc32'],
    [{ sha1: 'f'.repeat(40) }, 'sha1'],
  ])('written in parts is compared with %j', async (hashes, wrong) => {
    const { remote, dir } = openLocal({}, newFolder(), { partsFrom: 1, parts: 4 });
    const source = {
      ...{ path: 'file', size: content.length, seekable: true, hashes },
      open: async (range = { offset: 0, length: content.length }) =>
        content.subarray(range.offset, range.offset + (range.length ?? 0)),
    };
    const writing = remote.write(source, OP);
    if (wrong === undefined) {
      expect((await writing).hashes).toEqual(hashes);
      expect(fs.readFileSync(join(dir, 'file')).equals(content)).toBe(true);
    } else {
      const message = expect.stringContaining(`${wrong} hash differ`);
      await expect(writing).rejects.toMatchObject({ code: 'corrupted', message });
      expect(fs.readdirSync(dir)).toEqual([]);
    }
    expect(partials(dir)).toEqual([]);
  });
});

test('a thread that the system refuses is told, and leaves its place to those who wait', async () => {
  const module = process.getBuiltinModule('node:worker_threads');
  const get = process.getBuiltinModule;
  let refused = 0;
  process.getBuiltinModule = ((name: string) => {
    if (name !== 'node:worker_threads' || refused >= 2) return get.call(process, name);
    refused++;
    return { ...module, Worker: undefined };
  }) as typeof get;
  onTestFinished(() => void Object.assign(process, { getBuiltinModule: get }));
  const threads = new HashThreads();
  const content = bytes(100);
  const { fd } = fileOf(content);
  const found = await Promise.allSettled(
    Array.from({ length: 6 }, () => threads.hashNow(fd, 100, 'md5').digest),
  );
  const wrong = found.filter(({ status }) => status === 'rejected');
  expect(wrong).toHaveLength(2);
  expect(
    found.filter((each) => each.status === 'fulfilled' && each.value === md5(content)),
  ).toHaveLength(4);
});
