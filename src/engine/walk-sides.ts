import { SyncerError } from '../core/errors.ts';
import { type Filter, passAllFilter } from '../filter/filter.ts';
import { showTrialFiles } from '../names/hide-own-names.ts';
import type { FileWork } from './file-work.ts';
import { inRange } from './in-range.ts';
import { flatListed, treeListed } from './tree-listed.ts';
import { type WalkVisitor, walkBoth } from './walk-both.ts';
import { walkSource } from './walk-source.ts';
import { isBucket } from './without-bucket.ts';

/**
 * Walks both sides by the options of the run, or the source alone if nothing else at the destination matters.
 *
 * @param destOnlyDirs also what is in directories that only the destination has
 */
export async function walkSides(
  work: FileWork,
  destOnlyDirs: boolean,
  visitor: WalkVisitor,
): Promise<void> {
  const { run, options } = work;
  const { noCheckDest: skipDest, ignoreCaseSync: ignoreCase, checkers: width } = options;
  // A sync may have made its trials in the source.
  const written = work.verb === 'copy' ? (['dest'] as const) : (['source', 'dest'] as const);
  const cleans = run.approval === undefined ? written : [];
  const { transform } = options;
  const { fileList, deleteExcluded } = run.filter;
  // Files that the list omits are deleted: the destination has to be listed.
  const isListed = fileList !== undefined && !(deleteExcluded && options.deletes !== 'off');
  const destFilter = run.filter.deleteExcluded ? (run.filter.unruled ?? passAllFilter) : run.filter;
  const { source, dest } = listedSides(work, destFilter, visitor);
  // The sides whose small directories may be listed together. Not a source whose listing decides what is deleted: it must
  // be as new as that of the destination, and show directories for which a gateway has no key.
  const { createEmptySrcDirs, deleteEmptySrcDirs, deletes } = options;
  const safe = deletes === 'off' ? (['source', 'dest'] as const) : (['dest'] as const);
  const together = createEmptySrcDirs || deleteEmptySrcDirs ? [] : safe;
  const sides = { source, dest, skipDest, ignoreCase, width, cleans, transform, together };
  if (isListed || options.noTraverse || work.inPlace === true)
    return walkSource(run, { ...sides, looksAtDirs: !options.noTraverse }, visitor);
  // Two spellings of a name lie in two ranges.
  const normalize = !options.noUnicodeNormalization && work.range === undefined;
  const visits = work.range === undefined ? visitor : inRange(visitor, work.range);
  await walkBoth(run, { ...sides, destFilter, destOnlyDirs, normalize }, visits);
}

/** Both sides as they are listed: with `--fast-list` with few requests. Throws `usage` for a range that cannot be listed. */
function listedSides(
  work: FileWork,
  destFilter: Filter,
  { fixer }: WalkVisitor,
): Pick<FileWork, 'source' | 'dest'> {
  const { run, options, range } = work;
  if (!options.fastList) return work;
  const [source, dest] = [showTrialFiles(work.source), showTrialFiles(work.dest)];
  if (fixer === undefined && walksFlat(work)) {
    const atOnce = Math.ceil(options.checkers / 2);
    return {
      source: flatListed(source, 'source', run.filter, range, atOnce),
      dest: flatListed(dest, 'dest', destFilter, range, atOnce),
    };
  }
  if (range !== undefined) {
    throw new SyncerError('usage', 'a run in ranges of names must be from bucket to bucket');
  }
  // A tree listed beforehand has no renamed directories.
  return {
    source: treeListed(source, options.checkers),
    dest: fixer === undefined ? treeListed(dest, options.checkers) : dest,
  };
}

/**
 * Whether both sides can be walked as one flat listing each (`flatListed`): they are object stores, below a bucket, and
 * nothing in the run is about directories.
 */
function walksFlat({ run, options, source, dest }: FileWork): boolean {
  const { createEmptySrcDirs, deleteEmptySrcDirs, ignoreCaseSync, transform } = options;
  const asksForDirs = createEmptySrcDirs || deleteEmptySrcDirs || run.outcomes !== undefined;
  return (
    isBucket(source) &&
    isBucket(dest) &&
    !(asksForDirs || ignoreCaseSync || dest.traits.caseInsensitive) &&
    transform === undefined &&
    run.filter.markerFiles.length === 0
  );
}
