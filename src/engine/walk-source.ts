import { listDir } from '../core/list-dir.ts';
import { mapAtOnce } from '../core/map-at-once.ts';
import { asSeen } from '../core/mod-time.ts';
import type { DirEntry, Entry, FileEntry, Remote } from '../core/remote.ts';
import { parentPath } from '../core/remote-path.ts';
import { passAllFilter } from '../filter/filter.ts';
import type { DirPair, FilePair } from './action.ts';
import { targetPath, targetPaths } from './name-transform.ts';
import { foldedPath, isFirst } from './repeated-names.ts';
import type { Run } from './run.ts';
import { type WalkPlan, type WalkVisitor, walkBoth } from './walk-both.ts';

/** Two trees whose destination is checked file by file and not listed. */
export interface SourceWalk
  extends Omit<WalkPlan, 'destFilter' | 'destOnlyDirs' | 'normalize' | 'twoWay'> {
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
  const dest = await statFile(run, plan.dest, path ?? source.path);
  if (dest === 'failed') return undefined;
  return dest === undefined ? pair : { ...pair, dest };
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
