import type { Filter } from './filter.ts';

/**
 * The same filter, which also logs each excluded file and directory, at every call; in the way
 * of rclone's `Excluded` lines. With `--files-from` nearly all are excluded, and it logs nothing, as in rclone.
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
