import fs from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { SmallCopies } from '../../src/backends/local/small-copies.ts';

/** How a disk of `foldsNames` numbers its files: all spellings of a name alike, or each by itself (exfat-fuse). */
export type FoldedInodes = 'one' | 'apart';

/** Calls of `fs` whose first argument is a path of something that may be there. */
const PATH_CALLS = [
  ...['lstatSync', 'statSync', 'existsSync', 'opendirSync', 'readdirSync', 'readFileSync'],
  ...['rmdirSync', 'unlinkSync', 'utimesSync', 'lutimesSync', 'chmodSync'],
  ...['lchownSync', 'readlinkSync', 'truncateSync', 'mkdirSync', 'openSync', 'watch'],
] as const;

/** The type of the file system (linux/magic.h). */
const FUSE = 0x65735546;

const calls = fs as unknown as Record<string, (...args: unknown[]) => unknown>;
const promises = fs.promises as unknown as typeof calls;

/**
 * Makes the disk below a folder ignore case, for what this process does by Node's `fs`: a name that is there is found in
 * other letters, and a renamed file replaces it. Returns what ends that.
 *
 * @param which whether names in this directory, below `root`, are folded
 */
export function foldsNames(
  root: string,
  inodes: FoldedInodes,
  which: (dir: string) => boolean = () => true,
): () => void {
  const { lstatSync, readdirSync, renameSync } = fs;
  const undo: (() => void)[] = [];
  const replace = (
    owner: typeof calls,
    name: string,
    by: (real: (typeof calls)[string]) => (typeof calls)[string],
  ) => {
    const real = owner[name] as (typeof calls)[string];
    owner[name] = Object.assign(by(real), real);
    undo.unshift(() => {
      owner[name] = real;
    });
  };

  /** The path in the letters of the disk. */
  const spelt = (given: unknown): string => {
    const path = Buffer.isBuffer(given) ? given.toString('latin1') : String(given);
    if (!path.startsWith(`${root}/`)) return path;
    let at = root;
    for (const name of path.slice(root.length + 1).split('/')) at = join(at, nameIn(at, name));
    return at;
  };
  const nameIn = (dir: string, name: string): string => {
    if (lstatSync(join(dir, name), { throwIfNoEntry: false }) !== undefined) return name;
    if (!which(dir.slice(root.length + 1))) return name;
    try {
      const isIt = (other: string) => other.toLowerCase() === name.toLowerCase();
      return readdirSync(dir).find(isIt) ?? name;
    } catch {
      return name;
    }
  };
  const isOurs = (path: unknown) => typeof path === 'string' && path.startsWith(`${root}/`);
  /** Another number for each spelling. */
  const numbered = (given: unknown, path: string, stats: unknown): unknown => {
    if (inodes === 'one' || given === path || stats === undefined) return stats;
    const found = stats as { ino: number | bigint };
    const more = [...String(given)].reduce((sum, char) => sum + (char.codePointAt(0) ?? 0), 1);
    found.ino = typeof found.ino === 'bigint' ? found.ino + BigInt(more) : found.ino + more;
    return stats;
  };
  const byPath =
    (real: (typeof calls)[string]) =>
    (given: unknown, ...rest: unknown[]) => {
      if (!isOurs(given)) return real.call(fs, given, ...rest);
      const path = spelt(given);
      const result = real.call(fs, path, ...rest);
      if (result instanceof Promise) return result.then((stats) => numbered(given, path, stats));
      return result instanceof fs.Stats || typeof (result as fs.BigIntStats)?.ino === 'bigint'
        ? numbered(given, path, result)
        : result;
    };
  for (const name of PATH_CALLS) replace(calls, name, byPath);
  for (const name of ['lstat', 'stat', 'open', 'unlink', 'readdir', 'opendir'])
    replace(promises, name, byPath);
  replace(fs.realpathSync as unknown as typeof calls, 'native', byPath);
  replace(calls, 'realpathSync', byPath);
  replace(calls, 'statfsSync', (real) => (given) => {
    const stats = real.call(fs, isOurs(given) ? spelt(given) : given) as fs.StatsFs;
    return isOurs(given) || given === root ? Object.assign(stats, { type: FUSE }) : stats;
  });
  const byBoth =
    (real: (typeof calls)[string]) =>
    (from: unknown, to: unknown, ...rest: unknown[]) =>
      real.call(fs, isOurs(from) ? spelt(from) : from, isOurs(to) ? spelt(to) : to, ...rest);
  for (const name of ['copyFileSync', 'linkSync']) replace(calls, name, byBoth);
  replace(promises, 'copyFile', byBoth);
  replace(calls, 'renameSync', () => (from: unknown, to: unknown) => {
    const source = isOurs(from) ? spelt(from) : (from as string);
    if (isOurs(from) !== isOurs(to))
      throw Object.assign(new Error('EXDEV: cross-device link'), { code: 'EXDEV' });
    if (!isOurs(to)) return renameSync(source, to as string);
    const there = spelt(to);
    const target = join(spelt(dirname(to as string)), basename(to as string));
    // Linux does nothing where both names are of one inode.
    if (there === source && target !== source && inodes === 'one') return undefined;
    if (there !== target && there !== source && lstatSync(there, { throwIfNoEntry: false }))
      renameSync(source, there);
    renameSync(lstatSync(source, { throwIfNoEntry: false }) ? source : there, target);
    return undefined;
  });
  // What is done by the C library knows nothing of this.
  replace(SmallCopies.prototype as unknown as typeof calls, 'copy', () => async () => false);
  return () => {
    for (const each of undo) each();
  };
}
