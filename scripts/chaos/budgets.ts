import type { Case, Planted } from './case.ts';
import type { Dice } from './dice.ts';
import { waysFlags } from './make-flags.ts';
import { makeTrees } from './make-tree.ts';
import { clashes, plantedFiles } from './tree.ts';

/** Where earlier runs with `--trash` moved files. */
export const TRASH = '.syncer-trash/';

/** A command that may delete a number of files, and at times just as many as it needs to. */
export function budgetCase(dice: Dice): Case {
  const lot = dice.below(3);
  if (lot === 0) return trashCase(dice);
  return lot === 1 ? versionsCase(dice) : moveCase(dice);
}

/** `trash empty`: what is deleted there is gone. */
function trashCase(dice: Dice): Case {
  const { a, b } = makeTrees(dice, ['local']);
  const kept: Record<string, Planted> = {};
  for (const [path, what] of plantedFiles(a)) {
    const run = dice.pick(['20240102-030405-abcd', '20250203-040506-efgh']);
    kept[`${TRASH}${run}/${path}`] = what;
  }
  const limit = `--max-delete=${dice.pick([0, 1, 2, plantedFiles(a).length, 100])}`;
  const flags = ['--older-than=0s', ...(dice.chance(80) ? [limit] : [])];
  return { ...LOCAL, command: 'trash empty', flags, b: { ...b, ...kept } };
}

/** `versions prune` of files that were written several times. */
function versionsCase(dice: Dice): Case {
  const { b } = makeTrees(dice, ['s3']);
  const few = Object.fromEntries(plantedFiles(b).slice(0, 3));
  const flags = [`--keep=${dice.below(2)}`, `--max-delete=${dice.below(5)}`];
  return {
    from: 'local',
    to: 's3',
    command: 'versions prune',
    flags,
    b: few,
    versions: 2 + dice.below(3),
  };
}

/** `move` as copies and deletions, with the budget that it needs: what is replaced or fails takes nothing of it. */
function moveCase(dice: Dice): Case {
  const [from, to] = dice.pick([
    ['s3', 'local'],
    ['local', 's3'],
    ['drive', 'local'],
  ] as const);
  const trees = makeTrees(dice, [from, to]);
  const files = plantedFiles(trees.a);
  const moved = files.filter(([path]) => path in trees.b || !clashes(trees.b, path));
  const flags = [`--max-delete=${to === 'local' ? moved.length : files.length}`];
  const base: Case = { from, to, command: 'move', flags, ...trees, within: true };
  return { ...base, flags: [...flags, ...waysFlags(dice, base)] };
}

const LOCAL = { from: 'local', to: 'local', within: true } as const;
