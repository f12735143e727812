import { parentPath } from './remote-path.ts';

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
