import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { toSyncerError } from '../../../../src/core/errors.ts';
import { deleteOne } from '../../../../src/core/remote-calls.ts';
import {
  fileAt,
  type LocalWorld,
  logLines,
  names,
  newFolder,
  OP,
  openLocal,
  textOf,
  textSource,
} from './local-world.ts';

/** A folder with a file, a directory, links to both, a dangling one, one that loops, and a pipe. */
function worldOfLinks(options: Record<string, string>): LocalWorld {
  const world = openLocal(options);
  fs.writeFileSync(join(world.dir, 'file'), 'hello');
  fs.mkdirSync(join(world.dir, 'real'));
  fs.writeFileSync(join(world.dir, 'real/below'), 'x');
  fs.symlinkSync('file', join(world.dir, 'link'));
  fs.symlinkSync('real', join(world.dir, 'link-dir'));
  fs.symlinkSync('nowhere', join(world.dir, 'dangling'));
  fs.symlinkSync('.', join(world.dir, 'real/loop'));
  execFileSync('mkfifo', [join(world.dir, 'pipe')]);
  return world;
}

const SKIPPED = "Can't follow symlink without -L/--copy-links";

describe('symbolic links', () => {
  it('are left out with a notice each, special files too', async () => {
    const world = worldOfLinks({});
    expect(await names(world.remote)).toEqual(['file', 'real/']);
    expect(logLines(world).sort()).toEqual([
      `notice: dangling: ${SKIPPED}`,
      `notice: link-dir: ${SKIPPED}`,
      `notice: link: ${SKIPPED}`,
      "notice: pipe: Can't transfer non file/directory",
    ]);
    expect(await world.remote.stat('link', OP)).toBeUndefined();
    expect(await world.remote.stat('pipe', OP)).toBeUndefined();
  });

  it('are left out silently with skip_links', async () => {
    const world = worldOfLinks({ skip_links: 'true' });
    expect(await names(world.remote)).toEqual(['file', 'real/']);
    expect(logLines(world)).toEqual(["notice: pipe: Can't transfer non file/directory"]);
  });

  it('are followed with copy_links; those that lead nowhere are errors that count', async () => {
    const world = worldOfLinks({ copy_links: 'true' });
    expect(await names(world.remote)).toEqual(['file', 'link', 'link-dir/', 'real/']);
    expect(await names(world.remote, 'link-dir')).toEqual(['below']);
    expect(await textOf(world.remote, await fileAt(world.remote, 'link'))).toBe('hello');
    const page = await world.remote.listPage('', undefined, OP);
    const below = await world.remote.listPage('real', undefined, OP);
    const failed = [...(page.failed ?? []), ...(below.failed ?? [])];
    expect(
      failed.map(({ path, error }) => [path, toSyncerError(error).exit, error.message]),
    ).toEqual([
      ['dangling', 6, expect.stringContaining('symlink: stat ')],
      ['real/loop', 6, expect.stringContaining('leads back to a parent directory')],
    ]);
  });

  it('end, also where two directories lead to each other', async () => {
    const world = openLocal({ copy_links: 'true' });
    for (const [dir, other] of [
      ['a', 'b'],
      ['b', 'a'],
    ]) {
      fs.mkdirSync(join(world.dir, `${dir}`));
      fs.symlinkSync(`../${other}`, join(world.dir, `${dir}/to-${other}`));
    }
    const found: string[] = [];
    const walk = async (dir: string): Promise<void> => {
      for (const name of await names(world.remote, dir)) {
        const path = dir === '' ? name.slice(0, -1) : `${dir}/${name.slice(0, -1)}`;
        found.push(path);
        await walk(path);
      }
    };
    await walk('');
    expect(found).toEqual(['a', 'a/to-b', 'b', 'b/to-a']);
  });

  it('are text files with links, both ways', async () => {
    const world = worldOfLinks({ links: 'true' });
    expect(await names(world.remote)).toEqual([
      'dangling.rclonelink',
      'file',
      'link-dir.rclonelink',
      'link.rclonelink',
      'real/',
    ]);
    const link = await fileAt(world.remote, 'dangling.rclonelink');
    expect(link.size).toBe(7);
    expect(await textOf(world.remote, link)).toBe('nowhere');
    expect(await world.remote.can.hash?.(link, 'md5', OP)).toBe('03840d46dad93250d938b39d1357fbae');
    expect(await world.remote.stat('link', OP)).toBeUndefined();

    const written = await world.remote.write(textSource('new/one.rclonelink', '../file'), OP);
    expect(written).toMatchObject({ path: 'new/one.rclonelink', size: 7 });
    expect(fs.readlinkSync(join(world.dir, 'new/one'))).toBe('../file');
    expect(fs.lstatSync(join(world.dir, 'new/one'), { bigint: true }).mtimeNs).toBe(
      1_600_000_000_000_000_000n,
    );
    await world.remote.write(textSource('link.rclonelink', 'elsewhere'), OP);
    expect(fs.readlinkSync(join(world.dir, 'link'))).toBe('elsewhere');
    await deleteOne(world.remote, await fileAt(world.remote, 'link.rclonelink'), OP);
    expect(fs.existsSync(join(world.dir, 'file'))).toBe(true);
    expect(await names(world.remote)).not.toContain('link.rclonelink');
  });

  it('are not taken for the file that has taken their place, nor the other way round', async () => {
    const world = worldOfLinks({ links: 'true' });
    const link = await fileAt(world.remote, 'link.rclonelink');
    const file = await fileAt(world.remote, 'file');
    await world.remote.write(textSource('link', 'a file now'), OP);
    await world.remote.write(textSource('file.rclonelink', 'a link now'), OP);
    for (const gone of [link, file]) {
      await expect(deleteOne(world.remote, gone, OP)).rejects.toMatchObject({
        code: 'file-not-found',
      });
      const moved = world.remote.can.moveFrom?.(world.remote, gone, 'moved', OP);
      await expect(moved).rejects.toMatchObject({ code: 'file-not-found' });
    }
    expect(fs.readFileSync(join(world.dir, 'link'), 'utf8')).toBe('a file now');
    expect(fs.readlinkSync(join(world.dir, 'file'))).toBe('a link now');
  });

  it('are not written through', async () => {
    const world = worldOfLinks({ links: 'true' });
    const written = world.remote.write(textSource('link-dir/new', 'x'), OP);
    await expect(written).rejects.toMatchObject({ code: 'not-a-directory' });
    const file = await fileAt(world.remote, 'file');
    const moved = world.remote.can.moveFrom?.(world.remote, file, 'link-dir/file', OP);
    await expect(moved).rejects.toMatchObject({ code: 'not-a-directory' });
    expect(fs.readdirSync(join(world.dir, 'real')).sort()).toEqual(['below', 'loop']);
  });

  it('are not written through where nothing was a moment before', async () => {
    const world = worldOfLinks({ links: 'true' });
    const missing = { ...(await fileAt(world.remote, 'file')), path: 'later/file' };
    await expect(deleteOne(world.remote, missing, OP)).rejects.toMatchObject({
      code: 'file-not-found',
    });
    await world.remote.write(textSource('later.rclonelink', 'real'), OP);
    const written = world.remote.write(textSource('later/new', 'x'), OP);
    await expect(written).rejects.toMatchObject({ code: 'not-a-directory' });
    expect(fs.readdirSync(join(world.dir, 'real')).sort()).toEqual(['below', 'loop']);
  });

  describe.each<[string, Record<string, string>]>([
    ['left out', {}],
    ['left out silently', { skip_links: 'true' }],
    ['text files', { links: 'true' }],
  ])('that are %s', (_, options) => {
    /** A directory that leads out of the root, and one that leads to another in it; a file in each. */
    function worldWithTwo() {
      const outside = newFolder();
      const world = openLocal(options);
      fs.writeFileSync(join(outside, 'f'), 'theirs');
      fs.mkdirSync(join(outside, 'sub'));
      fs.mkdirSync(join(world.dir, 'real/sub'), { recursive: true });
      fs.writeFileSync(join(world.dir, 'real/f'), 'ours');
      fs.writeFileSync(join(world.dir, 'file'), 'new');
      fs.symlinkSync(outside, join(world.dir, 'out'));
      fs.symlinkSync('real', join(world.dir, 'in'));
      const seen = () =>
        [outside, join(world.dir, 'real')].map((dir) => fs.readdirSync(dir).sort());
      return {
        world,
        seen,
        texts: () =>
          [outside, join(world.dir, 'real')].map((dir) => fs.readFileSync(join(dir, 'f'), 'utf8')),
      };
    }

    it.each(['out', 'in'])('lead no change into %s', async (link) => {
      const { world, seen, texts } = worldWithTwo();
      const { remote } = world;
      const file = await fileAt(remote, 'file');
      const behind = { kind: 'file', path: `${link}/f`, size: -1 } as const;
      const { can } = remote;
      const changes: Record<string, () => unknown> = {
        write: () => remote.write(textSource(`${link}/f`, 'x'), OP),
        writeDeep: () => remote.write(textSource(`${link}/new/f`, 'x'), OP),
        copyFrom: () => can.copyFrom?.(remote, file, `${link}/f`, OP),
        moveFrom: () => can.moveFrom?.(remote, file, `${link}/f`, OP),
        moveAway: () => can.moveFrom?.(remote, behind, 'moved', OP),
        moveDirInto: () => can.moveDirFrom?.(remote, 'real/sub', `${link}/moved`, OP),
        moveDirAway: () => can.moveDirFrom?.(remote, `${link}/sub`, 'moved', OP),
        makeDir: () => remote.makeDir(`${link}/new`, OP),
        makeLink: () => remote.makeDir(link, OP),
        remove: () => deleteOne(remote, behind, OP),
        deleteUnchanged: () => deleteOne(remote, behind, OP, { ifUnchanged: true }),
        removeDir: () => remote.deleteDir(`${link}/sub`, OP),
        purge: () => can.purge?.(`${link}/sub`, OP),
        setModTime: () => can.setModTime?.(behind, 1n, OP),
      };
      for (const [name, change] of Object.entries(changes)) {
        const outcome = await Promise.resolve()
          .then(change)
          .then(
            () => 'done',
            (thrown: unknown) => toSyncerError(thrown).code,
          );
        expect([name, outcome]).toEqual([name, 'not-a-directory']);
      }
      expect(seen()).toEqual([
        ['f', 'sub'],
        ['f', 'sub'],
      ]);
      expect(texts()).toEqual(['theirs', 'ours']);
    });
  });

  it('that lead to empty directories are removed as such where they are followed', async () => {
    const outside = newFolder();
    fs.writeFileSync(join(outside, 'f'), 'x');
    const { remote, dir } = openLocal({ copy_links: 'true' });
    fs.symlinkSync(outside, join(dir, 'out'));
    fs.symlinkSync('nowhere', join(dir, 'dangling'));
    await expect(remote.deleteDir('out', OP)).rejects.toMatchObject({ code: 'not-empty' });
    await expect(remote.deleteDir('dangling', OP)).rejects.toThrow();
    fs.unlinkSync(join(outside, 'f'));
    await expect(openLocal({}, dir).remote.deleteDir('out', OP)).rejects.toMatchObject({
      code: 'not-a-directory',
    });
    await remote.deleteDir('out', OP);
    expect(fs.readdirSync(dir)).toEqual(['dangling']);
    expect(fs.readdirSync(outside)).toEqual([]);
  });

  it('that lead to directories are written through where they are followed', async () => {
    const outside = newFolder();
    const world = openLocal({ copy_links: 'true' });
    fs.symlinkSync(outside, join(world.dir, 'out'));
    await world.remote.write(textSource('out/new/f', 'x'), OP);
    expect(fs.readFileSync(join(outside, 'new/f'), 'utf8')).toBe('x');
  });

  it('on the way to the root count as what they lead to', async () => {
    const real = newFolder();
    const link = join(newFolder(), 'link');
    fs.symlinkSync(real, link);
    await openLocal({}, link).remote.write(textSource('f', 'x'), OP);
    fs.mkdirSync(join(real, 'sub'));
    await openLocal({}, join(link, 'sub')).remote.write(textSource('a/f', 'x'), OP);
    expect(fs.readdirSync(real, { recursive: true }).sort()).toEqual([
      'f',
      'sub',
      'sub/a',
      'sub/a/f',
    ]);
  });

  it('say what to do where they stand in the way', async () => {
    const world = worldOfLinks({});
    const written = world.remote.write(textSource('link-dir/new', 'x'), OP);
    await expect(written).rejects.toMatchObject({
      message: `${join(world.dir, 'link-dir')} is a symbolic link`,
      advice: 'to change its target use -L (--copy-links), otherwise delete the link',
    });
  });

  it('are seen that take the place of a directory while a run is at work', async () => {
    const world = openLocal();
    await world.remote.write(textSource('a/b/f', 'x'), OP);
    await world.remote.can.purge?.('a', OP);
    fs.symlinkSync(newFolder(), join(world.dir, 'a'));
    const written = world.remote.write(textSource('a/b/f', 'x'), OP);
    await expect(written).rejects.toMatchObject({ code: 'not-a-directory' });
  });

  it('are refused with links and copy_links together', () => {
    expect(() => openLocal({ links: 'true', copy_links: 'true' })).toThrow(
      "can't use -l/--links with -L/--copy-links",
    );
  });
});

describe('a link at the destination', () => {
  it('is replaced by the file, and what it points to stays', async () => {
    const world = worldOfLinks({});
    await world.remote.write(textSource('link', 'new'), OP);
    expect(fs.lstatSync(join(world.dir, 'link')).isFile()).toBe(true);
    expect(fs.readFileSync(join(world.dir, 'file'), 'utf8')).toBe('hello');
  });

  it('is replaced with copy_links too, also where it leads nowhere', async () => {
    const world = worldOfLinks({ copy_links: 'true' });
    await world.remote.write(textSource('link', 'new'), OP);
    await world.remote.write(textSource('dangling', 'made'), OP);
    for (const name of ['link', 'dangling'])
      expect(fs.lstatSync(join(world.dir, name)).isFile()).toBe(true);
    expect(fs.readFileSync(join(world.dir, 'file'), 'utf8')).toBe('hello');
    expect(fs.existsSync(join(world.dir, 'nowhere'))).toBe(false);
  });
});

describe('a root that is a link', () => {
  it('is followed, but not purged', async () => {
    const { dir } = worldOfLinks({});
    const link = join(newFolder(), 'root');
    fs.symlinkSync(join(dir, 'real'), link);
    const { remote } = openLocal({}, link);
    expect(await names(remote)).toEqual(['below']);
    expect(await remote.stat('', OP)).toMatchObject({ kind: 'dir', path: '' });
    await expect(remote.can.purge?.('', OP)).rejects.toMatchObject({ code: 'not-a-directory' });
    expect(fs.readdirSync(join(dir, 'real')).sort()).toEqual(['below', 'loop']);
  });
});

describe.each(['purge', 'purgeUnlisted'] as const)('%s', (purge) => {
  it('removes links, not what they lead to', async () => {
    const { remote, dir } = worldOfLinks({});
    fs.mkdirSync(join(dir, 'gone/deep'), { recursive: true });
    fs.symlinkSync('../../real', join(dir, 'gone/deep/link'));
    fs.symlinkSync('../file', join(dir, 'gone/link'));
    await remote.can[purge]?.('gone', OP);
    expect(fs.existsSync(join(dir, 'gone'))).toBe(false);
    expect(fs.readFileSync(join(dir, 'real/below'), 'utf8')).toBe('x');
    expect(fs.readFileSync(join(dir, 'file'), 'utf8')).toBe('hello');
  });
});
