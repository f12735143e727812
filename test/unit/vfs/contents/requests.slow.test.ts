import { expect, test, vi } from 'vitest';
import type { Clock } from '../../../../src/core/context.ts';
import type { ReadRange } from '../../../../src/core/remote.ts';
import type { VfsOptions } from '../../../../src/vfs/vfs-options.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { remoteBut } from '../../../support/memory-world.ts';
import { ContentsWorld, CREATE, closeFile, hastyClock, op, READ } from './contents-world.ts';

const KIB = 1024;
const MIB = 1024 * KIB;

/** Opens a file of `size` bytes; gives what was asked of the remote. */
async function opened(size: number, options: Partial<VfsOptions>, clock: Clock = hastyClock) {
  const world = new ContentsWorld();
  world.clock = clock;
  const entry = await world.put('f', Buffer.alloc(size, 'content '));
  const { remote } = world;
  const asked: (readonly [from: number, length: number])[] = [];
  let [now, most] = [0, 0];
  world.remote = remoteBut(remote, {
    read: async (file, range: ReadRange | undefined, at) => {
      asked.push([range?.offset ?? 0, range?.length ?? size]);
      most = Math.max(most, ++now);
      await new Promise((resolve) => setImmediate(resolve));
      now--;
      return remote.read(file, range, at);
    },
  });
  const contents = await world.open({ cacheMode: 'off', ...options });
  const file = await contents.open('f', entry, READ, op);
  const again = (changed = entry) => contents.open('f', changed, READ, op);
  return { file, asked, most: () => most, again, world };
}

test('who reads from end to end gets requests that grow up to the limit', async () => {
  const flags = { readChunkSize: 64 * KIB, readChunkSizeLimit: 256 * KIB };
  const { file, asked } = await opened(2 * MIB, flags);
  for (let at = 0; at < 2 * MIB; at += 128 * KIB) await file.read(at, 128 * KIB, op);
  await closeFile(file);
  expect(asked.slice(0, 4)).toEqual([
    [0, 128 * KIB],
    [128 * KIB, 256 * KIB],
    [384 * KIB, 256 * KIB],
    [640 * KIB, 256 * KIB],
  ]);
  expect(asked.reduce((sum, [, length]) => sum + length, 0)).toBe(2 * MIB);
});

test('a small file is one request for all of it', async () => {
  const { file, asked } = await opened(5000, {});
  await file.read(0, 128 * KIB, op);
  await file.read(4000, 128 * KIB, op);
  await closeFile(file);
  expect(asked).toEqual([[0, 5000]]);
});

test('a read somewhere in the middle asks for little more than itself', async () => {
  const { file, asked } = await opened(20 * MIB, {});
  await file.read(10 * MIB, 4 * KIB, op);
  await file.read(15 * MIB, 4 * KIB, op);
  await file.read(5 * MIB, 4 * KIB, op);
  await closeFile(file);
  expect(asked).toEqual([
    [10 * MIB, 128 * KIB],
    [15 * MIB, 128 * KIB],
    [5 * MIB, 128 * KIB],
  ]);
});

test('several streams fetch ahead of one reader at once', async () => {
  const flags = { readChunkSize: 256 * KIB, readChunkStreams: 4 };
  const { file, asked, most } = await opened(8 * MIB, flags);
  for (let at = 0; at < 8 * MIB; at += 128 * KIB) await file.read(at, 128 * KIB, op);
  await closeFile(file);
  expect(most()).toBeGreaterThan(2);
  expect(Math.max(...asked.map(([, length]) => length))).toBe(256 * KIB);
  expect(asked.reduce((sum, [, length]) => sum + length, 0)).toBe(8 * MIB);
});

test('programs that read the same at the same time share the requests', async () => {
  const { file, asked } = await opened(1 * MIB, {});
  await Promise.all(Array.from({ length: 8 }, (_, i) => file.read(i * 128 * KIB, 128 * KIB, op)));
  await Promise.all(Array.from({ length: 8 }, () => file.read(0, 128 * KIB, op)));
  await closeFile(file);
  expect(asked).toEqual([[0, 1 * MIB]]);
});

test('--vfs-read-wait: an early read waits no longer than for the read before it', async () => {
  const clock = new ManualClock();
  const { file, asked } = await opened(1 * MIB, { readWait: 3_600_000 }, clock);
  const early = file.read(128 * KIB, 128 * KIB, op);
  await vi.waitFor(() => expect(clock.sleeping).toBe(1));
  expect(asked).toEqual([]);
  await file.read(0, 128 * KIB, op);
  expect(await early).toHaveLength(128 * KIB);
  expect(asked).toEqual([[0, 1 * MIB]]);
  await closeFile(file);
});

test('--no-seek refuses what is not the next', async () => {
  const { file } = await opened(1000, { noSeek: true });
  await file.read(0, 100, op);
  await file.read(100, 100, op);
  await expect(file.read(500, 100, op)).rejects.toMatchObject({ code: 'unsupported' });
  await closeFile(file);
});

test('a file that is opened for each of its parts is one request, for a while and if it is the same', async () => {
  const size = 2 * MIB;
  let over = () => {};
  const clock: Clock = {
    ...hastyClock,
    sleep: (ms, signal) =>
      ms === 7_000
        ? new Promise((resolve) => {
            over = resolve;
          })
        : hastyClock.sleep(ms, signal),
  };
  const { file, asked, again, world } = await opened(size, { handleCaching: 7_000 }, clock);
  for (let at = 0, from = file; at < size; at += 64 * KIB, from = await again()) {
    await from.read(at, 64 * KIB, op);
    await closeFile(from);
  }
  expect(asked).toEqual([[0, size]]);
  over();
  await new Promise((resolve) => setImmediate(resolve));
  const later = await again();
  await later.read(0, 64 * KIB, op);
  await closeFile(later);
  expect(asked).toHaveLength(2);
  const changed = await again(await world.put('f', Buffer.alloc(size, 'others ')));
  expect(Buffer.from(await changed.read(0, 6, op)).toString()).toBe('others');
  expect(asked).toHaveLength(3);
  await closeFile(changed);
});

test('without handle caching each opening is a request', async () => {
  const { file, asked, again } = await opened(2 * MIB, { handleCaching: 0 });
  await file.read(0, 64 * KIB, op);
  await closeFile(file);
  const second = await again();
  await second.read(0, 64 * KIB, op);
  await closeFile(second);
  expect(asked).toHaveLength(2);
});

test.each([
  ['is read again', false, 2],
  ['is the same for --vfs-fast-fingerprint', true, 1],
] as const)(
  'a file with another time, of a remote without hashes, %s',
  async (_, fastFingerprint, times) => {
    const world = new ContentsWorld();
    const { hashes: _hashes, etag: _etag, ...entry } = await world.put('f', 'content');
    let requests = 0;
    world.remote = remoteBut(world.remote, {
      traits: { ...world.remote.traits, slowModTime: true },
      read: (_file, range, at) => {
        requests++;
        return world.plain.read(entry, range, at);
      },
    });
    const contents = await world.open({ cacheMode: 'full', fastFingerprint });
    for (const modTime of [1n, 2n]) {
      contents.changed('f', { ...entry, modTime });
      const file = await contents.open('f', { ...entry, modTime }, READ, op);
      await file.read(0, 7, op);
      await closeFile(file);
    }
    expect(requests).toBe(times);
  },
);

test('--vfs-read-ahead adds to what is read ahead of a program', async () => {
  const [end, usual] = [20 * MIB, 32 * MIB];
  const reached = async (readAhead: number) => {
    const sizes = { bufferSize: 128 * MIB, readChunkSize: MIB, readChunkSizeLimit: MIB };
    const { file, asked } = await opened(96 * MIB, { cacheMode: 'full', readAhead, ...sizes });
    await file.read(0, end, op);
    const furthest = () => Math.max(...asked.map(([from, length]) => from + length));
    await expect.poll(furthest).toBeGreaterThanOrEqual(end + usual + readAhead / 2);
    await closeFile(file);
    return furthest();
  };
  expect(await reached(0)).toBeLessThan(await reached(16 * MIB));
});

test.each([false, true])(
  'an upload has a hash to compare unless noChecksum is %s',
  async (noChecksum) => {
    const world = new ContentsWorld();
    const hashed: boolean[] = [];
    world.remote = remoteBut(world.remote, {
      write: (source, at) => {
        hashed.push(source.hash !== undefined);
        return world.plain.write(source, at);
      },
    });
    const contents = await world.open({ cacheMode: 'writes', writeBack: 0, noChecksum });
    const file = await contents.open('new', undefined, CREATE, op);
    await file.write(0, Buffer.from('content'), op);
    await closeFile(file);
    await expect.poll(() => hashed).toEqual([!noChecksum]);
  },
);
