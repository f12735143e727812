import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Case, Plan } from './case.ts';
import type { Dice } from './dice.ts';
import { waysFlags } from './make-flags.ts';
import { makeTrees } from './make-tree.ts';
import { type Places, plantFiles } from './places.ts';
import { isBelow, NOTHING, type Tree, type World } from './tree.ts';

/** Set in the processes of trials that have a mount namespace of their own, whose mounts end with them. */
export const MAY_MOUNT = 'SYNCER_CHAOS_MOUNTS';

const INSIDE: Plan = {
  photo: [10, 40, '1000000000'],
  'd/other': [100, 41, '1300000000.25'],
  'empty/dir': 'dir',
};
const CHANGES = ['purge', 'purge', 'delete', 'delete', 'rmdirs', 'cleanup', 'dedupe'];

/** A tree with another file system mounted in it, and a command that changes the tree and is to leave that one alone. */
export function mountedCase(dice: Dice): Case {
  const trees = makeTrees(dice, ['local']);
  const dir = dice.pick(['mnt', 'mnt', 'd/mnt', 'mnt/deep/in']);
  const flags = ['--one-file-system'];
  if (dice.chance(15)) flags.push('--dry-run');
  const ground = { from: 'local', to: 'local', within: true } as const;
  const isMove = dice.chance(20);
  const command = isMove ? 'move' : dice.pick([...CHANGES, 'sync', 'sync']);
  const mounted = { side: isMove ? 'a' : 'b', dir, plan: INSIDE } as const;
  const base: Case = { ...ground, command, flags, ...trees, mounted };
  if (command === 'delete' && dice.chance(50)) flags.push('--rmdirs');
  if (command === 'rmdirs') flags.push('--leave-root');
  if (command === 'dedupe') flags.push('--by-hash', '--dedupe-mode=newest');
  if (isMove) flags.push('--delete-empty-src-dirs');
  if (command === 'sync' && dice.chance(40)) flags.push(dice.pick(['--backup-dir={c}', '--trash']));
  return { ...base, flags: [...flags, ...waysFlags(dice, base)] };
}

/** Mounts what the case says, at a place of this name; returns what ends that. */
export function mountInside({ folder }: Places, name: string, { mounted }: Case): () => void {
  if (mounted === undefined) return () => {};
  const at = join(folder, 'local', name, mounted.dir);
  mkdirSync(at, { recursive: true });
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'chaos', at]);
  plantFiles(at, mounted.plan);
  return () => execFileSync('umount', ['-l', at]);
}

/**
 * What a run with `--one-file-system` did to the file system that is mounted in a place.
 * @param code the exit code of the run
 */
export function mountedFaults(
  { mounted, flags, command }: Case,
  code: number | undefined,
  before: World,
  after: World,
): string[] {
  if (mounted === undefined) return [];
  const { side, dir } = mounted;
  const within = (tree: Tree) => [...tree.files].filter(([path]) => isBelow(path, dir));
  const [old, found] = [before[side] ?? NOTHING, after[side] ?? NOTHING];
  const faults: string[] = [];
  for (const [path, { content, time }] of within(old)) {
    const now = found.files.get(path);
    if (now?.content !== content || now.time !== time)
      faults.push(`${side}: ${path}, which is on another file system, is gone or changed`);
  }
  for (const each of old.dirs) {
    if (isBelow(each, dir) && !found.dirs.has(each))
      faults.push(`${side}: the directory ${each}, which is on another file system, is gone`);
  }
  // A move may fail at a file of the destination; `purge` fails because the mount stays.
  const isEmptied = ['purge', 'delete'].includes(command) || (command === 'move' && code === 0);
  for (const path of isEmptied && !flags.includes('--dry-run') ? found.files.keys() : [])
    if (!isBelow(path, dir)) faults.push(`${side}: ${path} is still there`);
  return faults;
}

/** Whether a case can run in this process. */
export function canRun({ mounted }: Case): boolean {
  return mounted === undefined || process.env[MAY_MOUNT] !== undefined;
}
