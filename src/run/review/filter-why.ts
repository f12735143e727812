import { isOwnEntry, isTrashDir } from '../../core/own-names.ts';
import type { Entry, Op, Remote } from '../../core/remote.ts';
import { joinPath, parentPath } from '../../core/remote-path.ts';
import type { Filter, FilterVerdict } from '../../filter/filter.ts';

/** What a filter says about a path. */
export interface PathVerdict extends FilterVerdict {
  /** The directory above the path that the rule is about, if it is not about the path. */
  readonly dir?: string;
}

/** What decides about a path of a remote: a rule about a directory above it, or one about itself. Sends requests for marker files only. */
export async function explainPath(
  { filter, remote, op }: { readonly filter: Filter; readonly remote: Remote; readonly op: Op },
  path: string,
  entry: Entry | undefined,
): Promise<PathVerdict> {
  if (isTrashDir(parentPath(path)) || (entry !== undefined && isOwnEntry(entry)))
    return { keeps: false, rule: 'an entry of syncer itself', from: 'hidden from listings' };
  const { maxDepth } = filter;
  const segments = path.split('/');
  if (maxDepth >= 0 && segments.length > maxDepth) {
    return {
      keeps: false,
      rule: `${segments.length} levels deep`,
      from: `--max-depth ${maxDepth}`,
    };
  }
  for (let depth = 0; depth < segments.length; depth++) {
    const dir = segments.slice(0, depth).join('/');
    const verdict = filter.explainDir(dir);
    if (!verdict.keeps) return { ...verdict, dir };
    for (const name of filter.markerFiles) {
      if ((await remote.stat(joinPath(dir, name), op))?.kind !== 'file') continue;
      const from = `--exclude-if-present ${name}`;
      return { keeps: false, rule: `the directory has the file ${name}`, from, dir };
    }
  }
  return entry?.kind === 'dir'
    ? filter.explainDir(path)
    : filter.explainFile(entry ?? { path, size: -1 });
}

/** What a filter says, in words. */
export function filterText({ keeps, rule, from, dir }: PathVerdict): string {
  if (rule === undefined) return 'included: no filter rule excludes it';
  const where = dir === undefined ? '' : `${dir || 'the root'}: `;
  return `${keeps ? 'included' : 'excluded'}: ${where}${rule} (${from})`;
}
