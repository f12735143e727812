import { expect, test } from 'vitest';
import type { HashName } from '../../../src/core/hash-names.ts';
import type { FileEntry, Remote } from '../../../src/core/remote.ts';
import { compareHashes } from '../../../src/sync/compare-hashes.ts';
import { OP } from '../../support/open-s3.ts';

const remoteWith = (hashes: readonly HashName[]) =>
  ({ traits: { hashes, slowHash: false }, can: {} }) as unknown as Remote;
const fileWith = (hashes: FileEntry['hashes']): FileEntry => ({
  kind: 'file',
  path: 'f',
  size: 1,
  ...(hashes === undefined ? {} : { hashes }),
});

const sides = {
  source: remoteWith(['md5', 'sha1', 'quickxor']),
  dest: remoteWith(['quickxor', 'sha1']),
};

test.each([
  [{ sha1: 'a', quickxor: 'b' }, { sha1: 'a', quickxor: 'x' }, 'same'],
  [{ sha1: 'a', quickxor: 'b' }, { quickxor: 'b' }, 'same'],
  [{ sha1: 'a', quickxor: 'b' }, { quickxor: 'c' }, 'differs'],
  [{ md5: 'a' }, { quickxor: 'b' }, 'unknown'],
  [undefined, undefined, 'unknown'],
])('another common hash decides where one is missing: %j, %j', async (source, dest, answer) => {
  const pair = { source: fileWith(source), dest: fileWith(dest) };
  expect(await compareHashes(sides, pair, 'sha1', OP)).toBe(answer);
});
