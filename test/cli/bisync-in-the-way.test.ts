import { lstat, lutimes, mkdir, readlink, rm, symlink, unlink } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { bisyncWorld } from '../support/bisync-world.ts';

const { world, at, bisync, filesIn, trees, edit, expectBoth } = bisyncWorld();

/** A link that was not created just now. */
async function link(target: string, path: string): Promise<void> {
  await symlink(target, at(path));
  await lutimes(at(path), 1_600_000_000, 1_600_000_000);
}

const isLink = async (path: string) => (await lstat(at(path))).isSymbolicLink();

describe('a link that is not followed is left alone on both sides', () => {
  test.each([
    ['is new on both sides', async () => edit('b/l', 'mine')],
    ['took the place of a file', async () => {}],
  ])('that %s', async (_, prepare) => {
    await edit('a/l', 'old');
    await edit('a/f', '1');
    await bisync();
    await unlink(at('a/l'));
    await link('f', 'a/l');
    await prepare();
    const before = await filesIn('b');
    const run = await bisync();
    expect(run.code).toBe(0);
    expect(run.stderr).toContain(
      'l: Left alone on both sides: path1 has a symbolic link of this name',
    );
    expect(await isLink('a/l')).toBe(true);
    expect(await filesIn('b')).toEqual(before);
    // Without the link it is a file like any other.
    await unlink(at('a/l'));
    await bisync();
    const [a, b] = await trees();
    expect(b).toEqual(a);
  });

  test('also where the other side has a directory', async () => {
    await edit('other/s', 'secret');
    await mkdir(at('a'), { recursive: true });
    await link('../other', 'a/d');
    await edit('b/d/e/s', 'mine');
    await mkdir(at('b/d/empty'));
    expect((await bisync(' --create-empty-src-dirs')).code).toBe(0);
    expect(await isLink('a/d')).toBe(true);
    expect(await filesIn('other')).toEqual({ s: 'secret' });
    expect(await filesIn('b')).toEqual({ 'd/e/s': 'mine' });
  });
});

describe('with --links', () => {
  test('a directory that became a link, and the reverse', async () => {
    await edit('a/d/f', '1');
    await edit('a/k', '1');
    await bisync(' --links');
    await rm(at('a/d'), { recursive: true });
    await link('k', 'a/d');
    expect((await bisync(' --links')).code).toBe(0);
    expect(await readlink(at('b/d'))).toBe('k');
    await unlink(at('b/d'));
    await edit('b/d/g', '2');
    expect((await bisync(' --links')).code).toBe(0);
    await expectBoth({ 'd/g': '2', k: '1' });
  });

  test('a file that became a link, and was changed on the other side', async () => {
    await edit('a/k', '1');
    await edit('a/t', '1');
    await bisync(' --links');
    await unlink(at('a/k'));
    await link('t', 'a/k');
    await edit('b/k', 'changed');
    const run = await bisync(' --links --conflict-loser num');
    expect(run.stderr).toContain('the file of path1 keeps the name, the other one is k.conflict1');
    for (const side of ['a', 'b']) {
      expect(await readlink(at(`${side}/k`))).toBe('t');
      expect((await filesIn(side))['k.conflict1']).toBe('changed');
    }
    await unlink(at('b/k'));
    await edit('b/k', 'a file');
    expect((await bisync(' --links')).code).toBe(0);
    await expectBoth({ k: 'a file', t: '1', 'k.conflict1': 'changed' });
  });

  test('two links of one name: the other one stays a link', async () => {
    await link('x', 'a/l');
    await link('yy', 'b/l');
    const flags = ' --links --conflict-resolve path1 --conflict-loser num';
    expect((await bisync(flags)).code).toBe(0);
    for (const side of ['a', 'b']) {
      expect(await readlink(at(`${side}/l`))).toBe('x');
      expect(await readlink(at(`${side}/l.conflict1`))).toBe('yy');
    }
  });
});

test('keys of a bucket that a disk cannot have side by side', async () => {
  const bucket = `s:bisync-keys${world.count}`;
  await edit('c/D/F', 'file');
  await edit('e/D/F/z', 'below');
  await world.syncer(`copy @c ${bucket}`);
  await world.syncer(`copy @e ${bucket}`);
  await edit('a/other', '1');
  for (const _ of ['the first run', 'the next one']) {
    const run = await bisync('', bucket);
    expect(run.code).toBe(1);
    expect(run.stderr).toContain(
      'path2 has a file and a directory of this name, and path1 can only have one of them; give one of them another name on path2',
    );
    expect(await filesIn('a')).toEqual({ other: '1', 'D/F/z': 'below' });
  }
  await world.syncer(`moveto ${bucket}/D/F ${bucket}/D/G`);
  expect((await bisync('', bucket)).code).toBe(0);
  expect(await filesIn('a')).toEqual({ other: '1', 'D/F/z': 'below', 'D/G': 'file' });
  // A file that is there first stays, and nothing is put below it.
  await edit('c/D/G/z', 'below G');
  await world.syncer(`copy @c ${bucket} --exclude /D/F`);
  const run = await bisync('', bucket);
  expect(run.stderr).toContain('D/G: Failed to copy: path2 has a file and a directory');
  expect((await filesIn('a'))['D/G']).toBe('file');
});
