import fs from 'node:fs';
import { foldName } from '../../core/name-order.ts';
import { areAlike, leafName } from '../../core/remote-path.ts';
import { fsPath, joinNative } from '../../system/fs-path.ts';
import { isFsError } from './fs-error.ts';
import { lstat, parentOf } from './local-entry.ts';
import type { LocalSettings } from './local-settings.ts';
import { namesIn } from './partial-file.ts';

/** How the names of a directory are compared. */
export type Comparing =
  | 'exact'
  /** Case is ignored. */
  | 'folded'
  /** Case is ignored, and each spelling of a name has an inode number of its own. */
  | 'folded-apart';

/** File systems that always ignore case (linux/magic.h): FAT and exFAT. */
const FOLDING_TYPES = new Set([0x4d44, 0x2011bab0]);
/** File systems that never do: Btrfs, and those of the kernel. */
const EXACT_TYPES = new Set([0x9123683e, 0x9fa0, 0x62656572]);

/** File systems with directories that do so if the kernel can: ext4, F2FS, tmpfs. */
const PARTLY_TYPES = new Map([
  [0xef53, 'ext4'],
  [0xf2f52010, 'f2fs'],
  [0x01021994, 'tmpfs'],
]);

/** What is used of a `LocalDisk`. */
interface NamedDisk {
  readonly settings: Pick<LocalSettings, 'root' | 'caseInsensitive'>;
  newPartial(target: string): string;
}

/**
 * How names are compared, determined by looking up a name that is there in other letters: once for each directory, as
 * a mount may be in any, and one of ext4 may ignore case by itself. Paths are absolute and native.
 */
export class DiskNaming {
  readonly #disk: NamedDisk;
  readonly #known = new Map<string, Comparing>();
  readonly #exact = new Map<string, ReadonlySet<string>>();

  constructor(disk: NamedDisk) {
    this.#disk = disk;
  }

  /**
   * How a directory compares names; `undefined` if nothing in it shows that. A missing one is as the one above it.
   *
   * @param listed the name of an entry, in ASCII and with a letter, that was just seen there
   */
  comparing(dir: string, listed?: string): Comparing | undefined {
    if (this.#disk.settings.caseInsensitive === true) return 'folded';
    const known = this.#known.get(dir);
    if (known !== undefined) return known;
    const found = listed === undefined ? this.#lookInto(dir) : comparingBy(dir, listed);
    if (found === undefined) return undefined;
    if (this.#known.size >= 16_384) this.#known.clear();
    this.#known.set(dir, found);
    return found;
  }

  /** Whether a directory ignores case, or is said to: how names are matched. */
  ignoresCase(dir: string, listed?: string): boolean | undefined {
    const { caseInsensitive } = this.#disk.settings;
    if (caseInsensitive !== undefined) return caseInsensitive;
    const found = this.comparing(dir, listed);
    return found && found !== 'exact';
  }

  /** An absolute path in the form that all its spellings have, if names are matched by it. */
  fold(path: string): string {
    return this.#disk.settings.caseInsensitive === false ? path : this.foldReally(path);
  }

  /** As `fold`, whatever the disk is said to do. */
  foldReally(path: string): string {
    let folded = '';
    let dir = '/';
    for (const name of path.split('/')) {
      if (name === '') continue;
      this.#noteBy(dir, name);
      const compared = this.comparing(dir);
      const folds = compared !== undefined && compared !== 'exact';
      folded += `/${folds ? foldName(name) : name}`;
      dir = joinNative(dir, name);
    }
    return folded;
  }

  /** Whether two paths are spellings of one, as far as case is concerned. */
  isOnePath(path: string, other: string): boolean {
    if (path === other) return true;
    if (foldName(path) !== foldName(other)) return false;
    return this.foldReally(path) === this.foldReally(other);
  }

  /** See `Naming.areOne`. */
  areOne(dir: string, name: string, other: string, mayTry: boolean): boolean {
    if (name === other) return true;
    if (!areAlike(name, other)) return false;
    if (foldName(name) === foldName(other)) {
      const compared = this.comparing(dir);
      if (compared !== undefined) return compared !== 'exact';
    }
    const isThere = [name, other].map((each) => exists(joinNative(dir, each)));
    if (isThere.includes(true)) {
      if (isThere.includes(false)) return false;
      const names = namesIn(dir);
      return !(names.includes(name) && names.includes(other));
    }
    return mayTry && this.#tries(dir, name, other);
  }

  /** See `Naming.otherSpelling`. */
  otherSpelling(path: string): string | undefined {
    const [dir, leaf] = [parentOf(path), leafName(path)];
    const lower = foldName(leaf);
    const cased =
      this.ignoresCase(dir) === true ? [] : [lower, lower === leaf ? leaf.toUpperCase() : leaf];
    const forms = isAscii(leaf) ? [] : [leaf.normalize('NFC'), leaf.normalize('NFD')];
    const found = [...new Set([...cased, ...forms])].filter(
      (other) => other !== leaf && exists(joinNative(dir, other)),
    );
    if (found.length === 0) return undefined;
    const names = namesIn(dir);
    return names.includes(leaf) ? found.find((other) => !names.includes(other)) : found[0];
  }

  /**
   * A file is at a path where none was listed: `undefined` if its directory has the very name, so that another program
   * created it. Otherwise its path as its directory has it, `''` if that is not known.
   */
  foundAs(path: string): string | undefined {
    const isExact = this.comparing(parentOf(path)) === 'exact';
    if (isExact && isAscii(leafName(path))) return undefined;
    const { root } = this.#disk.settings;
    for (let at = path; at.length > root.length; at = parentOf(at)) {
      const [dir, leaf] = [parentOf(at), leafName(at)];
      if (this.#has(dir, leaf)) continue;
      const found = namesIn(dir).find((name) => areAlike(name, leaf));
      return found === undefined ? '' : joinNative(dir, found) + path.slice(at.length);
    }
    return undefined;
  }

  /** Whether a directory has exactly this name. */
  #has(dir: string, name: string): boolean {
    if (this.#exact.get(dir)?.has(name) === true) return true;
    const names = new Set(namesIn(dir));
    if (this.#exact.size >= 32) this.#exact.clear();
    this.#exact.set(dir, names);
    return names.has(name);
  }

  #lookInto(dir: string): Comparing | undefined {
    let sample: string | undefined;
    try {
      sample = nameWithLetters(dir);
    } catch (thrown) {
      const isMissing = isFsError(thrown, 'ENOENT') && dir !== '/';
      return isMissing ? this.comparing(parentOf(dir)) : undefined;
    }
    const found = sample && comparingBy(dir, sample);
    // That letters beyond ASCII differ says nothing about others.
    if (found && (found !== 'exact' || isAscii(sample ?? ''))) return found;
    return this.#byType(dir);
  }

  #byType(dir: string): Comparing | undefined {
    let type = 0;
    try {
      type = fs.statfsSync(fsPath(dir)).type;
    } catch {
      // Not known.
    }
    if (FOLDING_TYPES.has(type)) return 'folded';
    if (EXACT_TYPES.has(type)) return 'exact';
    const partly = PARTLY_TYPES.get(type);
    if (partly !== undefined) {
      return fs.existsSync(`/sys/fs/${partly}/features/casefold`) ? undefined : 'exact';
    }
    const above = parentOf(dir);
    if (above === dir || lstat(above)?.dev !== lstat(dir)?.dev) return undefined;
    this.#noteBy(above, leafName(dir));
    const found = this.comparing(above);
    return found === 'exact' ? undefined : found;
  }

  /** Determines how a directory compares names by one that may be in it. */
  #noteBy(dir: string, name: string): void {
    if (this.#known.has(dir) || !isSample(name)) return;
    if (exists(joinNative(dir, name))) this.comparing(dir, name);
  }

  /** Creates a temporary file with one name in its own, and looks it up by the other. */
  #tries(dir: string, name: string, other: string): boolean {
    let there = dir;
    while (there !== '/' && !fs.existsSync(fsPath(there))) there = parentOf(there);
    const [a, b] = unlikeParts(name, other);
    try {
      const path = this.#disk.newPartial(joinNative(there, a));
      fs.closeSync(fs.openSync(fsPath(path), 'wx', 0o600));
      try {
        const leaf = leafName(path);
        return exists(joinNative(there, `.${b}${leaf.slice(1 + a.length)}`));
      } finally {
        fs.unlinkSync(fsPath(path));
      }
    } catch {
      // What is written there next says why.
      return false;
    }
  }
}

/** How names are compared, by one that is there; `undefined` if it is not. */
function comparingBy(dir: string, name: string): Comparing | undefined {
  const other = swapCase(name);
  const found = lstat(joinNative(dir, other));
  if (found === undefined) return 'exact';
  const own = lstat(joinNative(dir, name));
  if (own === undefined) return undefined;
  const isOne = own.ino === found.ino && own.dev === found.dev;
  if (isOne && (own.nlink === 1n || own.isDirectory())) return 'folded';
  const all = namesIn(dir);
  if (all.includes(name) && all.includes(other)) return 'exact';
  return isOne ? 'folded' : 'folded-apart';
}

/** Whether a name shows how names with ASCII letters are compared. */
export const isSample = (name: string): boolean => /[a-z]/i.test(name) && isAscii(name);

/** A name in a directory, with ASCII letters if one of the first has them. Throws as `fs` does. */
function nameWithLetters(dir: string): string | undefined {
  const reading = fs.opendirSync(fsPath(dir));
  try {
    let found: string | undefined;
    for (let n = 0; n < 1000; n++) {
      const name = reading.readSync()?.name;
      if (name === undefined) break;
      if (isSample(name)) return name;
      if (!name.includes('\ufffd') && swapCase(name) !== name) found ??= name;
    }
    return found;
  } finally {
    reading.closeSync();
  }
}

const isAscii = (name: string): boolean => /^[\x20-\x7e]*$/.test(name);

function swapCase(name: string): string {
  const swapped = (char: string) => {
    const lower = char.toLowerCase();
    return lower === char ? char.toUpperCase() : lower;
  };
  return [...name].map(swapped).join('');
}

/** Two names from where they begin to differ to where they end to, if they are long. */
function unlikeParts(name: string, other: string): readonly [string, string] {
  const longest = 30;
  if (Math.max(name.length, other.length) <= longest) return [name, other];
  let from = 0;
  while (name[from] === other[from]) from++;
  // A mark belongs to the letter before it.
  from = Math.max(0, from - 1);
  return [name.slice(from, from + longest), other.slice(from, from + longest)];
}

const exists = (path: string): boolean => lstat(path) !== undefined;
