import { foldName } from './name-order.ts';

/**
 * Paths inside a remote: segments joined by `/`, no leading or trailing slash, `''` is the root.
 * Segments are names in the internal encoding (see `name-encoding.ts`).
 */

/**
 * A typed path in this form: extra slashes are dropped, and `.` and `..` mean what they mean on a disk, as in rclone
 * 1.60.1.
 */
export function cleanPath(typed: string): string {
  const segments: string[] = [];
  for (const segment of typed.split('/')) {
    if (segment === '..') segments.pop();
    else if (segment !== '' && segment !== '.') segments.push(segment);
  }
  return segments.join('/');
}

/** Joins two paths; either may be the root. */
export function joinPath(dir: string, rest: string): string {
  if (dir === '') return rest;
  return rest === '' ? dir : `${dir}/${rest}`;
}

/** The directory of a path; the root's parent is the root. */
export function parentPath(path: string): string {
  const slash = path.lastIndexOf('/');
  return slash < 0 ? '' : path.slice(0, slash);
}

/** The directories above a path, the innermost first, without the root. */
export function dirsAbove(path: string): string[] {
  const dirs: string[] = [];
  for (let dir = parentPath(path); dir !== ''; dir = parentPath(dir)) dirs.push(dir);
  return dirs;
}

/** The last segment. */
export const leafName = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

/** Whether `path` is `dir` itself or below it. */
export function isWithin(dir: string, path: string): boolean {
  return dir === '' || path === dir || path.startsWith(`${dir}/`);
}

/** A path below the root of a remote, from the top of its server or disk. */
export function wholePath(root: string, path: string): string {
  return root === '/' ? `/${path}` : joinPath(root, path);
}

/** A whole path as one below `root`, `''` for the root itself; `undefined` if it is elsewhere. */
export function pathBelow(root: string, whole: string): string | undefined {
  if (root === '') return whole;
  if (whole === root) return '';
  const start = root === '/' ? root : `${root}/`;
  return whole.startsWith(start) ? whole.slice(start.length) : undefined;
}

/**
 * The name of a remote for messages and commands: without the mark `{…}` of options that come from elsewhere than the
 * configuration file, which only distinguishes remotes.
 */
export const shownRemote = (name: string): string => name.replace(/\{[^{}]*\}$/, '');

/** A path of a remote as the user can type it: options by flags add their hash to the remote's name. */
export const typedPath = (remote: string, path: string): string => `${shownRemote(remote)}:${path}`;

/** The end of the names of files that contain the target of a symbolic link, as in rclone. */
export const LINK_SUFFIX = '.rclonelink';

/** Whether a path is that of a stored link: a name in front of the suffix. */
export function isStoredLink(path: string): boolean {
  const start = path.length - LINK_SUFFIX.length;
  return start > 0 && path[start - 1] !== '/' && path.endsWith(LINK_SUFFIX);
}

/** The path of the link that is stored at a path of `isStoredLink`. */
export const linkPathOf = (stored: string): string => stored.slice(0, -LINK_SUFFIX.length);

/** Whether all directories above a path pass `keepDir`; fast for paths in order. */
export function keptParents(keepDir: (dir: string) => boolean): (path: string) => boolean {
  let lastParent: string | undefined;
  let lastKept = true;
  return (path) => {
    const parent = parentPath(path);
    if (parent === lastParent) return lastKept;
    lastParent = parent;
    lastKept = true;
    for (let dir = parent; dir !== '' && lastKept; dir = parentPath(dir)) lastKept = keepDir(dir);
    return lastKept;
  };
}

/** How a disk compares names, which may differ from one directory to the next. */
export interface Naming {
  /**
   * Whether names in a directory that differ only in case are one name. `undefined`: nothing is there by which to
   * tell. A missing directory is as the one above it.
   *
   * @param listed entries that a listing of the directory has just shown
   */
  ignoresCase(dir: string, listed?: readonly { readonly path: string }[]): boolean | undefined;
  /** The user says that names which differ only in case are two, whatever the disk does. */
  readonly isSaidToBeExact: boolean;
  /** A path in the form that all its spellings have. */
  fold(path: string): string;
  /**
   * Whether two names in a directory are one: that of one file, or of what would be one.
   *
   * @param mayTry a temporary file may be created for it
   */
  areOne(dir: string, name: string, other: string, mayTry: boolean): boolean;
  /** The name of the same file in other letters, which its directory has or finds; `undefined` if there is none. */
  otherSpelling(path: string): string | undefined;
  /** The path of a file that is there as its directories have it; `undefined` if that is this one, or not known. */
  storedPath(path: string): string | undefined;
}

/** What is used of a remote. */
interface Named {
  readonly traits: { readonly caseInsensitive: boolean };
  readonly can: { readonly naming?: Naming };
}

/** Whether names in a directory of a remote that differ only in case are one name, as far as that is known. */
export function ignoresCase({ can, traits }: Named, dir: string): boolean {
  return can.naming === undefined ? traits.caseInsensitive : can.naming.ignoresCase(dir) === true;
}

/** A path in the form that all its spellings have on a remote. */
export function foldPath({ can, traits }: Named, path: string): string {
  return can.naming?.fold(path) ?? (traits.caseInsensitive ? foldName(path) : path);
}

/** Whether two paths differ at most in case and Unicode form: some places treat them as one. */
export function areAlike(path: string, other: string): boolean {
  return path === other || loose(path) === loose(other);
}

const loose = (path: string): string => foldName(path.normalize('NFC')).normalize('NFC');
