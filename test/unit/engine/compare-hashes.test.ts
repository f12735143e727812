import { expect, test } from 'vitest';
import type { HashName } from '../../../src/core/hash-names.ts';
import type { FileEntry, Remote } from '../../../src/core/remote.ts';
import { compareHashes, compareManyHashes } from '../../../src/engine/compare-pair.ts';
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

/** A remote that computes hashes of many files, but for those named `left`; `asked` has what it was asked for. */
function computing(value: (path: string) => string) {
  const asked: string[] = [];
  const hashMany: Remote['can']['hashMany'] = async (files) => {
    asked.push(...files.map(({ path }) => path));
    return files.map(({ path }) => (path.startsWith('left') ? undefined : value(path)));
  };
  const remote = { traits: { hashes: ['md5'], slowHash: true }, can: { hashMany } };
  return { remote: remote as unknown as Remote, asked };
}

const named = (path: string, md5?: string): FileEntry => ({
  ...{ kind: 'file', path, size: 1 },
  ...(md5 === undefined ? {} : { hashes: { md5 } }),
});

test.each(['source', 'dest'] as const)(
  'many at once: a %s that has to read is not asked where the other side has no hash',
  async (reading) => {
    const { remote, asked } = computing((path) => `md5 of ${path}`);
    const listed = [named('a', 'md5 of a'), named('b', 'other'), named('none'), named('left', 'x')];
    const pairs = listed.map((entry) => {
      const own = named(entry.path);
      return reading === 'source' ? { source: own, dest: entry } : { source: entry, dest: own };
    });
    const known = remoteWith(['md5']);
    const both =
      reading === 'source' ? { source: remote, dest: known } : { source: known, dest: remote };
    const answers = await compareManyHashes(both, pairs, 'md5', OP);
    expect(answers).toEqual(['same', 'differs', undefined, undefined]);
    expect(asked).toEqual(['a', 'b', 'left']);
  },
);

test('many at once: both sides may have to read', async () => {
  const one = computing((path) => path);
  const other = computing((path) => path.toLowerCase());
  const pairs = ['a', 'left1', 'B', 'c'].map((path) => ({
    source: named(path),
    dest: named(path === 'c' ? 'left2' : path),
  }));
  const answers = await compareManyHashes(
    { source: one.remote, dest: other.remote },
    pairs,
    'md5',
    OP,
  );
  expect(answers).toEqual(['same', undefined, 'differs', undefined]);
  expect(one.asked).toEqual(['a', 'B']);
});
