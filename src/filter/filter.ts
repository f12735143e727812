import type { Metadata } from '../core/entry-details.ts';
import type { ModTime } from '../core/mod-time.ts';
import { foldName } from '../core/name-order.ts';
import type { FilterNeeds } from '../core/remote-calls.ts';
import { isWithin, parentPath } from '../core/remote-path.ts';

/** What a filter reads of a file. */
export interface FilterSubject {
  /** Relative to the root of the transfer. */
  readonly path: string;
  /** In bytes; -1 unknown. */
  readonly size: number;
  /** Needed where `needsModTime`; a file whose time is unknown passes every age rule. */
  readonly modTime?: ModTime;
  /** When the store wrote the file; with `usesStoredTime` this is its time. */
  readonly storedTime?: ModTime;
  /** Needed where `needsMetadata`. */
  readonly metadata?: Metadata;
}

/** What decides whether an entry belongs to a run. */
export interface FilterVerdict {
  readonly keeps: boolean;
  /** The rule in the words of the user: `- *.tmp`, `200 bytes are more than 100`. Absent: nothing is against it. */
  readonly rule?: string;
  /** Where it stands: `--exclude`, `--filter-from rules.txt, line 3`. */
  readonly from?: string;
}

/** Which files a run works on: rclone's filter flags, ready to be asked. Pure: it reads no disk and no clock. */
export interface Filter extends FilterNeeds {
  /** No flag was given: everything passes. */
  readonly passesAll: boolean;
  /** A flag other than `--max-depth` was given. */
  readonly hasRules: boolean;
  /** Size, age or other files decide, too: a file that paths admit may still be excluded. */
  readonly looksBeyondPaths?: boolean;
  /** Excluded files at the destination are deleted too (`--delete-excluded`). */
  readonly deleteExcluded: boolean;
  /** The filter of the destination with `deleteExcluded`; absent: everything passes there. */
  readonly unruled?: Filter;
  /** Names of files that exclude the directory they lie in (`--exclude-if-present`). */
  readonly markerFiles: readonly string[];
  /** Directories deeper than this are not listed; 1 is the root alone; -1 no limit (`--max-depth`). */
  readonly maxDepth: number;
  /** The exact files to work on (`--files-from`); the rules do not apply then. */
  readonly fileList: ReadonlySet<string> | undefined;
  /** Rules exclude whole directories: to list one by one may cost less than to list everything below the root. */
  readonly prunesDirs?: boolean;
  /** Whether the file belongs to the run. */
  keepFile(file: FilterSubject): boolean;
  /** Whether a file of this path belongs to the run as far as paths tell, whatever its size and age. */
  keepPath(path: string): boolean;
  /** Whether anything below the directory can belong to the run; where not, it is not listed. */
  keepDir(path: string): boolean;
  /** What decides about a file; `keepFile` says the same. */
  explainFile(file: FilterSubject): FilterVerdict;
  /** What decides about a directory; `keepDir` says the same. */
  explainDir(path: string): FilterVerdict;
  /** The rules as `--dump filters` prints them, between its first and last line. */
  describe(): string;
}

/** The filter of a run without filter flags. */
export const passAllFilter: Filter = {
  passesAll: true,
  hasRules: false,
  needsModTime: false,
  deleteExcluded: false,
  markerFiles: [],
  maxDepth: -1,
  fileList: undefined,
  keepFile: () => true,
  keepPath: () => true,
  keepDir: () => true,
  explainFile: () => ({ keeps: true }),
  explainDir: () => ({ keeps: true }),
  describe: () => '--- File filter rules ---\n--- Directory filter rules ---',
};

/** A filter for a command whose source is one file: that file and no other; the rules do not apply to it. */
export function onlyFile(path: string): Filter {
  return {
    ...passAllFilter,
    passesAll: false,
    hasRules: true,
    fileList: new Set([path]),
    keepFile: (file) => file.path === path,
    keepPath: (name) => name === path,
    keepDir: (dir) => isWithin(dir, path),
    explainFile: (file) => ({ keeps: file.path === path }),
    explainDir: (dir) => ({ keeps: isWithin(dir, path) }),
  };
}

/** Equal for names that a destination may not distinguish. */
const folded = (path: string) => foldName(path.normalize('NFC'));
const foldedAll = (paths: ReadonlySet<string>) => new Set([...paths].map(folded));

/**
 * The filter for one path and the directories above it. A name that differs in case or in its Unicode form only is the
 * same: the destination may have it so.
 */
export function onlyPath(filter: Filter, path: string): Filter {
  const wanted = folded(path);
  const isIt = (one: string) => folded(one) === wanted;
  const isAbove = (dir: string) => isWithin(folded(dir), wanted);
  const only = (inner: Filter): Filter => ({
    ...inner,
    passesAll: false,
    hasRules: true,
    prunesDirs: true,
    fileList: inner.fileList && new Set([...inner.fileList].filter(isIt)),
    keepFile: (file) => isIt(file.path) && inner.keepFile(file),
    keepPath: (one) => isIt(one) && inner.keepPath(one),
    keepDir: (dir) => isAbove(dir) && inner.keepDir(dir),
  });
  return { ...only(filter), unruled: only(passAllFilter) };
}

/** Directories that changed: of some the entries alone, of the `whole` ones anything below them. */
export interface ChangedDirs {
  readonly dirs: ReadonlySet<string>;
  readonly whole: ReadonlySet<string>;
}

/**
 * The filter for what changed and nothing else, names compared as in `onlyPath`. What it leaves out stays at the
 * destination, whatever `--delete-excluded` says.
 */
export function onlyChanged(filter: Filter, changed: ChangedDirs): Filter {
  const [dirs, whole] = [foldedAll(changed.dirs), foldedAll(changed.whole)];
  const above = new Set<string>();
  for (const dir of [...dirs, ...whole]) {
    for (let at = dir; !above.has(at); at = parentPath(at)) above.add(at);
  }
  const isBelowWhole = (dir: string) => {
    for (let at = dir; ; at = parentPath(at)) {
      if (whole.has(at)) return true;
      if (at === '') return false;
    }
  };
  const isKept = (dir: string) => dirs.has(dir) || isBelowWhole(dir);
  const keepIn = (dir: string) => isKept(folded(dir));
  return {
    ...filter,
    passesAll: false,
    hasRules: true,
    deleteExcluded: false,
    prunesDirs: true,
    keepFile: (file) => keepIn(parentPath(file.path)) && filter.keepFile(file),
    keepPath: (path) => keepIn(parentPath(path)) && filter.keepPath(path),
    keepDir(dir) {
      const name = folded(dir);
      return (above.has(name) || isBelowWhole(name)) && filter.keepDir(dir);
    },
  };
}
