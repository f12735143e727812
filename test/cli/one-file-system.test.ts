import { mkdir, readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { partialPath } from '../../src/names/partial-name.ts';
import { ownMark } from '../../src/system/owner-state.ts';
import { readTree, type Tree, writeTree } from '../support/file-tree.ts';
import { oneOfEach } from '../support/in-part.ts';
import { canMount, withDisk } from '../support/mount-disk.ts';
import { makeSyncerWorld, type SyncerWorld } from '../support/run-syncer.ts';
import { startServe } from './start-serve.ts';

/** The mark of a process that has ended. */
const ENDED = ownMark().replace(/[0-9a-z]+$/, '0');
/** What is on the disk that is mounted at `w/d/m`. */
const OTHER: Tree = {
  photo: 'theirs',
  'sub/copy of photo': 'theirs',
  [partialPath('sub/leftover', ENDED, '1')]: '',
  'empty/': '',
};
/** What is beside it. `o` replaces a file in `d`. */
const OWN: Tree = {
  'w/own': 'ours',
  'w/d/f': 'f',
  'w/d/same': 'theirs',
  'w/d/e/': '',
  'o/d/f': 'new',
  'o/own': 'ours',
  'empty/': '',
};
const HOLDS = 'another file system, left alone because of --one-file-system';

let world: SyncerWorld;
beforeEach(async () => {
  world = await makeSyncerWorld();
  await writeFile(world.config, '[one]\ntype = local\none_file_system = true\n');
  await writeTree(world.dir, OWN);
  await mkdir(join(world.dir, 'w/d/m'));
});
afterEach(() => world.remove());

const at = (path: string) => join(world.dir, path);

async function run(line: string) {
  const { code, stderr } = await world.run(line.split(' '));
  return { code, stderr };
}

/** Runs `work` with the other disk mounted; then checks that nothing on it has changed. */
async function besideOther(work: () => Promise<void>): Promise<void> {
  const disk = at('w/d/m');
  await withDisk(disk, 'size=256k', async () => {
    await writeTree(disk, OTHER);
    const state = async () => [await readTree(disk), (await stat(disk)).mtimeMs];
    const before = await state();
    await work();
    expect(await state()).toEqual(before);
  });
}

describe.skipIf(!canMount)('with --one-file-system, a mounted disk is left alone by', () => {
  const lines: readonly (readonly [line: string, code: number, told: string])[] = [
    ['purge w -x', 1, HOLDS],
    ['purge one:w', 1, 'another file system'],
    ['purge w/d -x', 1, HOLDS],
    ['purge w -x --dry-run', 1, HOLDS],
    ['purge w -x --trash', 1, HOLDS],
    ['purge w -x --disable Purge', 1, HOLDS],
    ['purge w -x --max-delete 100', 1, HOLDS],
    ['delete w -x --rmdirs', 0, ''],
    ['delete w -x --trash', 0, ''],
    ['rmdirs w -x', 0, ''],
    ['rmdir w/d/m -x', 1, 'is a mount point'],
    ['cleanup w -x --older-than 1s', 0, ''],
    ['sync empty w -x', 0, ''],
    ['sync empty w -x --backup-dir b', 0, ''],
    ['sync empty w -x --trash', 0, ''],
    ['sync empty w -x --delete-before --create-empty-src-dirs', 0, ''],
    ['sync o w -x --track-renames', 0, ''],
    ['move w b -x', 0, ''],
    ['move w b -x --delete-empty-src-dirs', 0, ''],
    ['moveto w b -x', 0, ''],
    ['moveto w/d b -x', 0, ''],
    ['bisync w o -x --resync', 0, ''],
    ['dedupe w -x --by-hash --dedupe-mode newest', 0, ''],
    ['convmv w -x --name-transform all,prefix=new-', 0, ''],
    ['touch w -x -R -t 2020-01-01T00:00:00', 0, ''],
  ];
  test.each(oneOfEach(lines, ([line]) => line.split(' ')[0] ?? ''))(
    '%s',
    async (line, code, told) => {
      await besideOther(async () => {
        const ended = await run(line);
        expect(ended).toEqual({ code, stderr: expect.stringContaining(told) });
      });
    },
  );

  test.each([
    ['copy o w -x --ignore-existing', 0],
    ['copy o one:w --immutable', 6],
    ['sync o w -x --backup-dir bak', 1],
    ['move o w -x --trash', 1],
  ] as const)('%s replaces no file there that it has not listed', async (line, expected) => {
    await writeTree(at('o'), { 'd/m/photo': 'ours' });
    await withDisk(at('w/d/m'), 'size=256k', async () => {
      await writeTree(at('w/d/m'), OTHER);
      const { code, stderr } = await run(line.replace('one:', `one:${at('')}/`));
      expect(code, stderr).toBe(expected);
      expect(await readTree(at('w/d/m'))).toMatchObject({ photo: 'theirs@1000000000' });
    });
    expect(await readTree(at('o'))).toMatchObject({ 'd/m/photo': 'ours@1000000000' });
  });

  test('undo of a deletion, and emptying the trash', async () => {
    await besideOther(async () => {
      expect((await run('delete w -x --trash')).code).toBe(0);
      const [id] = await readdir(at('w/.syncer-trash'));
      expect((await run(`undo ${id} -x`)).code).toBe(0);
      expect(await readdir(at('w/d'))).toEqual(['e', 'f', 'm', 'same']);
      expect((await run('delete w -x --trash')).code).toBe(0);
      expect((await run('trash empty w -x --older-than 0s')).code).toBe(0);
    });
  });

  test('serve webdav: it is not found nor written over, and what it is in is neither deleted nor renamed', async () => {
    await besideOther(async () => {
      const served = await makeSyncerWorld();
      const { running, endpoint } = await startServe(served, [at('w'), '-x'], 'webdav');
      const dav = async (method: string, path: string, destination?: string) => {
        const headers = destination === undefined ? {} : { destination: endpoint + destination };
        const response = await fetch(endpoint + path, { method, headers });
        await response.arrayBuffer();
        return response.status;
      };
      try {
        expect(await dav('DELETE', '/d/m/photo')).toBe(404);
        expect(await dav('DELETE', '/d/m/')).toBe(404);
        expect(await dav('MOVE', '/d/', '/e')).toBe(409);
        expect(await dav('DELETE', '/d/')).toBe(409);
        expect(await dav('MKCOL', '/d/m')).toBe(409);
        expect(await dav('COPY', '/own', '/d/m')).toBe(409);
      } finally {
        running.kill('SIGTERM');
        await running.ended;
        await served.remove();
      }
    });
  });
});

test.skipIf(!canMount)(
  'purge --one-file-system --dry-run names what purge --one-file-system does',
  async () => {
    await besideOther(async () => {
      const named = async (line: string, told: RegExp) => {
        const { stderr } = await run(line);
        return [...new Set([...stderr.matchAll(told)].map(([, path]) => path))].sort();
      };
      const planned = await named('purge w -x --dry-run', /NOTICE: (\S+): Skipped/g);
      expect(planned).toEqual(['d/e', 'd/f', 'd/same', 'own']);
      const done = /INFO {2}: (\S+): (?:Deleted|Removing directory)/g;
      expect(await named('purge w -x -v', done)).toEqual(planned);
      expect(await readTree(at('w'))).toMatchObject({ 'd/': '', 'd/m/': '' });
    });
  },
);

test.skipIf(!canMount)('a purge that ends at a mount point says that it is one', async () => {
  await withDisk(at('w/d/m'), 'size=64k', async () => {
    const { code, stderr } = await run('purge w');
    expect([code, stderr]).toEqual([1, expect.stringContaining('w/d/m: is a mount point')]);
    expect(stderr).not.toContain('busy');
  });
});
