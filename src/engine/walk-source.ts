import { SyncerError } from '../core/errors.ts';
import { mapAtOnce } from '../core/map-at-once.ts';
import { asSeen } from '../core/mod-time.ts';
import type { DirEntry, Entry, FileEntry, Remote } from '../core/remote.ts';
import { listDir } from '../core/remote-calls.ts';
import { parentPath } from '../core/remote-path.ts';
import { type Filter, passAllFilter } from '../filter/filter.ts';
import { showTrialFiles } from '../names/hide-own-names.ts';
import type { DirPair, FilePair, Sides } from './action.ts';
import type { FileWork } from './file-work.ts';
import { inRange } from './in-range.ts';
import { targetPath, targetPaths } from './name-transform.ts';
import { foldedPath, isFirst } from './repeated-names.ts';
import type { Run } from './run.ts';
import { leaveShortcuts } from './shortcuts.ts';
import { flatListed, treeListed } from './tree-listed.ts';
import { type WalkOptions, type WalkVisitor, walkBoth } from './walk-both.ts';
import { isBucket } from './without-bucket.ts';

/** Two trees whose destination is checked file by file and not listed. */
export interface SourceWalk extends WalkOptions {
  /** Directories of a list of files are requested too, if the destination can keep their times and metadata. */
  readonly looksAtDirs?: boolean;
}

/**
 * Passes on the files of the source, each with its counterpart, which is requested from the destination
 * (`--no-traverse`); or, if the filter has a list of files (`--files-from`), those that exist on either side, and
 * their directories.
 */
export async function walkSource(run: Run, plan: SourceWalk, visitor: WalkVisitor): Promise<void> {
  const { fileList } = run.filter;
  if (fileList !== undefined) return walkList(run, plan, fileList, visitor);
  const rules = { destFilter: passAllFilter, destOnlyDirs: false, normalize: false };
  await walkBoth(
    run,
    { ...plan, ...rules, skipDest: true },
    {
      ...visitor,
      files: async (pairs) => {
        const asked = await mapAtOnce(pairs, plan.width, async ({ source, path }) =>
          source === undefined ? undefined : withCounterpart(run, plan, source, path),
        );
        await visitor.files(asked.filter((pair) => pair !== undefined));
      },
    },
  );
}

async function walkList(
  run: Run,
  plan: SourceWalk,
  list: ReadonlySet<string>,
  visitor: WalkVisitor,
): Promise<void> {
  // An empty list of existing files must not come from a source that does not exist.
  for await (const _ of listDir(plan.source, '', run.op, () => {})) break;
  const { maxDepth } = run.filter;
  const paths = [...list].filter((path) => maxDepth < 0 || path.split('/').length <= maxDepth);
  const sourceDirs = new Set<string>();
  const destDirs = new Set<string>();
  const { dest, ignoreCase } = plan;
  const folds = ignoreCase || dest.traits.caseInsensitive || dest.can.naming !== undefined;
  const fold = (path: string) => (folds ? foldedPath(plan, path) : path);
  const taken = new Map<string, string>();
  const { transform } = plan;
  const targets = transform && (await targetPaths(run, transform, paths));
  const destOnly: FilePair[] = [];
  const block = 1000;
  for (let from = 0; from < paths.length; from += block) {
    const pairs = await mapAtOnce(paths.slice(from, from + block), plan.width, async (path) => {
      const source = await statFile(run, plan.source, path);
      if (source === 'failed') return undefined;
      const target = targets === undefined ? path : targets.get(path);
      if (target === undefined) return undefined;
      if (source !== undefined) return withCounterpart(run, plan, source, targets && target);
      const dest = plan.skipDest ? undefined : await statFile(run, plan.dest, target);
      return dest === undefined || dest === 'failed' ? undefined : { dest };
    });
    const found: FilePair[] = [];
    for (const pair of pairs) {
      if (pair === undefined) continue;
      if (!folds) found.push(pair);
      else if (pair.source === undefined) destOnly.push(pair);
      else if (isFirst(run, plan, pair.source, taken)) found.push(pair);
    }
    const dirs: string[] = [];
    for (const { source, dest } of found) {
      if (source !== undefined) dirs.push(...addParents(sourceDirs, source.path));
      if (dest !== undefined) addParents(destDirs, dest.path);
    }
    await visitor.dirs(await mapAtOnce(dirs, plan.width, (dir) => sourceDir(run, plan, dir)));
    await visitor.files(found);
  }
  // A name that the source lacks may be another spelling of one that it has.
  const left = destOnly.filter(({ dest }) => !taken.has(fold(dest?.path ?? '')));
  for (const { dest } of left) if (dest !== undefined) addParents(destDirs, dest.path);
  if (left.length > 0) await visitor.files(left);
  const atSource = new Set([...sourceDirs].map(fold));
  const onlyAtDest = [...destDirs].filter((dir) => !atSource.has(fold(dir)));
  await visitor.dirs(onlyAtDest.map((path): DirPair => ({ dest: { kind: 'dir', path } })));
}

async function sourceDir(run: Run, plan: SourceWalk, path: string): Promise<DirPair> {
  const { transform, skipDest } = plan;
  const keepsTimes = plan.source.traits.emptyDirs && plan.dest.can.setDirModTime !== undefined;
  const target = transform && (await targetPath(run, transform, path, 'dir'));
  const [source, dest] =
    keepsTimes && plan.looksAtDirs
      ? await Promise.all([
          statDir(run, plan.source, path),
          skipDest ? undefined : statDir(run, plan.dest, target ?? path),
        ])
      : [];
  return {
    source: source ?? { kind: 'dir', path },
    ...(dest && { dest }),
    ...(target !== undefined && { path: target }),
  };
}

async function statDir(run: Run, remote: Remote, path: string): Promise<DirEntry | undefined> {
  const entry = await statEntry(run, remote, path);
  return entry !== 'failed' && entry?.kind === 'dir' ? entry : undefined;
}

/** Returns those that are new. */
function addParents(dirs: Set<string>, path: string): readonly string[] {
  const added: string[] = [];
  for (let dir = parentPath(path); dir !== '' && !dirs.has(dir); dir = parentPath(dir)) {
    dirs.add(dir);
    added.push(dir);
  }
  return added;
}

async function withCounterpart(
  run: Run,
  plan: SourceWalk,
  source: FileEntry,
  path?: string,
): Promise<FilePair | undefined> {
  const pair: FilePair = path === undefined ? { source } : { source, path };
  if (plan.skipDest) return pair;
  const wanted = path ?? source.path;
  const dest = await statFile(run, plan.dest, wanted);
  if (dest === 'failed') return undefined;
  return dest === undefined || isOther(plan.dest, wanted) ? pair : { ...pair, dest };
}

/** Whether what is found at a path is another file, since the disk ignores case and is said not to. */
function isOther({ can: { naming } }: Remote, path: string): boolean {
  if (naming === undefined || !naming.isSaidToBeExact) return false;
  try {
    if (naming.otherSpelling(path) === undefined) return false;
    const stored = naming.storedPath(path);
    return stored !== undefined && stored.normalize() !== path.normalize();
  } catch {
    // A directory that cannot be read: what is written there says why, if it cannot be.
    return false;
  }
}

async function statFile(
  run: Run,
  remote: Remote,
  path: string,
): Promise<FileEntry | undefined | 'failed'> {
  const entry = await statEntry(run, remote, path);
  if (entry === 'failed') return entry;
  return entry?.kind === 'file' ? asSeen(entry, run.useServerModTime) : undefined;
}

/** What is at `path`; a failed request counts as an unread listing. */
async function statEntry(
  run: Run,
  remote: Remote,
  path: string,
): Promise<Entry | undefined | 'failed'> {
  try {
    return await remote.stat(path, run.op);
  } catch (thrown) {
    if (run.op.signal.aborted) throw thrown;
    run.tally.addListing(thrown, path, 'stat');
    return 'failed';
  }
}

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
  const cleans = run.consent.how === 'all' ? written : [];
  const { transform } = options;
  const { fileList, deleteExcluded } = run.filter;
  // Files that the list omits are deleted: the destination has to be listed.
  const isListed = fileList !== undefined && !(deleteExcluded && options.deletes !== 'off');
  const destFilter = run.filter.deleteExcluded ? (run.filter.unruled ?? passAllFilter) : run.filter;
  const { source: whole, dest } = listedSides(work, destFilter, visitor);
  const isEmptied = work.verb === 'move' && work.inPlace !== true;
  const source = isEmptied ? leaveShortcuts(whole, run) : whole;
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
  const leavesShortcuts = deletes !== 'off';
  await walkBoth(run, { ...sides, destFilter, destOnlyDirs, leavesShortcuts, normalize }, visits);
}

/** Both sides as they are listed: with `--fast-list` with few requests. Throws `usage` for a range that cannot be listed. */
function listedSides(work: FileWork, destFilter: Filter, { fixer }: WalkVisitor): Sides {
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
