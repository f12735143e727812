import type { Entry } from '../../core/remote.ts';
import { dirsAbove } from '../../core/remote-path.ts';
import type { Filter } from '../../filter/filter.ts';
import { cannotUse } from '../../shell/flags/exclusions.ts';

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
    throw cannotUse(`syncer ${command}`, '--exclude-if-present', 'directories are not read ahead');
  }
  if (filter.needsMetadata === true) {
    throw cannotUse(`syncer ${command}`, 'filters for metadata', 'listings have no metadata');
  }
  if (filter.passesAll && maxDepth < 0 && fileList === undefined) return undefined;
  const listedDirs = fileList === undefined ? undefined : new Set([...fileList].flatMap(dirsAbove));
  return (entry) => {
    const { path } = entry;
    if (maxDepth >= 0 && path.split('/').length > maxDepth) return false;
    if (entry.kind === 'dir') return listedDirs?.has(path) ?? filter.keepDir(path);
    return fileList?.has(path) ?? filter.keepFile(entry);
  };
}
