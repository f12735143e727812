import { expect, test } from 'vitest';
import { writeTree } from '../support/file-tree.ts';
import { inProcessWorld } from '../support/in-process-world.ts';

const world = inProcessWorld();
const { syncer, names } = world;
const NOTICE = 'Switching to on disk sorting as more than 100 entries in one directory detected';

test('a directory with more entries than --list-cutoff is sorted on disk, with the same result', async () => {
  const files = Array.from(
    { length: 700 },
    (_, i) => [`s/${(i * 7919) % 10_007}`, `${i}`] as const,
  );
  await writeTree(world.dir, { ...Object.fromEntries(files), 's/ü/x': '1', 's/l': '-> nowhere' });
  await writeTree(world.dir, { 't/extra': '1', 't/1': 'old' });
  const plain = await syncer('lsf -R @s');
  const sorted = await syncer('lsf -R @s --list-cutoff 100');
  expect(sorted.stdout).toBe(plain.stdout);
  expect([String(plain.stderr).includes(NOTICE), String(sorted.stderr).includes(NOTICE)]).toEqual([
    false,
    true,
  ]);
  expect(String(sorted.stderr)).toMatch(/Local file system at \S*s: Switching/);
  const synced = await syncer('sync @s @t --list-cutoff 100');
  expect(synced.code, String(synced.stderr)).toBe(0);
  const found = await names();
  const of = (dir: string) =>
    found.filter((name) => name.startsWith(dir)).map((name) => name.slice(2));
  expect(of('t/')).toEqual(of('s/').filter((name) => name !== 'l'));
  const again = await syncer('sync @s @t --list-cutoff 100 -v');
  expect(String(again.stderr)).not.toMatch(/Copied|Deleted/);
  expect(String((await syncer('check @s @t --list-cutoff 0')).stderr)).toContain(
    '0 differences found',
  );
});

test('a link that leads nowhere is an error, on disk, too', async () => {
  await writeTree(world.dir, {
    's/a': '1',
    's/b': '2',
    's/c': '3',
    's/l': '-> nowhere',
    't/l': '1',
  });
  const { code, stderr } = await syncer('sync @s @t -L --list-cutoff 2 --retries 1');
  expect([code, String(stderr)]).toEqual([1, expect.stringContaining('symlink')]);
  expect(await names()).toContain('t/l');
});
