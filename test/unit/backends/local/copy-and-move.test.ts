import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { foldsNames } from '../../../support/folding-disk.ts';
import { canMount } from '../../../support/mount-disk.ts';
import { fileAt, names, newFolder, OP, openLocal, partials } from './local-world.ts';

describe('copies by the kernel', () => {
  it('go between remotes, small and large, with their times', async () => {
    const from = openLocal();
    const to = openLocal();
    for (const size of [0, 10, 5_000_000]) {
      const content = Buffer.alloc(size, 'content');
      fs.writeFileSync(join(from.dir, `f${size}`), content);
      fs.utimesSync(join(from.dir, `f${size}`), 1_500_000_000, 1_500_000_000);
      const file = await fileAt(from.remote, `f${size}`);
      const copied = await to.remote.can.copyFrom?.(from.remote, file, `a/b/f${size}`, OP);
      expect(copied).toMatchObject({ size, modTime: 1_500_000_000_000_000_000n });
      expect(fs.readFileSync(join(to.dir, `a/b/f${size}`)).equals(content)).toBe(true);
    }
    expect(await names(to.remote, 'a/b')).toEqual(['f0', 'f10', 'f5000000']);
  });

  it('know a remote that is wrapped', async () => {
    const { remote, dir } = openLocal();
    fs.writeFileSync(join(dir, 'file'), 'x');
    const wrapped = { ...remote };
    const file = await fileAt(remote, 'file');
    expect(await remote.can.copyFrom?.(wrapped, file, 'copy', OP)).toMatchObject({ path: 'copy' });
  });

  it('can be cancelled, and leave nothing', async () => {
    const { remote, dir } = openLocal();
    fs.writeFileSync(join(dir, 'large'), Buffer.alloc(64 * 1024 * 1024));
    const file = await fileAt(remote, 'large');
    const controller = new AbortController();
    const copying = remote.can.copyFrom?.(remote, file, 'copy', { signal: controller.signal });
    const reason = new Error('stop');
    setImmediate(() => controller.abort(reason));
    await expect(copying).rejects.toBe(reason);
    expect(await names(remote)).toEqual(['large']);
    await expect.poll(() => partials(dir)).toEqual([]);
  });

  it('do not go over a directory', async () => {
    const { remote, dir } = openLocal();
    fs.writeFileSync(join(dir, 'file'), 'x');
    fs.mkdirSync(join(dir, 'dir'));
    const file = await fileAt(remote, 'file');
    const codes = {
      code: 'not-a-file',
      message: `open ${dir}/dir: the destination is a directory`,
    };
    await expect(remote.can.copyFrom?.(remote, file, 'dir', OP)).rejects.toMatchObject(codes);
    await expect(remote.can.moveFrom?.(remote, file, 'dir', OP)).rejects.toMatchObject(codes);
    expect(await names(remote)).toEqual(['dir/', 'file']);
  });
});

describe('moves', () => {
  it('are left to a copy where a link would be moved instead of what it leads to', async () => {
    const { remote, dir } = openLocal({ copy_links: 'true' });
    fs.writeFileSync(join(dir, 'file'), 'x');
    fs.symlinkSync('file', join(dir, 'link'));
    const link = await fileAt(remote, 'link');
    expect(await remote.can.moveFrom?.(remote, link, 'moved', OP)).toBeUndefined();
    fs.mkdirSync(join(dir, 'real'));
    fs.symlinkSync('real', join(dir, 'link-dir'));
    expect(await remote.can.moveDirFrom?.(remote, 'link-dir', 'moved', OP)).toBe(false);
  });

  it('of a directory into itself are refused', async () => {
    const { remote, dir } = openLocal();
    fs.mkdirSync(join(dir, 'a'));
    expect(await remote.can.moveDirFrom?.(remote, 'a', 'a/b', OP)).toBe(false);
    expect(await names(remote)).toEqual(['a/']);
  });

  it('onto a hard link of the same file delete the old name', async () => {
    const { remote, dir } = openLocal();
    fs.mkdirSync(join(dir, 'd'));
    fs.writeFileSync(join(dir, 'f'), 'x');
    for (const name of ['g', 'd/f', 'F']) fs.linkSync(join(dir, 'f'), join(dir, name));
    for (const [from, to] of [
      ['F', 'f'],
      ['f', 'g'],
      ['g', 'd/f'],
    ] as const) {
      const file = await fileAt(remote, from);
      expect(await remote.can.moveFrom?.(remote, file, to, OP)).toMatchObject({
        path: to,
        size: 1,
      });
      expect([from, fs.existsSync(join(dir, from))]).toEqual([from, false]);
    }
    expect(fs.readFileSync(join(dir, 'd/f'), 'utf8')).toBe('x');
    expect(fs.statSync(join(dir, 'd/f')).nlink).toBe(1);
  });

  it('of a hard link onto another path to the same name leave it', async () => {
    const { remote, dir } = openLocal({ copy_links: 'true' });
    fs.mkdirSync(join(dir, 'd'));
    fs.symlinkSync('d', join(dir, 'same'));
    fs.writeFileSync(join(dir, 'd/f'), 'x');
    fs.linkSync(join(dir, 'd/f'), join(dir, 'other'));
    const file = await fileAt(remote, 'd/f');
    await remote.can.moveFrom?.(remote, file, 'same/f', OP);
    expect(fs.readFileSync(join(dir, 'd/f'), 'utf8')).toBe('x');
  });

  it('of a hard link to another case of its name keep it on a disk that ignores case', async () => {
    const { remote, dir } = openLocal();
    onTestFinished(foldsNames(dir, 'one'));
    fs.writeFileSync(join(dir, 'f'), 'x');
    fs.linkSync(join(dir, 'f'), join(dir, 'other'));
    const file = await fileAt(remote, 'f');
    await remote.can.moveFrom?.(remote, file, 'F', OP);
    expect(await names(remote)).toEqual(['F', 'other']);
  });

  it.skipIf(!canMount)('onto the same file by another mount are refused', async () => {
    const { remote, dir } = openLocal();
    for (const name of ['d', 'same']) fs.mkdirSync(join(dir, name));
    fs.writeFileSync(join(dir, 'd/f'), 'x');
    fs.linkSync(join(dir, 'd/f'), join(dir, 'f'));
    execFileSync('mount', ['--bind', join(dir, 'd'), join(dir, 'same')]);
    try {
      const file = await fileAt(remote, 'd/f');
      await expect(remote.can.moveFrom?.(remote, file, 'same/f', OP)).rejects.toMatchObject({
        code: 'already-exists',
        message: `rename ${dir}/d/f to ${dir}/same/f: they are the same file`,
      });
      // It is another name of that file: a copy replaces it, and then the old name may go.
      const other = await fileAt(remote, 'f');
      expect(await remote.can.moveFrom?.(remote, other, 'same/f', OP)).toBeUndefined();
      expect(fs.readFileSync(join(dir, 'd/f'), 'utf8')).toBe('x');
    } finally {
      execFileSync('umount', [join(dir, 'same')]);
    }
  });

  it.skipIf(process.getuid?.() !== 0)('are left to a copy across file systems', async () => {
    const { remote, dir } = openLocal();
    const mounted = newFolder();
    execFileSync('mount', ['-t', 'tmpfs', 'none', mounted]);
    try {
      const there = openLocal({}, mounted).remote;
      fs.mkdirSync(join(dir, 'a'));
      fs.writeFileSync(join(dir, 'a/file'), 'x');
      const file = await fileAt(remote, 'a/file');
      expect(await there.can.moveFrom?.(remote, file, 'file', OP)).toBeUndefined();
      expect(await there.can.moveDirFrom?.(remote, 'a', 'a', OP)).toBe(false);
      expect(await there.can.copyFrom?.(remote, file, 'file', OP)).toMatchObject({ size: 1 });
      expect(await names(remote, 'a')).toEqual(['file']);
    } finally {
      execFileSync('umount', [mounted]);
    }
  });
});
