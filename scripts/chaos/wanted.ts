import type { FoundFile, SideName, Tree, World } from './tree.ts';

/** What a path is to hold after a run. */
export interface WantedFile {
  /** Contents that are right. */
  readonly contents: readonly string[];
  /** Times that are right, in nanoseconds; any where absent. */
  readonly times?: readonly bigint[];
  /** The path may as well hold nothing. */
  readonly optional?: boolean;
}

/** What a place is to hold after a run. */
export interface WantedTree {
  readonly files: Map<string, WantedFile>;
  /** Directories that must be there, and that may be; `undefined`: they are not looked at. */
  readonly dirs: { readonly must: Set<string>; readonly may: Set<string> } | undefined;
  /** So many of the optional files must be there. */
  readonly optionalCount?: number;
  /** How far times may be off, in nanoseconds. */
  readonly window: bigint;
}

/** What a run is to do. */
export interface Prediction extends Partial<Record<SideName, WantedTree>> {
  /** `fail`: any number but 0. */
  readonly exit: number | 'fail' | 'any';
  /** What the same run does a second time: nothing. */
  readonly settles: boolean;
  /** Standard output, sorted by lines where the order is open. */
  readonly output?: readonly string[];
  /** Of places that are not named nothing is known; otherwise they stay as they are. */
  readonly isOpen?: boolean;
}

/** A file that stays as it was. */
export function kept(file: FoundFile): WantedFile {
  return { contents: [file.content], times: [file.time] };
}

/** Files that stay as they were. */
export function keptFiles({ files }: Tree): Map<string, WantedFile> {
  return new Map([...files].map(([path, file]) => [path, kept(file)]));
}

/** A tree that stays as it was. */
export function unchanged(tree: Tree): WantedTree {
  return {
    files: keptFiles(tree),
    dirs: { must: new Set(tree.dirs), may: new Set(tree.dirs) },
    window: 1000n,
  };
}

/** A run that changes nothing. */
export function nothingChanges(world: World, exit: Prediction['exit']): Prediction {
  return {
    exit,
    settles: exit === 0,
    ...(world.a === undefined ? {} : { a: unchanged(world.a) }),
    ...(world.b === undefined ? {} : { b: unchanged(world.b) }),
    ...(world.c === undefined ? {} : { c: unchanged(world.c) }),
  };
}

/** Where a tree differs from what was wanted, one line each. */
export function differences(side: string, found: Tree, wanted: WantedTree): string[] {
  const faults: string[] = [];
  let optional = 0;
  for (const [path, { contents, times, optional: mayMiss }] of wanted.files) {
    const file = found.files.get(path);
    if (file === undefined) {
      if (mayMiss !== true) faults.push(`${side}: ${path} is missing (${contents.join(' or ')})`);
      continue;
    }
    if (mayMiss === true) optional++;
    if (!contents.includes(file.content)) {
      faults.push(`${side}: ${path} holds ${file.content}, not ${contents.join(' or ')}`);
    } else if (times?.every((time) => isOff(time - file.time, wanted.window)) === true) {
      faults.push(`${side}: ${path} has the time ${file.time}, not ${times.join(' or ')}`);
    }
  }
  for (const path of found.files.keys()) {
    if (!wanted.files.has(path)) faults.push(`${side}: ${path} should not be there`);
  }
  const { dirs, optionalCount } = wanted;
  if (optionalCount !== undefined && optional !== optionalCount) {
    faults.push(`${side}: ${optional} files were left, not ${optionalCount}`);
  }
  if (dirs === undefined) return faults;
  for (const dir of dirs.must) {
    if (!found.dirs.has(dir)) faults.push(`${side}: the directory ${dir} is missing`);
  }
  for (const dir of found.dirs) {
    if (!dirs.may.has(dir) && !dirs.must.has(dir)) {
      faults.push(`${side}: the directory ${dir} should not be there`);
    }
  }
  return faults;
}

function isOff(difference: bigint, window: bigint): boolean {
  return difference >= window || difference <= -window;
}
