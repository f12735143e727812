import { chmod, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readTree, type Tree, writeTree } from '../support/file-tree.ts';
import { inProcessWorld } from '../support/in-process-world.ts';

// Transfers as rclone 1.75 makes them, and 1.60.1 does not.

const world = inProcessWorld();
const { syncer, names } = world;

describe('reports of copy, sync and move', () => {
  const tree: Tree = { 's/a': '1', 's/d/b': '22', 't/d/b': '2', 't/x': '3' };

  test.each([
    ['sync @s @t --combined -', ['* d/b', '+ a', '- x']],
    ['move @s @t --dest-after - --format sp --dry-run', ['1;d/b', '1;x']],
    ['copy @s @t --dest-after - --format sp --files-only=false', ['-1;d/', '1;a', '1;x', '2;d/b']],
    ['copy @s @t --dest-after - -F tp -t 2006', ['2001;a', '2001;d/b', '2001;x']],
    ['copyto @s/a @t/y --match - --dest-after - --csv --absolute -F ps', ['/y,1']],
  ])('%s', async (line, lines) => {
    await writeTree(world.dir, tree);
    const { code, stdout, stderr } = await syncer(line);
    const found = stdout.trim().split('\n').sort();
    expect([code, found.map((text) => text.replace(/^\d{2,};(?=d\/$)/, '-1;'))], stderr).toEqual([
      0,
      lines,
    ]);
  });

  test('a report that cannot be written fails the run before it changes anything', async () => {
    await writeTree(world.dir, tree);
    const { code, stderr } = await syncer('sync @s @t --combined @none/x');
    expect([code, stderr]).toEqual([1, expect.stringContaining('the report --combined')]);
    expect(await names()).toContain('t/x');
  });
});

describe('metadata of directories with -M', () => {
  const SECOND = 1_000_000_000;

  test.each(['copy', 'sync', 'move'])('%s keeps modes and times', async (command) => {
    await writeTree(world.dir, { 's/private/deep/f': '1', 's/plain/g': '2' });
    await chmod(join(world.dir, 's/private'), 0o700);
    for (const path of ['s/private/deep', 's/private', 's/plain'])
      await utimes(join(world.dir, path), SECOND, SECOND);
    const { code, stderr } = await syncer(`${command} @s @t -M --exclude none`);
    const found = await Promise.all(
      ['private', 'private/deep', 'plain'].map(async (path) => {
        const { mode, mtimeMs } = await stat(join(world.dir, 't', path));
        return [path, mode & 0o777, mtimeMs / 1000];
      }),
    );
    expect([code, found], stderr).toEqual([
      0,
      [
        ['private', 0o700, SECOND],
        ['private/deep', 0o755, SECOND],
        ['plain', 0o755, SECOND],
      ],
    ]);
  });

  test('lsjson and lsf show them', async () => {
    await writeTree(world.dir, { 's/d/': '' });
    await chmod(join(world.dir, 's/d'), 0o711);
    const [json] = JSON.parse((await syncer('lsjson @s -M')).stdout);
    expect(json.Metadata).toMatchObject({ mode: '40711', mtime: expect.any(String) });
    expect((await syncer('lsf @s -F M')).stdout).toContain('"mode":"40711"');
  });
});

describe('convmv', () => {
  test('renames files and directories, and deletes emptied directories if asked', async () => {
    await writeTree(world.dir, { 't/A.TXT': '1', 't/Sub/B': '2', 't/c': '3' });
    const flags = '--name-transform all,lowercase --delete-empty-src-dirs';
    expect((await syncer(`convmv @t ${flags} --dry-run`)).stderr).toContain(
      'A.TXT: Skipped move to a.txt as --dry-run is set',
    );
    const { code, stderr } = await syncer(`convmv @t ${flags}`);
    const found = ['t/', 't/a.txt', 't/c', 't/sub/', 't/sub/b'];
    expect([code, await names()], stderr).toEqual([0, found]);
  });

  test('never replaces a file, and changes each name once', async () => {
    await writeTree(world.dir, { 't/a': '1', 't/ax': '2', 't/b': '3' });
    const { code, stderr } = await syncer('convmv @t --name-transform suffix=x');
    expect([code, await names()], stderr).toEqual([1, ['t/', 't/a', 't/axx', 't/bx']]);
    expect((await syncer('convmv @t/bx --name-transform trimsuffix=x')).code).toBe(0);
    expect((await syncer('convmv @t/a --name-transform suffix=xx')).code).toBe(1);
    expect(await readTree(join(world.dir, 't'))).toMatchObject({
      a: '1@1000000000',
      b: '3@1000000000',
    });
  });

  test('renames objects on S3', async () => {
    await writeTree(world.s3.root, { 'names/D/X': '1' });
    expect((await syncer('convmv s:names --name-transform all,lowercase')).code).toBe(0);
    expect((await syncer('lsf -R --files-only s:names')).stdout).toBe('d/x\n');
  });

  test('needs a change', async () => {
    expect((await syncer('convmv @t')).stderr).toContain('--name-transform must be set');
  });
});
