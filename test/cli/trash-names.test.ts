import { appendFile, mkdir, readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readTree, type Tree, writeTree } from '../support/file-tree.ts';
import { inProcessWorld } from '../support/in-process-world.ts';

const world = inProcessWorld();
const { syncer } = world;

const TREE: Tree = {
  ...{ 'b/same': ['1', 5], 'b/x': ['old', 5], 'b/d/extra': ['gone', 6], 'b/k ö/ä': ['ü', 7] },
  ...{ 'a/same': ['1', 5], 'a/x': ['newer', 7] },
};

/** `path change kept` of what is in the trash. */
async function names(line: string): Promise<readonly string[]> {
  const { stdout, stderr, code } = await syncer(`trash ls ${line} --json`);
  expect(code, stderr).toBe(0);
  const files = JSON.parse(stdout) as readonly { Path: string; Change: string; Kept: string }[];
  return files.map(({ Path, Change, Kept }) => `${Path} ${Change} ${Kept}`);
}

test('the trash of a place by another name of it', async () => {
  await writeTree(world.dir, { ...TREE, 'b/deep/y': ['sub', 5], 'none/z': ['1', 5] });
  const config = world.env.SYNCER_CONFIG;
  const twin = (await readFile(config, 'utf8')).replace('[s]', '[twin]');
  const alias = `[alias]\ntype = alias\nremote = ${join(world.dir, 'b')}\n[disk]\ntype = local\n`;
  await appendFile(config, `\n${twin}\n${alias}`);
  await symlink('b', join(world.dir, 'link'));
  await syncer(`delete @b/deep --trash-dir ${join(world.dir, 'bin')}`);
  await syncer('sync @none @b/d --trash');
  const expected = ['d/extra deleted trash', 'deep/y deleted trash'];
  for (const place of ['alias:', `disk:${world.dir}/b`, '@link']) {
    expect((await names(place)).toSorted(), place).toEqual(expected);
  }
  expect((await syncer('trash restore alias:')).stdout).toBe('Restored 2 files\n');
  expect((await readTree(join(world.dir, 'b')))?.['d/extra']).toBe('gone@6');
  await syncer(`copy @b s:other${world.count}/b`);
  await syncer(`delete s:other${world.count}/b/d --trash`);
  const below = [expect.stringContaining('extra deleted trash'), expect.stringContaining('z ')];
  expect(await names(`twin:other${world.count}/b`)).toEqual(below);
  expect((await syncer(`trash restore twin:other${world.count}/b`)).stdout).toMatch(/^Restored 2/);
});

test('a whole account and a --trash-dir have the notes of each of their names', async () => {
  await writeTree(world.dir, TREE);
  const config = world.env.SYNCER_CONFIG;
  const twin = (await readFile(config, 'utf8')).replace('[s]', '[twin]');
  const bin = join(world.dir, 'bin');
  const alias = `[bin]\ntype = alias\nremote = ${bin}\n`;
  await appendFile(config, `\n${twin}\n${alias}`);
  await mkdir(bin);
  await symlink('bin', join(world.dir, 'link'));
  const bucket = `account${world.count}`;
  await syncer(`copy @b s:${bucket}/b --no-history`);
  await syncer(`delete s: --trash --include /${bucket}/b/d/**`);
  await syncer(`delete s:${bucket}/b --trash --include x`);
  const own = [`${bucket}/b/d/extra deleted trash`, `${bucket}/b/x deleted trash`];
  for (const name of ['s:', 'twin:']) {
    const found = (await names(name)).filter((line) => line.startsWith(bucket));
    expect(found.toSorted(), name).toEqual(own);
  }
  expect(await names(`twin:${bucket}/b/d`)).toEqual(['extra deleted trash']);
  for (const into of [bin, '@link', 'bin:']) {
    await syncer(`delete @b --trash-dir ${into} --include x`);
    for (const name of [bin, '@link', 'bin:', `@b/../bin`])
      expect(await names(`@b --trash-dir ${name}`), into + name).toEqual(['x deleted trash']);
    await syncer(`trash restore @b --trash-dir @link`);
  }
  await syncer(`copy @a s:${bucket}/a --no-history`);
  for (const used of ['s:', 'twin:']) {
    await syncer(`delete s:${bucket}/a --trash-dir ${used}${bucket}/bin --include same`);
    for (const at of ['s:', 'twin:'])
      for (const into of ['s:', 'twin:']) {
        const spec = `${at}${bucket}/a --trash-dir ${into}${bucket}/bin`;
        expect(await names(spec), used + spec).toEqual(['same deleted trash']);
      }
    const { stdout } = await syncer(`trash restore twin:${bucket}/a --trash-dir s:${bucket}/bin`);
    expect(stdout).toBe('Restored 1 file\n');
  }
});
