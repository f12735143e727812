import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { HashCache, hashObserver } from '../../../../src/caches/hashes/hash-cache.ts';
import type { HashName } from '../../../../src/core/hash-names.ts';
import { observed } from '../../../../src/core/observed.ts';
import type { FileEntry, Remote } from '../../../../src/core/remote.ts';
import { Stores } from '../../../../src/state/stores.ts';
import { remoteBut, remoteWith } from '../../../support/memory-world.ts';
import { OP } from '../../../support/open-s3.ts';

const NOW = Date.UTC(2026, 10, 20);
const clock = { now: () => NOW, monotonic: () => 0, sleep: async () => {} };

/** A disk that hashes many files at once, but for those named `left`; `asked` has what it read. */
async function disk() {
  const inner = await remoteWith({ a: '1', b: '2', left: '3', c: '4' }, { slowHash: true });
  const asked: string[] = [];
  const hashValue = ({ path }: FileEntry, name: HashName) =>
    Buffer.from(path.padEnd(name === 'md5' ? 16 : 20)).toString('hex');
  const can: Remote['can'] = {
    stamp: ({ path }) => ({ tag: path, changedAt: 1n }),
    hash: async (file, name) => {
      asked.push(`one ${file.path}`);
      return hashValue(file, name);
    },
    hashes: async (file, names) => {
      asked.push(`${names.join()} ${file.path}`);
      return Object.fromEntries(names.map((name) => [name, hashValue(file, name)]));
    },
    hashMany: async (files, name) => {
      asked.push(...files.map(({ path }) => path));
      return files.map((file) => (file.path === 'left' ? undefined : hashValue(file, name)));
    },
  };
  const traits = { ...inner.traits, hashes: ['md5', 'sha1'] as const };
  return { remote: remoteBut(inner, { storeId: 'disk', traits, can }), asked, hashValue };
}

test('hashes of many files come into the cache, and out of it', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'syncer-hashes-'));
  const { remote, asked, hashValue } = await disk();
  const files = ['a', 'b', 'left', 'c'].map(
    (path): FileEntry => ({ kind: 'file', path, size: 1, modTime: 5n }),
  );
  const [a, b, , c] = files as [FileEntry, FileEntry, FileEntry, FileEntry];
  const run = async (believes: boolean, work: (cached: Remote) => Promise<void>) => {
    const onTrouble = (error: unknown) => expect.unreachable(String(error));
    const stores = new Stores({ state: undefined, cache: folder.path }, () => {});
    const cache = new HashCache({ stores, clock, onTrouble });
    await cache.opened();
    const use = { cache, runId: 'r', believes };
    await work(observed(remote, [hashObserver(remote, use)], clock));
    await cache.close();
    await stores.close();
    return asked.splice(0);
  };
  const md5s = [hashValue(a, 'md5'), hashValue(b, 'md5'), undefined, hashValue(c, 'md5')];
  const first = await run(false, async (cached) => {
    expect(await cached.can.hashMany?.([a, b], 'md5', OP)).toEqual(md5s.slice(0, 2));
    await cached.can.hashMany?.([a], 'md5', OP);
    expect(await cached.can.hash?.(c, 'sha1', OP)).toBe(hashValue(c, 'sha1'));
  });
  expect(first).toEqual(['a', 'b', 'a', 'one c']);
  // Of `c` another hash is recorded, which is computed with this one: that is left to `hash`.
  const second = await run(true, async (cached) => {
    const found = await cached.can.hashMany?.(files, 'md5', OP);
    expect(found).toEqual([...md5s.slice(0, 2), undefined, undefined]);
    expect(await cached.can.hash?.(c, 'md5', OP)).toBe(md5s[3]);
  });
  expect(second).toEqual(['left', 'md5,sha1 c']);
  const third = await run(true, async (cached) => {
    expect(await cached.can.hashMany?.(files, 'md5', OP)).toEqual(md5s);
  });
  expect(third).toEqual(['left']);
});
