import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { scanTree } from '../../../../commands/ncdu/scan-tree.ts';
import { compareEntries } from '../../../../src/core/name-order.ts';
import { passAllFilter } from '../../../../src/filter/filter.ts';
import { ROOT } from '../../../../src/size-tree/node.ts';
import { SizeTree } from '../../../../src/size-tree/size-tree.ts';
import { names, newFolder, OP, openLocal } from './local-world.ts';

function makeFiles(dir: string, count: number): void {
  for (let i = 0; i < count; i++) fs.writeFileSync(join(dir, `f${i}`), '');
}

describe('pages', () => {
  it('come a thousand at a time, in order', async () => {
    const { remote, dir } = openLocal();
    makeFiles(dir, 2500);
    for (const name of ['f1', 'f10']) fs.mkdirSync(join(dir, `${name}-dir`));
    const sizes: number[] = [];
    const paths = [];
    let cursor: string | undefined;
    do {
      const page = await remote.listPage('', cursor, OP);
      sizes.push(page.entries.length);
      paths.push(...page.entries);
      cursor = page.cursor;
    } while (cursor !== undefined);
    expect(sizes).toEqual([1000, 1000, 502]);
    expect(paths).toEqual([...paths].sort(compareEntries));
  });

  it('go on where they were in a remote opened anew', async () => {
    const { remote, dir } = openLocal();
    makeFiles(dir, 1500);
    const first = await remote.listPage('', undefined, OP);
    const rest = await openLocal({}, dir).remote.listPage('', first.cursor, OP);
    expect(rest.entries).toHaveLength(500);
    expect(new Set([...first.entries, ...rest.entries].map(({ path }) => path)).size).toBe(1500);
  });

  it('leave out what vanished since the names were read', async () => {
    const { remote, dir } = openLocal();
    makeFiles(dir, 1500);
    const first = await remote.listPage('', undefined, OP);
    fs.unlinkSync(join(dir, 'f999'));
    const rest = await remote.listPage('', first.cursor, OP);
    expect(first.entries.length + rest.entries.length).toBe(1499);
  });

  it('have what a name turned into meanwhile, in order', async () => {
    const { remote, dir } = openLocal();
    makeFiles(dir, 1500);
    fs.writeFileSync(join(dir, 'f991-x'), '');
    const first = await remote.listPage('', undefined, OP);
    fs.unlinkSync(join(dir, 'f991'));
    fs.mkdirSync(join(dir, 'f991'));
    fs.unlinkSync(join(dir, 'f992'));
    fs.symlinkSync('f993', join(dir, 'f992'));
    const rest = await remote.listPage('', first.cursor, OP);
    expect(rest.failed).toBeUndefined();
    expect(rest.entries).toHaveLength(500);
    expect(rest.entries).toContainEqual(expect.objectContaining({ kind: 'dir', path: 'f991' }));
    expect(rest.entries).toEqual([...rest.entries].sort(compareEntries));
  });

  it('have an error for a name that turned into one of another page', async () => {
    const { remote, dir } = openLocal();
    makeFiles(dir, 1500);
    fs.mkdirSync(join(dir, 'name'));
    for (let i = 0; i < 1000; i++) fs.writeFileSync(join(dir, `name-${i}`), '');
    const paths = [];
    const failed = [];
    let cursor: string | undefined;
    do {
      const page = await remote.listPage('', cursor, OP);
      paths.push(...page.entries);
      failed.push(...(page.failed ?? []));
      if (cursor !== undefined && page.cursor !== undefined) {
        fs.rmdirSync(join(dir, 'name'));
        fs.writeFileSync(join(dir, 'name'), '');
      }
      cursor = page.cursor;
    } while (cursor !== undefined);
    expect(failed).toMatchObject([{ path: 'name', error: { code: 'source-changed' } }]);
    expect(paths).toHaveLength(2500);
    expect(paths).toEqual([...paths].sort(compareEntries));
  });
});

describe('names', () => {
  it('of any bytes are told apart and found again', async () => {
    const { remote, dir } = openLocal();
    const raw = [Buffer.of(0xff), Buffer.of(0xfe), Buffer.from('\ufffd'), Buffer.from('a\nb')];
    for (const name of raw) fs.writeFileSync(Buffer.concat([Buffer.from(`${dir}/`), name]), '');
    const listed = await names(remote);
    expect(listed.sort()).toEqual(['a␊b', '\udcfe', '\udcff', '\ufffd']);
    for (const name of listed) expect(await remote.stat(name, OP)).toMatchObject({ path: name });
  });

  it('that would lead elsewhere are refused', async () => {
    const { remote } = openLocal({ encoding: 'None' });
    for (const path of ['..', 'a/../../b', 'a//b', '.', '/etc']) {
      expect(await remote.stat(path, OP)).toBeUndefined();
      await expect(remote.makeDir(path, OP)).rejects.toMatchObject({ code: 'name-invalid' });
    }
  });

  it('are composed with unicode_normalization', async () => {
    const { remote, dir } = openLocal({ unicode_normalization: 'true' });
    fs.writeFileSync(join(dir, 'e\u0301'), '');
    expect(await names(remote)).toEqual(['\u00e9']);
  });

  it('too long for a file or for a path give a plain error', async () => {
    const { remote } = openLocal();
    const path = Array(30).fill('d'.repeat(200)).join('/');
    for (const long of ['x'.repeat(256), path]) {
      await expect(remote.makeDir(long, OP)).rejects.toMatchObject({
        code: 'name-invalid',
        message: expect.stringMatching(/^mkdir .*: file name too long$/),
      });
    }
  });
});

describe('a large directory', () => {
  it('is read in another thread, in parts', async () => {
    const { remote, dir } = openLocal();
    makeFiles(dir, 3);
    const size = vi.spyOn(fs, 'statSync').mockReturnValue({ size: 10_000_000 } as fs.Stats);
    const apart = vi.spyOn(fs.promises, 'opendir');
    try {
      expect(await names(remote)).toEqual(['f0', 'f1', 'f2']);
      expect(apart).toHaveBeenCalledOnce();
    } finally {
      size.mockRestore();
      apart.mockRestore();
    }
  });
});

describe('other file systems', () => {
  const canMount = process.getuid?.() === 0;

  it.skipIf(!canMount)('are left out with one_file_system', async () => {
    const dir = newFolder();
    fs.mkdirSync(join(dir, 'here'));
    fs.mkdirSync(join(dir, 'mounted'));
    execFileSync('mount', ['-t', 'tmpfs', 'none', join(dir, 'mounted')]);
    try {
      expect(await names(openLocal({}, dir).remote)).toEqual(['here/', 'mounted/']);
      const { remote } = openLocal({ one_file_system: 'true' }, dir);
      expect(await names(remote)).toEqual(['here/']);
      // The disk usage shows that something was left out.
      const tree = new SizeTree();
      await scanTree(
        { remote, filter: passAllFilter, atOnce: 1, tree },
        { into: ROOT, path: '' },
        OP,
      );
      const found = [...tree.children(ROOT)].map((node) => [
        tree.name(node),
        tree.beginsDisk(node),
      ]);
      expect(found.toSorted()).toEqual([
        ['here', false],
        ['mounted', true],
      ]);
      expect(tree.isWhole(ROOT)).toBe(true);
    } finally {
      execFileSync('umount', [join(dir, 'mounted')]);
    }
  });
});

describe('an entry that cannot be examined', () => {
  /** Lets looks at `broken` fail as on a damaged disk. */
  function breakLooks(code: string): void {
    const { lstatSync } = fs;
    const looks = vi.spyOn(fs, 'lstatSync').mockImplementation(((
      path: fs.PathLike,
      how: object,
    ) => {
      if (!String(path).endsWith('broken')) return lstatSync(path, how);
      throw Object.assign(new Error(`${code}: lstat`), { code, errno: -5, syscall: 'lstat' });
    }) as typeof fs.lstatSync);
    onTestFinished(() => looks.mockRestore());
  }

  it.each(['EIO', 'ESTALE', 'EUCLEAN'])('by %s is an error of its own', async (code) => {
    const { remote, dir } = openLocal();
    for (const name of ['a', 'broken', 'c']) fs.writeFileSync(join(dir, name), '');
    breakLooks(code);
    const { entries, failed = [] } = await remote.listPage('', undefined, OP);
    expect(entries.map(({ path }) => path)).toEqual(['a', 'c']);
    expect(failed.map(({ path }) => path)).toEqual(['broken']);
    expect(failed[0]?.error.message).toContain('lstat');
  });

  it.each(['EACCES', 'EMFILE'])('by %s leaves the directory unread', async (code) => {
    const { remote, dir } = openLocal();
    for (const name of ['a', 'broken']) fs.writeFileSync(join(dir, name), '');
    breakLooks(code);
    await expect(remote.listPage('', undefined, OP)).rejects.toThrow('lstat');
  });
});
