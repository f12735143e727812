import { expect, test } from 'vitest';
import type { WriteRanges } from '../../../src/core/entry-details.ts';
import { SyncerError } from '../../../src/core/errors.ts';
import type { Remote } from '../../../src/core/remote.ts';
import { contentsOf, remoteBut, remoteWith, runOnce } from '../../support/memory-world.ts';

/** The remote with a wrong hash for all its files. */
async function remoteWithWrongHashes(): Promise<Remote> {
  const remote = await remoteWith({ a: 'content' });
  return remoteBut(remote, {
    async listPage(dir, cursor, op) {
      const page = await remote.listPage(dir, cursor, op);
      const hashes = { md5: '0'.repeat(32) };
      const entries = page.entries.map((entry) => ({ ...entry, hashes }));
      return { ...page, entries };
    },
  });
}

test('a wrong hash fails the copy', async () => {
  const dest = await remoteWith({});
  const { error } = await runOnce('copy', await remoteWithWrongHashes(), dest);
  expect(error?.code).toBe('corrupted');
  expect(await contentsOf(dest)).toEqual({});
});

test('--ignore-checksum takes what came', async () => {
  const dest = await remoteWith({});
  const options = { ignoreChecksum: true };
  const { error } = await runOnce('copy', await remoteWithWrongHashes(), dest, options);
  expect(error).toBeUndefined();
  expect(Object.keys(await contentsOf(dest))).toEqual(['a']);
});

test('a file that is copied at a later try says so once, by its path', async () => {
  const plain = await remoteWith({});
  let failures = 2;
  const dest = remoteBut(plain, {
    write(source, op) {
      if (failures-- > 0) throw new SyncerError('server', 'not now');
      return plain.write(source, op);
    },
  });
  const source = await remoteWith({ 'd/a': 'content', 'd/b': 'other' });
  const options = { transfers: 1, lowLevelRetries: 5 };
  const { error, log } = await runOnce('copy', source, dest, options);
  expect(error).toBeUndefined();
  expect(log.filter((line) => /Trying again|Succeeded/.test(line))).toEqual([
    expect.stringMatching(/^debug: d\/a: Trying again in \d+ ms \(1\/5\): not now$/),
    expect.stringMatching(/^debug: d\/a: Trying again in \d+ ms \(2\/5\): not now$/),
    'info: d/a: Succeeded on attempt 3 of 5',
  ]);
});

test('the destination is told how large files are to be fetched', async () => {
  const plain = await remoteWith({});
  const told: (WriteRanges | undefined)[] = [];
  const dest = remoteBut(plain, {
    write(source, op) {
      told.push(source.ranges);
      return plain.write(source, op);
    },
  });
  const ranges = { from: 5, count: 2 };
  await runOnce('copy', await remoteWith({ a: 'content' }), dest, { ranges });
  expect(told).toEqual([ranges]);
});

test('a small backlog holds the walk back and copies everything all the same', async () => {
  const files = Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`f${i}`, `${i}`]));
  const source = await remoteWith(files);
  const dest = await remoteWith({});
  const { transferred } = await runOnce('copy', source, dest, { maxBacklog: 1, transfers: 1 });
  expect(transferred).toBe(50);
  expect(await contentsOf(dest)).toEqual(await contentsOf(source));
});

test('files at the top of the source are one error where the destination has buckets there', async () => {
  const source = await remoteWith({ a: '1', b: '2', 'bucket/c': '3' });
  const plain = await remoteWith({});
  const dest = remoteBut(plain, { traits: { ...plain.traits, bucketBased: true } });
  for (const verb of ['copy', 'sync', 'move'] as const) {
    const { error, errors } = await runOnce(verb, source, dest);
    expect([verb, errors, error?.code]).toEqual([verb, 1, 'name-invalid']);
    expect(error?.message).toMatch(
      /^2 files at the top of the source not transferred: memory\d+: /,
    );
    expect(error?.advice).toMatch(/^name a bucket, such as memory\d+:bucket$/);
    expect(Object.keys(await contentsOf(dest))).toEqual(['bucket/c']);
  }
  expect(Object.keys(await contentsOf(source))).toEqual(['a', 'b', 'bucket/']);
});
