import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TestDrive } from '../../servers/graph/test-drive.ts';
import { readTree, type Tree, writeTree } from '../../support/file-tree.ts';
import { type GraphWorld, makeGraphWorld } from '../../support/graph-world.ts';
import { hasRclone, isRcloneNow, type RcloneEnded } from '../../support/rclone.ts';

const DRIVES = [{ type: 'personal' }, { type: 'business' }, { type: 'documentLibrary' }] as const;

/** Six fragments at `--onedrive-chunk-size 320k`, the last one short. */
const BIG = '0123456789abcdef'.repeat(110_000);

const TREE: Tree = {
  'empty.txt': '',
  'one.txt': 'one',
  'deep/er/two.txt': ['two', 1_234_567_890],
  'deep/big.bin': BIG,
  'odd/we:ird?.txt': 'a name that must be encoded',
  'odd/#100%+&.txt': 'a name that must be escaped',
  'odd/ lead and end.': 'ends of names',
  'many/1': '1',
  'many/2': '2',
  'many/3': '3',
  'many/4': '4',
  'many/5': '5',
  'many/6': '6',
  'many/7': '7',
  'many/8': '8',
  'many/9': '9',
};

function good(ended: RcloneEnded): string {
  expect(ended.code, ended.stderr).toBe(0);
  return ended.stdout.toString();
}

/** The address for downloading that rclone makes of a link to a file, by the form of the link. */
function directLink(link: string): string {
  const [, , host = '', , kind, user, , secret] = link.split('/');
  const page = '_layouts/15/download.aspx?share';
  if (kind === 'g') return `https://${host}/${user}/test_example_com/${page}=${secret}`;
  if (kind === 's') return `https://${host}/sites/${user}/${page}=${link.split('/')[6]}`;
  return `https://api.onedrive.com/v1.0/shares/u!${Buffer.from(link).toString('base64url')}/root/content`;
}

describe.skipIf(!hasRclone)('rclone finds in the Graph server what it knows of the service', () => {
  let world: GraphWorld;
  beforeAll(async () => {
    // Pages so small that a folder of ten has three of them.
    world = await makeGraphWorld({ drives: DRIVES, maxPageSize: 4 });
    await writeTree(join(world.dir, 'src'), TREE);
  });
  afterAll(() => world.remove());

  const rclone = async (line: string) => good(await world.rclone(line));

  describe.each(DRIVES.map(({ type }, n) => [type, n] as const))('%s drive', (type, n) => {
    const at = `drive${n}:`;
    const inside = (): TestDrive => world.graph.drives[n] as TestDrive;

    beforeAll(async () => {
      await rclone(`copy src ${at}tree --onedrive-chunk-size 320k`);
    });

    test('copies a tree there and back, and finds it the same', async () => {
      expect(inside().read('tree/deep/big.bin')?.toString()).toBe(BIG);
      expect(inside().find('tree/odd/we：ird？.txt')?.content?.size).toBe(27);
      await rclone(`check src ${at}tree`);
      await rclone(`copy ${at}tree back${n}`);
      expect(await readTree(join(world.dir, `back${n}`))).toEqual(
        await readTree(join(world.dir, 'src')),
      );
    });

    test('lists a tree page by page, and has nothing to do the second time', async () => {
      const listed = await rclone(`lsf -R --files-only ${at}tree`);
      expect(listed.trim().split('\n').sort()).toEqual(Object.keys(TREE).sort());
      world.graph.log.clear();
      await rclone(`sync src ${at}tree`);
      const { listChildren = 0, ...others } = world.graph.log.counts();
      expect(listChildren).toBeGreaterThan(5);
      expect(Object.keys(others)).toEqual(['getItem']);
    });

    test('shows hashes that rclone computes, too', async () => {
      const hash = type === 'personal' && !isRcloneNow ? 'sha1' : 'quickxor';
      const theirs = JSON.parse(await rclone(`lsjson -R --files-only --hash ${at}tree`));
      const local = `lsjson -R --files-only --hash --hash-type ${hash} src`;
      const ours = JSON.parse(await rclone(local));
      type Listed = { Path: string; Hashes: Record<string, string> };
      const byPath = (files: Listed[]) =>
        Object.fromEntries(files.map(({ Path, Hashes }) => [Path, Hashes[hash]]));
      expect(Object.keys(byPath(theirs))).toHaveLength(Object.keys(TREE).length);
      expect(byPath(theirs)).toEqual(byPath(ours));
    });

    test('moves and renames, by case alone as well', async () => {
      await rclone(`copy src/many ${at}moving`);
      const { id } = inside().item('moving/1');
      await rclone(`moveto ${at}moving/1 ${at}elsewhere/first`);
      expect(inside().item('elsewhere/first').id).toBe(id);
      await rclone(`move ${at}moving ${at}elsewhere/rest`);
      expect(inside().find('elsewhere/rest/9')?.content?.size).toBe(1);
      await rclone(`moveto ${at}elsewhere/first ${at}elsewhere/FIRST`);
      expect(inside().item('elsewhere/first').name).toBe('FIRST');
      expect(await rclone(`lsf ${at}elsewhere --format pt`)).toContain(
        'FIRST;2001-09-09 01:46:40\n',
      );
    });

    test('copies within the drive, also over a file', async () => {
      world.graph.log.clear();
      await rclone(`copyto ${at}tree/deep/big.bin ${at}copies/big.bin`);
      expect(world.graph.log.counts()).toMatchObject({ copy: 1, monitor: 2 });
      expect(inside().read('copies/big.bin')?.toString()).toBe(BIG);
      await rclone(`copyto ${at}tree/one.txt ${at}copies/big.bin`);
      expect(inside().read('copies/big.bin')?.toString()).toBe('one');
      expect(world.graph.log.count('putFragment')).toBe(0);
    });

    test('replaces a file, reads parts of one', async () => {
      inside().put('replace/one.txt', 'old');
      await writeTree(world.dir, { 'new.txt': ['0123456789', 1_500_000_000] });
      await rclone(`copyto new.txt ${at}replace/one.txt`);
      expect(await rclone(`cat ${at}replace/one.txt --offset 3 --count 4`)).toBe('3456');
      expect(world.graph.log.of('download').at(-1)).toMatchObject({ status: 206 });
      expect(await rclone(`lsf --format ts ${at}replace/one.txt`)).toBe('2017-07-14 02:40:00;10\n');
    });

    test('touches a file', async () => {
      inside().put('touch/one.txt', 'x');
      await rclone(`touch --timestamp 2020-02-03T04:05:06 ${at}touch/one.txt`);
      expect(await rclone(`lsf --format t ${at}touch/one.txt`)).toBe('2020-02-03 04:05:06\n');
    });

    test('makes and removes folders', async () => {
      await rclone(`mkdir ${at}folders/a/b`);
      expect(inside().find('folders/a/b')?.children?.size).toBe(0);
      const full = await world.rclone(`rmdir ${at}folders/a`);
      expect(full.code, full.stderr).not.toBe(0);
      expect(full.stderr).toContain('directory not empty');
      await rclone(`rmdir ${at}folders/a/b`);
      expect(inside().find('folders/a/b')).toBeUndefined();
      await rclone(`purge ${at}folders`);
      expect(inside().find('folders')).toBeUndefined();
      const gone = await world.rclone(`lsf ${at}folders`);
      expect(gone).toMatchObject({ code: 3 });
      expect(gone.stderr).toContain('directory not found');
    });

    test('deletes files, into the recycle bin', async () => {
      for (const path of ['1', '2', 'in/3']) inside().put(`delete/${path}`, 'four');
      const before = inside().inside.binned;
      await rclone(`delete ${at}delete`);
      expect(inside().item('delete/in').children?.size).toBe(0);
      expect(inside().item('delete').children?.size).toBe(1);
      expect(inside().inside.binned).toBe(before + 12);
    });

    test('tells the quota', async () => {
      const { used, quota, binned } = inside().inside;
      expect(JSON.parse(await rclone(`about --json ${at}`))).toEqual({
        total: quota,
        used,
        trashed: binned,
        free: quota - used,
      });
    });

    test('makes a link', async () => {
      const file = inside().put('link/one.txt', 'x');
      const link = await rclone(`link ${at}link/one.txt`);
      const [made] = file.permissions;
      expect(link).toBe(`${directLink(made?.webUrl ?? '')}\n`);
      expect(made).toMatchObject({ type: 'view', scope: 'anonymous' });
    });

    test('removes old versions', async () => {
      const file = inside().put('versions/one.txt', 'first');
      inside().put('versions/one.txt', 'second');
      inside().put('versions/one.txt', 'third');
      expect(file.versions).toHaveLength(2);
      const ended = await world.rclone(`cleanup ${at}versions`);
      if (type === 'personal') {
        // Personal drives keep their versions.
        expect(ended.stderr).toContain('notSupported');
        expect(file.versions).toHaveLength(2);
        return;
      }
      good(ended);
      expect(file.versions).toEqual([]);
      expect(inside().read('versions/one.txt')?.toString()).toBe('third');
    });

    test('leaves notebooks out', async () => {
      inside().addPackage('notes/Notebook');
      inside().put('notes/file', 'x');
      expect(await rclone(`lsf ${at}notes`)).toBe('file\n');
      const exposed = await rclone(`lsf ${at}notes --onedrive-expose-onenote-files`);
      expect(exposed.trim().split('\n').sort()).toEqual(['Notebook', 'file']);
    });
  });

  test('a folder that somebody shared is read in its own drive', async () => {
    const [drive, business] = world.graph.drives;
    business?.put('shared/inside.txt', 'shared');
    drive?.addShortcut('Shared', business as TestDrive, 'shared');
    expect(await rclone('lsf drive0:Shared')).toBe('inside.txt\n');
    expect(await rclone('cat drive0:Shared/inside.txt')).toBe('shared');
  });

  test('a library changes an Office file, which rclone notices', async () => {
    await writeTree(world.dir, { 'office/text.docx': 'a text' });
    const ended = await world.rclone('copy office drive2:office');
    expect(ended.code).not.toBe(0);
    expect(ended.stderr).toMatch(/corrupted on transfer: sizes differ .*6 vs/);
    good(await world.rclone('copy office drive1:office'));
  });

  test('a token that ran out is renewed, and the new ones are kept', async () => {
    world.graph.drive.put('token/file', 'x');
    await world.signIn(1);
    world.graph.expireAccessTokens();
    world.graph.log.clear();
    const before = await readFile(world.config, 'utf8');
    expect(await rclone('lsf drive0:token')).toBe('file\n');
    expect(world.graph.log.counts()).toMatchObject({ token: 1 });
    const after = await readFile(world.config, 'utf8');
    const refreshToken = /"refresh_token":"(refresh-[^"]+)"/;
    expect(refreshToken.exec(after)?.[1]).not.toBe(refreshToken.exec(before)?.[1]);
    await world.signIn(1);
    world.graph.revokeRefreshTokens();
    const revoked = await world.rclone('lsf drive0:token --low-level-retries 1');
    expect(revoked.code).not.toBe(0);
    expect(revoked.stderr).toContain('invalid_grant');
    await world.signIn();
  });
});
