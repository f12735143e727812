import fs from 'node:fs';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Statx, StatxFields } from '../../../../src/backends/local/directory-reader.ts';
import { diskUsage } from '../../../../src/backends/local/local-entry.ts';
import { loadLibc } from '../../../../src/system/libc.ts';

const NUMBERS = [
  ...(['size', 'blocks', 'dev', 'ino', 'nlink'] as const),
  ...(['atimeNs', 'birthtimeNs', 'ctimeNs', 'mtimeNs'] as const),
];

test.runIf(process.platform === 'linux')('attributes are those of lstat and stat', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'syncer-statx-'));
  const at = (name: string) => join(folder.path, name);
  fs.writeFileSync(at('file'), 'x'.repeat(70_000));
  fs.linkSync(at('file'), at('second name'));
  fs.symlinkSync('file', at('link'));
  fs.symlinkSync('nowhere', at('dangling'));
  fs.mkdirSync(at('ümläut 🙂'));
  fs.utimesSync(at('ümläut 🙂'), -1.5, -86_400.25);
  const statx = new Statx(await loadLibc());
  const names = ['file', 'second name', 'link', 'dangling', 'ümläut 🙂', '.'];
  for (const path of [...names.map(at), '/dev/null', '/']) {
    for (const follow of [false, true]) {
      const look = follow ? fs.statSync : fs.lstatSync;
      const stats = look(path, { bigint: true, throwIfNoEntry: false });
      expect(statx.read(path, follow)).toBe(stats !== undefined);
      if (stats === undefined) continue;
      for (const name of NUMBERS)
        expect([path, name, statx[name]]).toEqual([path, name, stats[name]]);
      expect(statx.isDirectory()).toBe(stats.isDirectory());
      expect(statx.isFile()).toBe(stats.isFile());
      expect(statx.isSymbolicLink()).toBe(stats.isSymbolicLink());
    }
  }
  expect(statx.read(at('missing'), false)).toBe(false);
  // Bytes that are not UTF-8.
  expect(statx.read(at('\udcff'), false)).toBe(false);
});

test('large inodes are negative, as those of Node', () => {
  const bytes = new ArrayBuffer(256);
  const large = 2n ** 64n - 5n;
  new DataView(bytes).setBigUint64(32, large, true);
  const stats = new StatxFields(bytes);
  expect(stats.ino).toBe(new BigInt64Array([large])[0]);
  expect(diskUsage(stats, false).inode).toBe(large);
});
