import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SyncerError } from '../../../../src/core/errors.ts';
import type { Remote } from '../../../../src/core/remote.ts';
import type { Verb } from '../../../../src/engine/action.ts';
import { Budget } from '../../../../src/engine/loss/budget.ts';
import { passAllFilter } from '../../../../src/filter/filter.ts';
import { ChosenPlan, CollectedPlan, type Left } from '../../../../src/run/review/plan-consent.ts';
import type { PlannedChange } from '../../../../src/run/review/planned-change.ts';
import {
  contentsOf,
  type Files,
  type OptionParts,
  remoteBut,
  remoteWith,
  runOnce,
} from '../../../support/memory-world.ts';

const collecting = (plan: CollectedPlan) => ({ how: 'collect', plan }) as const;

async function planOf(
  source: Remote,
  dest: Remote,
  verb: Verb = 'sync',
  options: OptionParts = {},
) {
  const planner = new CollectedPlan();
  const run = await runOnce(verb, source, dest, options, passAllFilter, collecting(planner));
  expect(run.error).toBeUndefined();
  return planner.changes;
}

async function apply(
  source: Remote,
  dest: Remote,
  plan: Awaited<ReturnType<typeof planOf>>,
  isChosen: (change: PlannedChange) => boolean,
  verb: Verb = 'sync',
  options: OptionParts = {},
) {
  const left: Left[] = [];
  const chosen = new Set([...plan.values()].filter(isChosen));
  const choice = new ChosenPlan({ plan, chosen }, { onLeft: (one) => left.push(one) });
  const consent = { how: 'chosen', plan: choice } as const;
  const run = await runOnce(verb, source, dest, options, passAllFilter, consent);
  return { run, left, missing: choice.missing() };
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
    const planner = new CollectedPlan();
    const sides = [await remoteWith(source), await remoteWith(dest)] as const;
    const run = await runOnce('sync', ...sides, {}, passAllFilter, collecting(planner));
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
    const planner = new CollectedPlan();
    const trackRenames = { hash: true, modTime: false, leaf: false };
    await runOnce('sync', from, to, { trackRenames }, passAllFilter, collecting(planner));
    const [rename] = [...planner.changes.values()].filter(({ kind }) => kind === 'rename');
    expect(rename).toMatchObject({ path: 'new/name', reason: 'named "old/name" at dest' });
    const plan = planner.changes;
    const chosen = new ChosenPlan({ plan, chosen: new Set(plan.values()) });
    const consent = { how: 'chosen', plan: chosen } as const;
    await runOnce('sync', from, to, { trackRenames }, passAllFilter, consent);
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

/** One run that is planned, chosen from and made; `meanwhile` happens as the plan is shown. */
async function review(
  verb: Verb,
  from: Remote,
  to: Remote,
  options: OptionParts = {},
  isChosen: (change: PlannedChange) => boolean = () => true,
  meanwhile: () => Promise<unknown> = async () => {},
  attempts = 1,
) {
  const left: Left[] = [];
  const shown: string[] = [];
  let pages = 0;
  const counted = (remote: Remote) =>
    remoteBut(remote, {
      listPage: (...args) => {
        pages++;
        return remote.listPage(...args);
      },
    });
  const collected = new CollectedPlan({
    async choose() {
      shown.push(
        ...[...collected.changes.values()].map(({ kind, path }) => `${kind} ${path}`).sort(),
      );
      await meanwhile();
      const plan = collected.changes;
      const chosen = new Set([...plan.values()].filter(isChosen));
      return new ChosenPlan({ plan, chosen }, { hasWaited: true, onLeft: (one) => left.push(one) });
    },
  });
  const consent = collecting(collected);
  let run = await runOnce(verb, counted(from), counted(to), options, passAllFilter, consent);
  for (let n = 1; n < attempts && run.error !== undefined; n++)
    run = await runOnce(verb, counted(from), counted(to), options, passAllFilter, consent);
  const missing = collected.chosen?.missing() ?? [];
  return { run, shown, left, missing, pages: () => pages };
}

async function write(remote: Remote, path: string, text: string): Promise<void> {
  const body = Buffer.from(text);
  const source = { path, size: body.length, modTime: 5n, seekable: true, open: async () => body };
  await remote.write(source, { signal: new AbortController().signal });
}

/** The remote, whose first call of a method for a path fails. */
function failingOnce(remote: Remote, method: 'write' | 'delete', path: string): Remote {
  let isDue = true;
  const fail = (paths: readonly string[]) => {
    if (!isDue || !paths.includes(path)) return;
    isDue = false;
    throw new SyncerError('server', 'planted');
  };
  return remoteBut(remote, {
    write: async (...args) => {
      if (method === 'write') fail([args[0].path]);
      return remote.write(...args);
    },
    delete: async (...args) => {
      if (method === 'delete') fail(args[0].map((file) => file.path));
      return remote.delete(...args);
    },
  });
}

const RENAMES = { trackRenames: { hash: true, modTime: false, leaf: false } };

describe('a review', () => {
  test.each([
    ['sync', {}],
    ['sync', { deletes: 'before' as const }],
    ['sync', { deletes: 'during' as const }],
    ['sync', { createEmptySrcDirs: true }],
    ['sync', RENAMES],
    ['move', {}],
    ['move', { deleteEmptySrcDirs: true }],
    ['copy', { maxTransfer: 100 }],
  ] as const)('%s with %o lists once, and does what the run alone does', async (verb, options) => {
    const files = { ...source, 'moved/here': 'a content', 'empty/': '' };
    const others = { ...dest, 'was/there': 'a content' };
    const [from, to] = [await remoteWith(files), await remoteWith(others)];
    const { run, left, missing, pages } = await review(verb, from, to, options);
    const [plainFrom, plainTo] = [await remoteWith(files), await remoteWith(others)];
    let plainPages = 0;
    const counted = (remote: Remote) =>
      remoteBut(remote, {
        listPage: (...args) => {
          plainPages++;
          return remote.listPage(...args);
        },
      });
    const plain = await runOnce(verb, counted(plainFrom), counted(plainTo), options);
    expect(run.error).toBeUndefined();
    expect([...left, ...missing]).toEqual([]);
    expect(await contentsOf(to)).toEqual(await contentsOf(plainTo));
    expect(await contentsOf(from)).toEqual(await contentsOf(plainFrom));
    // The source is looked at once more before anything is changed.
    expect(pages()).toBe(plainPages + 1);
    expect(run.transferred).toBe(plain.transferred);
  });

  test('leaves what has changed on either side while it was shown', async () => {
    const [from, to] = [await remoteWith(source), await remoteWith(dest)];
    const { left, run } = await review('sync', from, to, {}, undefined, async () => {
      await write(to, 'gone', 'changed in between');
      await write(to, 'fresh', 'somebody was faster');
      await write(from, 'changed', 'another content');
      await write(to, 'timed', 'not the time alone');
    });
    expect(run.error).toBeUndefined();
    expect(left.map(({ path, why }) => `${why} ${path}`).sort()).toEqual([
      'changed changed',
      'changed fresh',
      'changed gone',
      'changed timed',
    ]);
    expect(await contentsOf(to)).toMatchObject({
      gone: 'changed in between@0',
      fresh: 'somebody was faster@0',
      changed: 'old@1000',
      timed: 'not the time alone@0',
      'dir/a': 'a@1000',
    });
  });

  test('of a move deletes no source that has changed, or whose copy has, while it was shown', async () => {
    const [from, to] = [await remoteWith({ same: 's' }), await remoteWith({ same: 's' })];
    const { left } = await review('move', from, to, {}, undefined, () =>
      write(from, 'same', 'new'),
    );
    expect(left).toEqual([{ path: 'same', why: 'changed' }]);
    expect(await contentsOf(from)).toEqual({ same: 'new@0' });
    const [source, copy] = [await remoteWith({ same: 's' }), await remoteWith({ same: 's' })];
    const op = { signal: new AbortController().signal };
    const gone = await review('move', source, copy, {}, undefined, () =>
      copy.delete([{ kind: 'file', path: 'same', size: 1 }], op),
    );
    expect(gone.left).toEqual([{ path: 'same', why: 'changed' }]);
    expect(await contentsOf(source)).toEqual({ same: 's@1000' });
  });

  test('of a move deletes a source whose copy gets its time', async () => {
    const [from, to] = [await remoteWith({ f: ['s', 5] }), await remoteWith({ f: ['s', 6] })];
    const { left, run } = await review('move', from, to);
    expect([run.error, left]).toEqual([undefined, []]);
    expect(await contentsOf(from)).toEqual({});
    expect(await contentsOf(to)).toEqual({ f: 's@5' });
  });

  test('deletes, renames and times nothing by a source that has changed while it was shown', async () => {
    const from = await remoteWith({ keep: 'k', timed: ['t', 5], 'new/name': 'content' });
    const to = await remoteWith({ keep: 'k', timed: ['t', 6], gone: 'g', 'old/name': 'content' });
    const { left } = await review('sync', from, to, RENAMES, undefined, async () => {
      await write(from, 'gone', 'it is back');
      await write(from, 'timed', 'u');
      await write(from, 'new/name', 'other content');
    });
    expect(left.map(({ path }) => path).sort()).toEqual(['gone', 'new/name', 'timed']);
    expect(await contentsOf(to)).toEqual({
      keep: 'k@1000',
      timed: 't@6',
      gone: 'g@1000',
      'old/name': 'content@1000',
    });
  });

  test('deletes nothing if the source cannot be listed any more', async () => {
    const whole = await remoteWith({ a: 'a' });
    let isGone = false;
    const from = remoteBut(whole, {
      listPage: async (...args) => {
        if (isGone) throw new SyncerError('directory-not-found', 'directory not found');
        return whole.listPage(...args);
      },
    });
    const to = await remoteWith({ a: 'a', extra: 'x' });
    const { run } = await review('sync', from, to, {}, undefined, async () => {
      isGone = true;
    });
    expect(run.error?.code).toBe('directory-not-found');
    expect(await contentsOf(to)).toEqual({ a: 'a@1000', extra: 'x@1000' });
  });

  test('makes in another attempt what completes a chosen change, and no more', async () => {
    const from = failingOnce(await remoteWith({ n: 'n' }), 'delete', 'n');
    const moved = await review('move', from, await remoteWith({}), {}, undefined, undefined, 2);
    expect([moved.run.error, moved.left]).toEqual([undefined, []]);
    expect(await contentsOf(from)).toEqual({});

    const source = await remoteWith({ n1: 'xx', bad: 'b' });
    const dest = failingOnce(await remoteWith({ n2: 'xx' }), 'write', 'bad');
    const options = { ...RENAMES, lowLevelRetries: 1 };
    const meanwhile = () => write(dest, 'n2', 'edited');
    const renamed = await review('sync', source, dest, options, undefined, meanwhile, 2);
    expect(renamed.left).toEqual([{ path: 'n1', why: 'changed' }]);
    expect(await contentsOf(dest)).toEqual({ n2: 'edited@0', bad: 'b@1000' });
  });

  test('with --no-check-dest replaces what it did not look for', async () => {
    const [from, to] = [await remoteWith({ x: 'new' }), await remoteWith({ x: 'old!' })];
    const { left } = await review('copy', from, to, { noCheckDest: true });
    expect(left).toEqual([]);
    expect(await contentsOf(to)).toEqual({ x: 'new@1000' });
  });

  test('counts --max-delete of a move once', async () => {
    const [from, to] = [await remoteWith({ a: '1', b: '2' }), await remoteWith({ a: '1', b: '2' })];
    const { run } = await review('move', from, to, { budget: new Budget(2) });
    expect(run.error).toBeUndefined();
    expect(await contentsOf(from)).toEqual({});
  });

  test('never makes a change that was dropped, and makes all others', async () => {
    const names = fc.constantFrom('a', 'b', 'dir/a', 'dir/b', 'dir/deep/c', 'other/a', 'other/d');
    const tree = fc.dictionary(names, fc.constantFrom('x', 'yy', 'zzz'));
    await fc.assert(
      fc.asyncProperty(tree, tree, fc.array(fc.boolean()), async (ours, theirs, coins) => {
        const [from, to] = [await remoteWith(ours as Files), await remoteWith(theirs as Files)];
        const chosen: PlannedChange[] = [];
        let at = 0;
        const verdicts = new Map<PlannedChange, boolean>();
        const isChosen = (change: PlannedChange) => {
          const known = verdicts.get(change) ?? coins[at++] ?? true;
          if (!verdicts.has(change) && known) chosen.push(change);
          verdicts.set(change, known);
          return known;
        };
        const { left } = await review('sync', from, to, {}, isChosen);
        expect(left).toEqual([]);
        const wanted: Record<string, string> = {};
        for (const [path, text] of Object.entries(theirs)) wanted[path] = `${text}@1000`;
        for (const { kind, path } of chosen) {
          if (kind === 'delete') delete wanted[path];
          else if (kind !== 'remove-dir') wanted[path] = `${ours[path]}@1000`;
        }
        const files = Object.entries(await contentsOf(to)).filter(([path]) => !path.endsWith('/'));
        expect(Object.fromEntries(files)).toEqual(wanted);
      }),
      { numRuns: 40 },
    );
  });

  test('makes of a choice what --apply of the saved plan makes of it, in random trees with random flags', async () => {
    const names = fc.constantFrom('a', 'b', 'a.bak', 'dir/a', 'dir/b', 'other', 'other/d');
    const file = fc.tuple(fc.constantFrom('x', 'yy', 'zzz'), fc.constantFrom(1000, 1001));
    const tree = fc.dictionary(names, file).map(withoutClashes);
    const flags = fc.record(
      {
        deletes: fc.constantFrom('before', 'during', 'after'),
        createEmptySrcDirs: fc.boolean(),
        deleteEmptySrcDirs: fc.boolean(),
        immutable: fc.boolean(),
        trackRenames: fc.constant(RENAMES.trackRenames),
        checkFirst: fc.boolean(),
        suffix: fc.constant('.bak'),
        reference: fc.constantFrom('compare', 'copy'),
      },
      { requiredKeys: [] },
    );
    const verbs = fc.constantFrom<Verb>('copy', 'sync', 'move');
    const coins = fc.array(fc.boolean());
    await fc.assert(
      fc.asyncProperty(
        tree,
        tree,
        tree,
        verbs,
        flags,
        coins,
        async (ours, theirs, old, verb, given, coins) => {
          const { suffix, reference, deletes = 'after', ...plain } = given;
          const place = async () => {
            const [from, to] = [await remoteWith(ours), await remoteWith(theirs)];
            const options: OptionParts = {
              ...plain,
              // As of the flags: what sees all files deletes last.
              deletes: verb !== 'sync' ? 'off' : plain.trackRenames ? 'after' : deletes,
              ...(suffix && { backup: { remote: to, suffix, keepExtension: false } }),
              ...(reference && { references: { mode: reference, dirs: [await remoteWith(old)] } }),
            };
            const both = async () => [await contentsOf(from), await contentsOf(to)];
            return { from, to, options, both };
          };
          const [shown, saved] = [await place(), await place()];
          const isChosen = ({ path }: PlannedChange) => coins[path.length % 7] ?? true;
          const ofReview = await review(verb, shown.from, shown.to, shown.options, isChosen);
          const plan = await planOf(saved.from, saved.to, verb, saved.options).catch(
            () => undefined,
          );
          if (plan === undefined) return;
          const ofPlan = await apply(saved.from, saved.to, plan, isChosen, verb, saved.options);
          expect(await shown.both()).toEqual(await saved.both());
          expect(ofReview.left).toEqual(ofPlan.left);
          expect(ofReview.missing).toEqual(ofPlan.missing);
          expect(ofReview.run.error?.message).toEqual(ofPlan.run.error?.message);
        },
      ),
      { numRuns: 300 },
    );
  });
});

/** The files without those below another one. */
function withoutClashes(files: Readonly<Record<string, [string, number]>>): Files {
  const isBelow = (path: string) =>
    Object.keys(files).some((other) => path.startsWith(`${other}/`));
  return Object.fromEntries(Object.entries(files).filter(([path]) => !isBelow(path)));
}
