import { mkdtemp, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { makeFolder, makeFolderSync } from '../../../src/system/make-folder.ts';

let dir = '';
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'make-folder-'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

const makers = {
  makeFolder,
  makeFolderSync: async (path: string, mode?: number) => makeFolderSync(path, mode),
};

describe.each(Object.entries(makers))('%s', (_, make) => {
  test('makes a folder with its parents, and finds one that is there', async () => {
    const path = join(dir, 'a/b/c');
    await make(path, 0o700);
    await make(path);
    for (const made of ['a', 'a/b', 'a/b/c']) {
      expect((await stat(join(dir, made))).mode & 0o777).toBe(0o700);
    }
  });

  test('a link to a folder is one; a file and a link that leads nowhere are none', async () => {
    await symlink(dir, join(dir, 'link'));
    await make(join(dir, 'link'));
    await writeFile(join(dir, 'file'), '');
    await expect(make(join(dir, 'file'))).rejects.toMatchObject({ code: 'EEXIST' });
    await expect(make(join(dir, 'file/below'))).rejects.toMatchObject({ code: 'ENOTDIR' });
    await symlink('nowhere', join(dir, 'lost'));
    await expect(make(join(dir, 'lost'))).rejects.toMatchObject({ code: 'ENOENT' });
  });

  test('comes to an end where no folder can be made', async () => {
    await expect(make('/proc/none/below')).rejects.toMatchObject({ code: 'ENOENT' });
  });
});
