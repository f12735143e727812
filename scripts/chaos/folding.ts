import { join } from 'node:path';
import { joinPath, leafName, parentPath } from '../../src/core/remote-path.ts';
import { foldsNames } from '../../test/support/folding-disk.ts';
import type { Case, Plan, Planted } from './case.ts';
import type { Dice } from './dice.ts';
import { makeTrees } from './make-tree.ts';
import type { Places } from './places.ts';
import { NOTHING, type Tree, type World } from './tree.ts';

const FLAGS = [
  ...['--checksum', '--ignore-times', '--fix-case', '--no-traverse', '--transfers=1'],
  ...['--create-empty-src-dirs', '--backup-dir={c}', '--min-size=1B', '--local-case-sensitive'],
];
const DELETES = ['--delete-before', '--delete-during', '--delete-after', '--track-renames'];

/** A tree that goes to a disk that ignores case, where some of its files are in other letters. */
export function foldedCase(dice: Dice): Case {
  const from = dice.pick(['local', 'local', 's3', 'drive'] as const);
  const { a, b } = makeTrees(dice, ['drive']);
  const command = dice.pick(['copy', 'sync', 'sync', 'move']);
  const flags = FLAGS.filter(
    (flag) => dice.chance(15) && !(command === 'sync' && /trav/.test(flag)),
  );
  if (command === 'sync' && dice.chance(50)) flags.push(dice.pick(DELETES));
  const inodes = dice.pick(['one', 'apart'] as const);
  let id = 0;
  const unlike = (plan: Plan, spell: (path: string) => readonly string[]): Plan => {
    const made: Record<string, Planted> = {};
    for (const [path, what] of Object.entries(plan)) {
      const names = typeof what === 'string' ? [path] : spell(path);
      for (const name of names) {
        made[name] = typeof what === 'string' ? what : [10 + ++id, id, what[2]];
      }
    }
    return made;
  };
  // A disk that ignores case has each directory in one spelling.
  const other = (path: string) =>
    dice.chance(50) ? joinPath(parentPath(path), leafName(path).toUpperCase()) : path;
  const twice = (path: string) =>
    dice.chance(15) && from !== 'drive' ? [path, path.toUpperCase()] : [path];
  const trees = { a: unlike(a, twice), b: unlike(b, (path) => [other(path)]) };
  return { from, to: 'local', command, flags, ...trees, folds: inodes };
}

/** Makes the disk of a place ignore case; returns what ends that. */
export function foldPlace({ folder }: Places, name: string, { folds }: Case): () => void {
  return folds === undefined ? () => {} : foldsNames(join(folder, 'local', name), folds);
}

/** What a run to a disk that ignores case has lost, or has not copied although it says so. */
export function foldingFaults(before: World, after: World, code: number | undefined): string[] {
  const places = [after.a, after.b, after.c].map((tree) => tree ?? NOTHING);
  const left = new Set(places.flatMap(({ files }) => [...files.values()].map(contentOf)));
  const there = folded(after.b);
  const faults: string[] = [];
  for (const [path, { content }] of before.a?.files ?? []) {
    if (!left.has(content)) faults.push(`a: ${path} (${content}) is lost`);
    else if (code === 0 && there.get(path.toLowerCase()) !== content)
      faults.push(`b: ${path} (${content}) is missing, and the exit code is 0`);
  }
  return faults;
}

const contentOf = ({ content }: { readonly content: string }) => content;

function folded(tree: Tree | undefined): Map<string, string> {
  const files = [...(tree ?? NOTHING).files];
  return new Map(files.map(([path, { content }]) => [path.toLowerCase(), content]));
}
