import type { Case, PlaceKind } from './case.ts';
import { Dice } from './dice.ts';
import { filterFlags, syncFlags, waysFlags } from './make-flags.ts';
import { makeMany, makeTrees, type TwoTrees } from './make-tree.ts';

const PAIRS: readonly (readonly [PlaceKind, PlaceKind])[] = [
  ...([
    ['local', 'local'],
    ['local', 's3'],
    ['s3', 'local'],
    ['s3', 's3'],
    ['local', 's3'],
  ] as const),
  ...([
    ['local', 'drive'],
    ['drive', 'local'],
    ['drive', 'drive'],
    ['s3', 'drive'],
  ] as const),
];

/** The case of a seed. */
export function makeCase(seed: number): Case {
  const dice = new Dice(seed);
  const [from, to] = dice.pick(PAIRS);
  const command = dice.pick(['copy', 'sync', 'sync', 'move']);
  const trees = dice.chance(1) ? manyFiles(dice) : makeTrees(dice, [from, to]);
  const base: Case = { command, from, to, flags: [], ...trees };
  const flags = [
    ...(dice.chance(35) ? filterFlags(dice) : []),
    ...syncFlags(dice, base),
    ...waysFlags(dice, base),
  ];
  if (dice.chance(8)) flags.push('--dry-run');
  const { a, b, ...rest } = base;
  return {
    ...rest,
    flags,
    ...(dice.chance(60) ? { within: true as const } : {}),
    ...(dice.chance(3) ? {} : { a }),
    ...(dice.chance(12) ? {} : { b }),
  };
}

/** One side has so many files that pages and batches are full. */
function manyFiles(dice: Dice): TwoTrees {
  const many = makeMany(dice, 1003);
  const [path] = Object.keys(many);
  const few = { [path ?? '']: many[path ?? ''] ?? 'dir' };
  return dice.chance(60) ? { a: few, b: many, c: {} } : { a: many, b: few, c: {} };
}
