import { dirsAbove, joinPath } from '../../src/core/remote-path.ts';
import { type Filter, passAllFilter } from '../../src/filter/filter.ts';
import { pathSegments } from '../../src/size-tree/find-node.ts';

/**
 * The run's filter for a part of its tree: only what lies below the chosen directories.
 *
 * @param base where the part begins, relative to the root of the run
 * @param dirs relative to `base`
 */
export function filterBelow(filter: Filter, base: string, dirs: readonly string[]): Filter {
  const chosen = new Set(dirs);
  const above = new Set<string>();
  for (const dir of dirs) for (const path of dirsAbove(dir)) above.add(path);
  const isBelow = (path: string) => dirsAbove(path).some((one) => chosen.has(one));
  const { maxDepth } = filter;
  return {
    ...filter,
    passesAll: false,
    hasRules: true,
    prunesDirs: true,
    deleteExcluded: false,
    maxDepth: maxDepth <= 0 ? -1 : Math.max(1, maxDepth - pathSegments(base).length),
    keepFile: (file) =>
      isBelow(file.path) && filter.keepFile({ ...file, path: joinPath(base, file.path) }),
    keepDir: (path) =>
      (above.has(path) || chosen.has(path) || isBelow(path)) &&
      filter.keepDir(joinPath(base, path)),
    describe: filter.describe,
  };
}

/** A filter that lets these files pass and no others. */
export function onlyFiles(paths: readonly string[]): Filter {
  const fileList = new Set(paths);
  const dirs = new Set(paths.flatMap(dirsAbove));
  return {
    ...passAllFilter,
    passesAll: false,
    hasRules: true,
    fileList,
    keepFile: ({ path }) => fileList.has(path),
    keepDir: (path) => dirs.has(path),
  };
}
