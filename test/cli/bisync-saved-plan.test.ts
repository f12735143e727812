import { readFile, unlink, writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { bisyncWorld } from '../support/bisync-world.ts';

const { world, at, bisync, trees, edit, expectBoth } = bisyncWorld();

interface SavedChange {
  path: string;
  kind: string;
  excluded?: boolean;
  keep?: string;
  toPath?: number;
}

test('a plan of both directions is saved, decided about, and applied', async () => {
  for (const name of ['f', 'g', 'old', 'same']) await edit(`a/${name}`, name);
  await bisync();
  await edit('a/f', 'f of 1');
  await edit('b/f', 'f of 2');
  await edit('a/g', 'g of 1');
  await edit('b/g', 'g of 2');
  await edit('a/new', 'left out');
  await unlink(at('b/old'));
  const before = await trees();
  const saved = await bisync(` --save ${at('plan')}`);
  expect([saved.code, await trees()], saved.stderr).toEqual([0, before]);

  const plan = JSON.parse(await readFile(at('plan'), 'utf8')) as { changes: SavedChange[] };
  const found = plan.changes.map(({ path, kind, toPath }) => [path, kind, toPath]);
  expect(found.sort()).toEqual([
    ['f', 'conflict', 2],
    ['g', 'conflict', 2],
    ['new', 'copy', 2],
    ['old', 'delete', 1],
  ]);
  for (const change of plan.changes) {
    if (change.path === 'f') change.keep = 'path1';
    if (change.path === 'g') change.keep = 'path2';
    if (change.path === 'new') change.excluded = true;
  }
  await writeFile(at('plan'), JSON.stringify(plan));
  const applied = await world.syncer(`apply ${at('plan')}`);
  expect(applied.code, applied.stderr).toBe(0);
  const [a, b] = await trees();
  expect(b).toEqual({ f: 'f of 1', g: 'g of 2', same: 'same' });
  expect(a).toEqual({ ...b, new: 'left out' });
  expect((await bisync()).code).toBe(0);
  await expectBoth(a);
});

test('a decision about something else than a conflict is refused', async () => {
  await edit('a/f', '1');
  await bisync(` --save ${at('plan')}`);
  const plan = JSON.parse(await readFile(at('plan'), 'utf8')) as { changes: SavedChange[] };
  for (const change of plan.changes) change.keep = 'path1';
  await writeFile(at('plan'), JSON.stringify(plan));
  expect((await world.syncer(`apply ${at('plan')}`)).stderr).toContain('change 1 is wrong');
});

test('what lifts limits or names local files is left out of a plan, and refused in one', async () => {
  await edit('a/f', '1');
  await edit('a/x', 'excluded');
  await writeFile(at('rules'), '- x\n');
  const own = `--workdir=${at('own')} --filters-file=${at('rules')} --force=true`;
  const saved = await bisync(` ${own} --save ${at('plan')}`);
  expect(saved.stderr).toContain(own);
  const text = await readFile(at('plan'), 'utf8');
  const plan = JSON.parse(text) as { command: string[] };
  expect(plan.command).toEqual(['bisync', at('a'), at('b')]);
  for (const flag of own.split(' ')) {
    const command = [...plan.command, flag];
    await writeFile(at('plan'), JSON.stringify({ ...plan, command }));
    for (const trial of ['', ' --dry-run']) {
      const { code, stderr } = await world.syncer(`apply ${at('plan')}${trial}`);
      expect([code, stderr]).toEqual([1, expect.stringContaining('a plan must not hold')]);
    }
  }
  await writeFile(at('plan'), text);
  const applied = await world.syncer(`apply ${at('plan')} ${own}`);
  expect(applied.code, applied.stderr).toBe(0);
  expect(await trees()).toEqual([{ f: '1', x: 'excluded' }, { f: '1' }]);
});
