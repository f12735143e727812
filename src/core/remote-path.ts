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
export function leafName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

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
