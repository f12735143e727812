import { expect } from 'vitest';
import { modTimeIn } from '../../src/core/entry-details.ts';
import { SyncerError } from '../../src/core/errors.ts';
import { formatRfc3339Nano, type ModTime, sameModTime } from '../../src/core/mod-time.ts';
import { contentHasher, loadedHasher } from '../../src/hashes/content-hasher.ts';
import { type ContractTest, promise } from './contract-test.ts';
import { noise, OP, SOME_TIME, type World } from './contract-world.ts';

const TIMES: readonly [string, ModTime][] = [
  ['nanoseconds', SOME_TIME],
  ['the last nanosecond of a second', 1_699_999_999_999_999_999n],
  ['the epoch', 0n],
  ['one nanosecond', 1n],
];

/** Times that 32 bits do not hold. */
const OTHER_TIMES: typeof TIMES = [
  ['before 1970', -86_400_000_000_001n],
  ['1902', -2_145_916_799_500_000_000n],
  ['the year 2200', 7_258_118_400_123_456_700n],
];

function expectTime(world: World, found: ModTime | undefined, expected: ModTime): void {
  const precision = world.remote.traits.modTimePrecision ?? 1n;
  expect(found).toBeDefined();
  if (found !== undefined && !sameModTime(found, expected, precision)) {
    expect(found).toBe(expected);
  }
}

export const metadataTests: readonly ContractTest[] = [
  promise('keeps modification times', ['modTime'], async (world) => {
    for (const [name, modTime] of TIMES) {
      const written = await world.put(name, name, { modTime });
      expectTime(world, written.modTime, modTime);
      expectTime(world, (await world.details(name)).modTime, modTime);
    }
  }),

  promise('keeps times before 1970 and after 2106', ['modTime', 'anyTimes'], async (world) => {
    for (const [name, modTime] of OTHER_TIMES) {
      const written = await world.put(name, name, { modTime });
      expectTime(world, written.modTime, modTime);
      expectTime(world, (await world.details(name)).modTime, modTime);
      const { setModTime, setDirModTime } = world.remote.can;
      const set = await setModTime?.(await world.file(name), modTime + 10n ** 12n, OP);
      if (set !== undefined) expectTime(world, set.modTime, modTime + 10n ** 12n);
      await setDirModTime?.(world.dir, modTime, OP);
      if (setDirModTime === undefined) continue;
      expectTime(world, (await world.remote.stat(world.dir, OP))?.modTime, modTime);
    }
  }),

  promise('sets modification times and leaves the content', ['setModTime'], async (world) => {
    await world.put('file', 'content');
    for (const [, modTime] of TIMES) {
      const changed = await world.remote.can.setModTime?.(await world.file('file'), modTime, OP);
      expectTime(world, changed?.modTime, modTime);
      expectTime(world, (await world.details('file')).modTime, modTime);
      expect(await world.text('file')).toBe('content');
    }
  }),

  promise('sets times and metadata of directories', ['setDirModTime'], async (world) => {
    const dir = world.at('dir');
    await world.put('dir/file', 'content');
    for (const [, modTime] of TIMES) {
      await world.remote.can.setDirModTime?.(dir, modTime, OP);
      expectTime(world, (await world.remote.stat(dir, OP))?.modTime, modTime);
    }
    const { setDirMetadata, readDirMetadata, setDirModTime } = world.remote.can;
    for (const [, modTime] of setDirMetadata === undefined ? [] : TIMES) {
      const metadata = { mtime: formatRfc3339Nano(modTime) };
      await setDirMetadata?.(dir, metadata, modTime, OP);
      expectTime(world, (await world.remote.stat(dir, OP))?.modTime, modTime);
      const entry = await world.remote.stat(dir, OP);
      if (entry?.kind !== 'dir') return expect.fail('it is no directory any more');
      const read = (await readDirMetadata?.(entry, OP)) ?? {};
      expectTime(world, modTimeIn(read), modTime);
      // What was read can be set again.
      await setDirMetadata?.(dir, read, modTime, OP);
      expectTime(world, (await world.remote.stat(dir, OP))?.modTime, modTime);
    }
    expect(await world.text('dir/file')).toBe('content');
    const { modTime } = await world.put('file', 'content', { modTime: SOME_TIME });
    for (const name of ['missing', 'file', 'file/below']) {
      const wrong = { code: 'directory-not-found' };
      await expect(setDirModTime?.(world.at(name), 0n, OP), name).rejects.toMatchObject(wrong);
      if (setDirMetadata === undefined) continue;
      const set = setDirMetadata(world.at(name), {}, 0n, OP);
      await expect(set, name).rejects.toMatchObject(wrong);
    }
    expectTime(world, (await world.details('file')).modTime, modTime ?? SOME_TIME);
    if (readDirMetadata === undefined) return;
    const missing = { kind: 'dir', path: world.at('missing') } as const;
    await expect(readDirMetadata(missing, OP)).rejects.toBeInstanceOf(SyncerError);
  }),

  promise('gives the time of writing where none is given', ['modTime'], async (world) => {
    const { modTime: _, ...source } = {
      path: world.at('file'),
      size: 1,
      modTime: undefined,
      seekable: true,
      open: async () => Buffer.from('x'),
    };
    await world.remote.write(source, OP);
    const { modTime } = await world.details('file');
    const hour = 3_600_000_000_000n;
    expect(sameModTime(modTime ?? 0n, BigInt(Date.now()) * 1_000_000n, hour)).toBe(true);
  }),

  promise('gives the hashes it is said to have', ['hashes', 'hash'], async (world) => {
    const { can, traits } = world.remote;
    for (const size of [0, 11, 200_000]) {
      const content = noise(size, 3);
      const hasher = contentHasher(traits.hashes);
      hasher.update(content);
      const expected = hasher.digest();
      await world.put('file', content);
      const file = await world.file('file');
      for (const name of traits.hashes) {
        const hash = await can.hash?.(file, name, OP);
        if (expected[name] !== undefined) expect(hash).toBe(expected[name]);
      }
      const many = await can.hashes?.(file, traits.hashes, OP);
      if (many !== undefined) expect(many).toMatchObject(expected);
    }
  }),

  promise('tells hashes in entries that are those of the content', ['hashes'], async (world) => {
    const content = noise(5000, 4);
    const hasher = await loadedHasher(world.remote.traits.hashes);
    hasher.update(content);
    const expected = hasher.digest();
    const written = await world.put('file', content);
    for (const entry of [written, await world.file('file'), await world.details('file')]) {
      for (const [name, value] of Object.entries(entry.hashes ?? {})) {
        expect(expected).toHaveProperty(name, value);
      }
    }
  }),

  promise('has no hash of a kind it is not said to have', ['hash'], async (world) => {
    await world.put('file', 'x');
    for (const name of ['md5', 'sha1', 'sha256', 'crc32', 'quickxor'] as const) {
      if (world.remote.traits.hashes.includes(name)) continue;
      expect(await world.remote.can.hash?.(await world.file('file'), name, OP)).toBeUndefined();
    }
  }),

  promise('changes the etag with the content', [], async (world) => {
    const one = await world.put('file', 'one');
    const same = await world.file('file');
    if (one.etag !== undefined && same.etag !== undefined) expect(same.etag).toBe(one.etag);
    await world.put('file', 'two');
    const two = await world.file('file');
    if (one.etag !== undefined) expect(two.etag).not.toBe(one.etag);
    expect(await world.text('file')).toBe('two');
  }),

  promise('tells its space in bytes', ['about'], async (world) => {
    const about = await world.remote.can.about?.(OP);
    const numbers = Object.values(about ?? {});
    expect(numbers.length).toBeGreaterThan(0);
    for (const number of numbers) expect(number).toBeGreaterThanOrEqual(0);
  }),

  promise('gives a link that looks like one', ['publicLink'], async (world) => {
    await world.put('dir/a file', 'x');
    const link = await world.remote.can.publicLink?.(await world.file('dir/a file'), 60_000, OP);
    expect(new URL(link ?? '').protocol).toMatch(/^https?:$/);
  }),

  promise('changes the tier and nothing else', ['setTier', 'otherTiers'], async (world) => {
    await world.put('file', 'content', { modTime: SOME_TIME });
    await world.remote.can.setTier?.(await world.file('file'), 'standard_ia', OP);
    const there = await world.details('file');
    expect(there.tier).toBe('STANDARD_IA');
    if (world.remote.traits.modTimePrecision !== undefined)
      expectTime(world, there.modTime, SOME_TIME);
    expect(await world.text('file')).toBe('content');
  }),

  promise('cleans up without harm', ['cleanUp'], async (world) => {
    await world.put('file', 'content');
    await world.remote.can.cleanUp?.(24 * 3_600_000, OP);
    expect(await world.text('file')).toBe('content');
  }),
];
