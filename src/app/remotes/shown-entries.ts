import { SyncerError } from '../../core/errors.ts';
import type { Entry } from '../../core/remote.ts';
import type { Filter } from '../../filter/filter.ts';

/**
 * Which entries the filter of the run lets a command show; `undefined` for all. Throws `usage` for
 * `--exclude-if-present` and rules for metadata.
 */
export function shownEntries(
  filter: Filter,
  command: string,
): ((entry: Entry) => boolean) | undefined {
  const { maxDepth, fileList, markerFiles } = filter;
  if (markerFiles.length > 0) {
    throw new SyncerError('usage', `${command} does not support --exclude-if-present`);
  }
  if (filter.needsMetadata === true) {
    throw new SyncerError('usage', `${command} does not support rules for metadata`);
  }
  if (filter.passesAll && maxDepth < 0 && fileList === undefined) return undefined;
  const listedDirs = fileList === undefined ? undefined : parentsOf(fileList);
  return (entry) => {
    const { path } = entry;
    if (maxDepth >= 0 && depthOf(path) > maxDepth) return false;
    if (entry.kind === 'dir') return listedDirs?.has(path) ?? filter.keepDir(path);
    return fileList?.has(path) ?? filter.keepFile(entry);
  };
}

function depthOf(path: string): number {
  return path.split('/').length;
}

function parentsOf(files: ReadonlySet<string>): ReadonlySet<string> {
  const dirs = new Set<string>();
  for (const file of files) {
    for (let at = file.lastIndexOf('/'); at > 0; at = file.lastIndexOf('/', at - 1)) {
      dirs.add(file.slice(0, at));
    }
  }
  return dirs;
}
