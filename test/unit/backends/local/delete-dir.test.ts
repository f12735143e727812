import fs from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { LocalDisk } from '../../../../src/backends/local/local-disk.ts';
import { partialPath } from '../../../../src/names/partial-name.ts';
import { ownMark } from '../../../../src/system/owner-state.ts';
import { newFolder, OP, openLocal } from './local-world.ts';

/** A remote of one file system, in which the directory `d/m` counts as another one. */
function openBesideOther() {
  const dir = newFolder();
  for (const name of ['d/m/sub', 'd/own', 'e']) fs.mkdirSync(join(dir, name), { recursive: true });
  const ended = ownMark().replace(/[0-9a-z]+$/, '0');
  for (const name of ['d/m/photo', 'd/m/sub/photo', 'd/f', partialPath('d/m/leftover', ended, '1')])
    fs.writeFileSync(join(dir, name), 'x');
  const other = fs.statSync(join(dir, 'd/m'), { bigint: true });
  const { isForeign } = LocalDisk.prototype;
  vi.spyOn(LocalDisk.prototype, 'isForeign').mockImplementation(function (
    this: LocalDisk,
    stats: Parameters<typeof isForeign>[0] & { readonly ino?: bigint },
  ) {
    return stats.ino === other.ino || isForeign.call(this, stats);
  });
  const { remote } = openLocal({ one_file_system: 'true' }, dir);
  const left = () => fs.readdirSync(join(dir, 'd/m'), { recursive: true }).sort();
  return { dir, remote, left, all: left() };
}

it('purge and purgeUnlisted leave another file system alone, and say which', async () => {
  const { dir, remote, left, all } = openBesideOther();
  const told = {
    code: 'not-empty',
    message: `purge ${dir}/d/m: another file system, left alone because of --one-file-system`,
  };
  for (const path of ['', 'd', 'd/m']) {
    await expect(remote.can.purgeUnlisted?.(path, OP)).rejects.toMatchObject({ code: 'not-empty' });
    await expect(remote.can.purge?.(path, OP)).rejects.toMatchObject(told);
    expect(left()).toEqual(all);
  }
  expect(fs.readdirSync(dir)).toEqual(['d']);
  expect(fs.readdirSync(join(dir, 'd'))).toEqual(['m']);
});

it('cleanUp leaves leftovers on another file system alone', async () => {
  const { remote, left, all } = openBesideOther();
  await remote.can.cleanUp?.(-1, OP);
  expect(left()).toEqual(all);
});

it('a directory with another file system in it is not renamed', async () => {
  const { remote, left, all } = openBesideOther();
  for (const path of ['d', 'd/m']) {
    const moving = remote.can.moveDirFrom?.(remote, path, 'new', OP);
    await expect(moving).rejects.toMatchObject({ code: 'not-empty' });
  }
  expect(await remote.can.moveDirFrom?.(remote, 'e', 'new', OP)).toBe(true);
  expect(left()).toEqual(all);
});

it('another file system is found by no path, and named where listings omit it', async () => {
  const { remote } = openBesideOther();
  expect(await remote.stat('d/m', OP)).toBeUndefined();
  expect(await remote.can.foreignIn?.('d', OP)).toEqual(['d/m']);
  expect(await remote.can.foreignIn?.('', OP)).toEqual([]);
  expect(openLocal().remote.can.foreignIn).toBeUndefined();
});
