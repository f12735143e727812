import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Remote } from '../../../src/core/remote.ts';
import { passAllFilter } from '../../../src/filter/filter.ts';
import { applyPlan, type Left } from '../../../src/review/apply-plan.ts';
import { startPlanner } from '../../../src/review/plan.ts';
import type { PlannedChange } from '../../../src/review/planned-change.ts';
import { contentsOf, type Files, remoteWith, runOnce } from '../../support/memory-world.ts';

async function planOf(source: Remote, dest: Remote, verb: 'sync' | 'move' = 'sync') {
  const planner = startPlanner();
  const run = await runOnce(verb, source, dest, {}, passAllFilter, planner.guard);
  expect(run.error).toBeUndefined();
  return planner.plan;
}

async function apply(
  source: Remote,
  dest: Remote,
  plan: Awaited<ReturnType<typeof planOf>>,
  isChosen: (change: PlannedChange) => boolean,
  verb: 'sync' | 'move' = 'sync',
) {
  const left: Left[] = [];
  const application = applyPlan(plan, isChosen, (one) => left.push(one));
  const run = await runOnce(verb, source, dest, {}, passAllFilter, application.guard);
  return { run, left, missing: application.missing() };
}

const source = { fresh: 'f', changed: 'new!', timed: ['t', 5], same: 's', 'dir/a': 'a' } as const;
const dest = { changed: 'old', gone: 'g', timed: ['t', 6], same: 's', 'old/b': 'b' } as const;

describe('a plan', () => {
  test('holds every change with its kind and reason, and changes nothing', async () => {
    const to = await remoteWith(dest);
    const plan = await planOf(await remoteWith(source), to);
    const told = [...plan.values()].map(({ kind, path, reason }) => `${kind} ${path}: ${reason}`);
    expect(told.sort()).toEqual([
      'copy dir/a: not at the destination',
      'copy fresh: not at the destination',
      'delete gone: not at the source',
      'delete old/b: not at the source',
      'remove-dir old: if empty',
      'time timed: newer at dest by 1s',
      'update changed: size 4 B, at dest 3 B',
    ]);
    expect(await contentsOf(to)).toEqual(await contentsOf(await remoteWith(dest)));
  });

  test('says nothing while it is made', async () => {
    const planner = startPlanner();
    const sides = [await remoteWith(source), await remoteWith(dest)] as const;
    const run = await runOnce('sync', ...sides, {}, passAllFilter, planner.guard);
    expect(run.log.filter((line) => line.startsWith('notice'))).toEqual([]);
    expect(run.transferred).toBe(0);
  });

  test('of a move names what goes at the source', async () => {
    const plan = await planOf(await remoteWith(source), await remoteWith(dest), 'move');
    const told = [...plan.values()].map(({ kind, path, reason }) => `${kind} ${path}: ${reason}`);
    expect(told).toContain('move fresh: not at the destination');
    expect(told).toContain('delete same: already at the destination');
  });

  test('of renames shows the new name and the old one', async () => {
    const from = await remoteWith({ 'new/name': 'content' });
    const to = await remoteWith({ 'old/name': 'content' });
    const planner = startPlanner();
    const trackRenames = { hash: true, modTime: false, leaf: false };
    await runOnce('sync', from, to, { trackRenames }, passAllFilter, planner.guard);
    const [rename] = [...planner.plan.values()].filter(({ kind }) => kind === 'rename');
    expect(rename).toMatchObject({ path: 'new/name', reason: 'named "old/name" at dest' });
    const chosen = applyPlan(
      planner.plan,
      () => true,
      () => {},
    );
    await runOnce('sync', from, to, { trackRenames }, passAllFilter, chosen.guard);
    expect(await contentsOf(to)).toEqual({ 'new/name': 'content@1000' });
    expect(chosen.left).toEqual([]);
  });
});

describe('applying a plan', () => {
  test('does all of it where all was chosen', async () => {
    const [from, to] = [await remoteWith(source), await remoteWith(dest)];
    const { run, left, missing } = await apply(from, to, await planOf(from, to), () => true);
    expect(run.error).toBeUndefined();
    expect([...left, ...missing]).toEqual([]);
    expect(await contentsOf(to)).toEqual(await contentsOf(from));
  });

  test('leaves what has changed since, on either side, and what is new', async () => {
    const [from, to] = [await remoteWith(source), await remoteWith(dest)];
    const plan = await planOf(from, to);
    const later = await remoteWith({ ...source, changed: 'newer!', 'dir/late': 'l' });
    const meanwhile = await remoteWith({ ...dest, gone: ['touched', 2000] });
    const { left, run } = await apply(later, meanwhile, plan, () => true);
    expect(run.error).toBeUndefined();
    expect(left.sort((a, b) => (a.path < b.path ? -1 : 1))).toEqual([
      { path: 'changed', why: 'changed' },
      { path: 'dir/late', why: 'new' },
      { path: 'gone', why: 'changed' },
    ]);
    const contents = await contentsOf(meanwhile);
    expect(contents).toMatchObject({ changed: 'old@1000', gone: 'touched@2000', fresh: 'f@1000' });
    expect(contents).not.toHaveProperty(['dir/late']);
  });

  test('tells what was chosen and is not to be done any more', async () => {
    const [from, to] = [await remoteWith(source), await remoteWith(dest)];
    const plan = await planOf(from, to);
    const { fresh: _, ...others } = source;
    const { missing } = await apply(await remoteWith(others), to, plan, () => true);
    expect(missing).toEqual([{ path: 'fresh', why: 'missing' }]);
  });

  test('a move that was dropped keeps its source', async () => {
    const [from, to] = [await remoteWith(source), await remoteWith(dest)];
    const plan = await planOf(from, to, 'move');
    await apply(from, to, plan, ({ path }) => path !== 'fresh' && path !== 'same', 'move');
    expect(await contentsOf(from)).toEqual({ 'dir/': '', fresh: 'f@1000', same: 's@1000' });
  });

  test('never makes a change that was dropped, and makes all others', async () => {
    const names = fc.constantFrom('a', 'b', 'dir/a', 'dir/b', 'dir/deep/c', 'other/a', 'other/d');
    const tree = fc.dictionary(names, fc.constantFrom('x', 'yy', 'zzz'));
    await fc.assert(
      fc.asyncProperty(tree, tree, fc.array(fc.boolean()), async (ours, theirs, coins) => {
        const [from, to] = [await remoteWith(ours as Files), await remoteWith(theirs as Files)];
        const plan = await planOf(from, to);
        const chosen = new Set([...plan.values()].filter((_, at) => coins[at] ?? true));
        const { left, missing } = await apply(from, to, plan, (change) => chosen.has(change));
        expect([...left, ...missing]).toEqual([]);
        const wanted: Record<string, string> = {};
        for (const [path, text] of Object.entries(theirs)) wanted[path] = `${text}@1000`;
        for (const { kind, path } of chosen) {
          if (kind === 'delete') delete wanted[path];
          else if (kind !== 'remove-dir') wanted[path] = `${ours[path]}@1000`;
        }
        const files = Object.entries(await contentsOf(to)).filter(([path]) => !path.endsWith('/'));
        expect(Object.fromEntries(files)).toEqual(wanted);
      }),
      { numRuns: 60 },
    );
  });
});
