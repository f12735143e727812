import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
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
