import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Clock, systemClock } from '../../../../src/core/context.ts';
import type { HashName } from '../../../../src/core/hash-names.ts';
import type { FileEntry } from '../../../../src/core/remote.ts';
import { fileAt, OP, openLocal } from './local-world.ts';

/** Neither a busy machine nor a slow disk changes what is hashed. */
const STILL: Clock = { ...systemClock, monotonic: () => 0 };

/** Around the ends of blocks and of a lane's room, and many alike. */
const SIZES = [
  ...Array.from({ length: 140 }, (_, size) => size),
  ...Array.from({ length: 40 }, () => 1000),
  ...[4095, 4096, 65_014, 65_015, 65_016, 65_023, 65_024, 65_536, 65_537, 100_000],
];

/** Files of some sizes, and their listed entries. */
async function someFiles(
  sizes: readonly number[],
  options: Record<string, string> = {},
  clock = STILL,
) {
  const { remote, dir } = openLocal(options, undefined, {}, clock);
  const files: FileEntry[] = [];
  const md5s: string[] = [];
  for (const [index, size] of sizes.entries()) {
    const content = Buffer.alloc(size, `${index} `);
    fs.writeFileSync(join(dir, `${index}`), content);
    files.push(await fileAt(remote, `${index}`));
    md5s.push(createHash('md5').update(content).digest('hex'));
  }
  const many = async (name: HashName = 'md5') => {
    const found = await remote.can.hashMany?.(files, name, OP);
    return files.map((_, at) => found?.[at]);
  };
  return { remote, dir, files, md5s, many };
}

describe('hashes of many files at once', () => {
  it('are those of each, in whatever order; what is empty or long is left out', async () => {
    const { files, md5s, many } = await someFiles([...SIZES].sort((a, b) => (a % 7) - (b % 7)));
    const found = await many();
    const isIn = ({ size }: FileEntry) => size > 0 && size <= 65_015;
    expect(found).toEqual(md5s.map((md5, at) => (isIn(files[at] as FileEntry) ? md5 : undefined)));
  });

  it('leave out what is no longer as it was listed, and what cannot be read', async () => {
    const { remote, dir, files, md5s, many } = await someFiles(Array(40).fill(500));
    const at = (index: number) => join(dir, `${index}`);
    fs.appendFileSync(at(1), 'longer');
    fs.truncateSync(at(2), 400);
    fs.writeFileSync(at(3), Buffer.alloc(500, 'other'));
    fs.rmSync(at(4));
    fs.rmSync(at(5));
    fs.mkdirSync(at(5));
    fs.rmSync(at(6));
    execFileSync('mkfifo', [at(6)]);
    fs.rmSync(at(7));
    fs.symlinkSync('nothing', at(7));
    const found = await many();
    expect(found.slice(1, 8)).toEqual(Array(7).fill(undefined));
    expect([found[0], ...found.slice(8)]).toEqual([md5s[0], ...md5s.slice(8)]);
    // They were read as they are now.
    expect(remote.can.stamp?.(files[9] as FileEntry, 'read')).toEqual(
      remote.can.stamp?.(files[9] as FileEntry),
    );
  });

  it('leave names that are not UTF-8 to others', async () => {
    const { remote, dir, files } = await someFiles(Array(20).fill(10));
    fs.writeFileSync(Buffer.concat([Buffer.from(`${dir}/odd`), Buffer.from([0xff])]), 'x');
    const odd = await fileAt(remote, 'odd\udcff');
    const found = await remote.can.hashMany?.([...files, odd], 'md5', OP);
    expect(found?.map((hash) => hash !== undefined)).toEqual([...files.map(() => true), false]);
    expect(await remote.can.hash?.(odd, 'md5', OP)).toBe(
      createHash('md5').update('x').digest('hex'),
    );
  });

  it.each<[string, number, HashName, Record<string, string>]>([
    ['of few files', 15, 'md5', {}],
    ['of another kind', 40, 'sha1', {}],
    ['of files that may change', 40, 'md5', { no_check_updated: 'true' }],
    ['that the remote does not have', 40, 'md5', { hashes: 'sha1' }],
  ])('are not computed %s', async (_, count, name, options) => {
    const { many } = await someFiles(Array(count).fill(10), options);
    expect(new Set(await many(name))).toEqual(new Set([undefined]));
  });

  it('are left to threads once the disk is found to be slow', async () => {
    let [now, step] = [0, 0];
    const slow: Clock = { ...systemClock, monotonic: () => (now += step) };
    const { many } = await someFiles(Array(200).fill(10), {}, slow);
    step = 100;
    const first = (await many()).filter((hash) => hash !== undefined).length;
    expect(first).toBeGreaterThan(0);
    expect(first).toBeLessThan(100);
    expect(new Set(await many())).toEqual(new Set([undefined]));
  });

  it('end where the run is aborted', async () => {
    const { remote, files } = await someFiles(Array(20).fill(10));
    const aborted = { signal: AbortSignal.abort(new Error('enough')) };
    await expect(remote.can.hashMany?.(files, 'md5', aborted)).rejects.toThrow('enough');
  });
});
