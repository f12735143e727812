import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SmallFileHashes } from '../../../../src/backends/local/hash-small-files.ts';
import { type Clock, systemClock } from '../../../../src/core/context.ts';
import type { HashName } from '../../../../src/core/hash-names.ts';
import type { FileEntry } from '../../../../src/core/remote.ts';
import { fileAt, OP, openLocal } from './local-world.ts';

/** A folder of files of 0 to `count` bytes, and its remote. */
async function someFiles(count: number, clock = systemClock) {
  const { remote, dir } = openLocal({}, undefined, {}, clock);
  const contents = Array.from({ length: count }, (_, size) => Buffer.alloc(size, size));
  for (const [size, content] of contents.entries()) fs.writeFileSync(join(dir, `${size}`), content);
  const files = await Promise.all(contents.map((_, size) => fileAt(remote, `${size}`)));
  const hashes = new SmallFileHashes({ monotonic: () => 0 });
  const hashAll = (nameOf: (index: number) => HashName) =>
    Promise.all(
      contents.map((_, size) => hashes.inThread(join(dir, `${size}`), size, nameOf(size))),
    );
  return { remote, dir, files, contents, hashAll };
}

/** By which everything takes a fifth of a millisecond. */
function slowClock(): Clock {
  let now = 0;
  return { ...systemClock, monotonic: () => (now += 0.2) };
}

describe('when threads hash small files', () => {
  /** Files that take these times, in milliseconds, one after another; `share` of it is processor time. */
  function needThreads(share: number, ...times: readonly number[]): boolean {
    let now = 0;
    const hashes = new SmallFileHashes({ monotonic: () => now }, () => now * share);
    for (const ms of times) {
      hashes.here(10, (room) => {
        expect(room.length).toBeGreaterThanOrEqual(10);
        now += ms;
      });
    }
    return hashes.needThreads;
  }
  const many = (ms: number) => Array.from({ length: 300 }, () => ms);

  it.each([
    ['they come from memory', false, many(0.02), 1],
    ['they come from a disk', true, many(0.12), 0.2],
    ['a disk becomes slow', true, [...many(0.02), ...many(0.12)], 0.2],
    ['the processor is slow', false, many(0.12), 0.9],
    ['one took long', false, [...many(0.02), 5000, ...many(0.02).slice(0, 3)], 0.2],
  ] as const)('if %s: %s', (_, expected, times, share) => {
    expect(needThreads(share, ...times)).toBe(expected);
  });

  it('returns and throws what the call does', () => {
    const hashes = new SmallFileHashes({ monotonic: () => 0 });
    expect(hashes.here(1, () => 'digest')).toBe('digest');
    const fail = () => {
      throw new Error('gone');
    };
    expect(() => hashes.here(1, fail)).toThrow('gone');
  });
});

describe('a thread that hashes small files', () => {
  it.each([
    ['one algorithm', () => 'sha256'],
    ['several at once', (index: number) => (index % 3 === 0 ? 'sha1' : 'md5')],
  ] as [string, (index: number) => HashName][])(
    'has the hash of each, with %s',
    async (_, nameOf) => {
      const { contents, hashAll } = await someFiles(200);
      expect((await hashAll(nameOf)).map((found) => found?.digest)).toEqual(
        contents.map((each, index) => createHash(nameOf(index)).update(each).digest('hex')),
      );
    },
  );

  it('has the attributes of the file after the reading', async () => {
    const { dir, hashAll } = await someFiles(2);
    const { size, ino, mtimeNs, ctimeNs } = fs.statSync(join(dir, '1'), { bigint: true });
    const [, found] = await hashAll(() => 'md5');
    expect(found?.stats).toMatchObject({ size, ino, mtimeNs, ctimeNs });
  });

  it('leaves what is shorter, gone or no file to others', async () => {
    const { dir, hashAll } = await someFiles(5);
    fs.truncateSync(join(dir, '2'), 1);
    fs.rmSync(join(dir, '3'));
    fs.rmSync(join(dir, '4'));
    execFileSync('mkfifo', [join(dir, '4')]);
    const found = await hashAll(() => 'md5');
    expect(found.map((each) => each !== undefined)).toEqual([true, true, false, false, false]);
  });

  it('serves a remote whose disk is slow, with its errors and stamps', async () => {
    const { remote, dir, files } = await someFiles(4, slowClock());
    const [empty, changed, gone, same] = files as [FileEntry, FileEntry, FileEntry, FileEntry];
    const hash = (file: FileEntry) => remote.can.hash?.(file, 'md5', OP);
    for (let done = 0; done < 100; done++) await hash(empty);
    fs.appendFileSync(join(dir, '1'), 'more');
    fs.rmSync(join(dir, '2'));
    await expect(hash(changed)).rejects.toMatchObject({ code: 'source-changed' });
    await expect(hash(gone)).rejects.toMatchObject({ code: 'file-not-found' });
    const before = remote.can.stamp?.(same);
    expect(await hash(same)).toBe(createHash('md5').update(Buffer.alloc(3, 3)).digest('hex'));
    fs.rmSync(join(dir, '3'));
    expect(remote.can.stamp?.(same, 'read')).toEqual(before);
  });
});
