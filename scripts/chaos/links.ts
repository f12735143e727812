import type { Case, HardLink, Plan } from './case.ts';
import type { Dice } from './dice.ts';
import { waysFlags } from './make-flags.ts';
import { makeTrees } from './make-tree.ts';
import { plantedFiles } from './tree.ts';

/**
 * A place that shares files with another as hard links, and a command that renames onto such a file: what is there then
 * is right either way, but the old name must go.
 */
export function linkedCase(dice: Dice): Case {
  const { a, b } = makeTrees(dice, ['local']);
  const lot = dice.below(3);
  if (lot === 0) return linkedBackup(dice, a, b);
  return lot === 1 ? linkedMove(dice, a) : linkedName(dice, a);
}

/** `sync --backup-dir` into a copy of the destination that `cp -al` created. */
function linkedBackup(dice: Dice, a: Plan, b: Plan): Case {
  // A new time of a file that stays would be that of its backup, too.
  const extra = plantedFiles(b).filter(([path]) => !(path in a));
  const links = extra.map(([path]): HardLink => ({ of: ['b', path], as: ['c', path] }));
  const flags = ['--backup-dir={c}'];
  if (dice.chance(50))
    flags.push(dice.pick(['--delete-before', '--delete-during', '--delete-after', '--checksum']));
  const base: Case = {
    ...LOCAL,
    command: 'sync',
    flags,
    a,
    b,
    c: Object.fromEntries(extra),
    links,
  };
  return { ...base, flags: [...flags, ...waysFlags(dice, base)] };
}

/** `move --ignore-times` onto a linked copy of the source. */
function linkedMove(dice: Dice, a: Plan): Case {
  const same = plantedFiles(a);
  const links = same.map(([path]): HardLink => ({ of: ['a', path], as: ['b', path] }));
  const flags = dice.chance(70) ? ['--ignore-times'] : [];
  const base: Case = {
    ...LOCAL,
    command: 'move',
    flags,
    a,
    b: Object.fromEntries(same),
    c: {},
    links,
  };
  return { ...base, flags: [...flags, ...waysFlags(dice, base)] };
}

/** `moveto` of a file onto another name of it. */
function linkedName(dice: Dice, plan: Plan): Case {
  const [path, file] = dice.pick(plantedFiles(plan)) ?? ['a', [10, 1, '1000000000'] as const];
  const name = dice.pick([path, 'other', 'dir/other']);
  const flags = dice.chance(70) ? ['--ignore-times'] : [];
  const base: Case = {
    ...LOCAL,
    command: 'moveto',
    flags,
    a: { [path]: file },
    b: { [name]: file },
    c: {},
    path,
    name,
    links: [{ of: ['a', path], as: ['b', name] }],
  };
  return { ...base, flags: [...flags, ...waysFlags(dice, base)] };
}

const LOCAL = { from: 'local', to: 'local', within: true } as const;
