import type { Filter } from './filter.ts';

/**
 * The same filter, which also tells of each file and directory that it leaves out, as often as it is asked; in the way
 * of rclone's `Excluded` lines. With `--files-from` all but a few are left out: then it tells nothing, as rclone.
 */
export function tellingFilter(filter: Filter, tell: (path: string) => void): Filter {
  if (filter.passesAll || filter.fileList !== undefined) return filter;
  const told = (keeps: boolean, path: string) => {
    if (!keeps) tell(path);
    return keeps;
  };
  return {
    ...filter,
    keepFile: (file) => told(filter.keepFile(file), file.path),
    keepDir: (path) => told(filter.keepDir(path), path),
  };
}
