import { joinPath } from '../../core/remote-path.ts';

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
