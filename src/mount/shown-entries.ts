import { SyncerError } from '../core/errors.ts';
import type { Entry } from '../core/remote.ts';
import type { Filter } from '../filter/filter.ts';

/** Which entries the filter of the run lets the mount show; `undefined` for all. */
export function shownEntries(filter: Filter): ((entry: Entry) => boolean) | undefined {
  const { maxDepth, fileList, markerFiles } = filter;
  if (markerFiles.length > 0) {
    throw new SyncerError('usage', 'mount does not support --exclude-if-present');
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
