import { hasCode, SyncerError } from '../core/errors.ts';
import type { Entry, FailedEntry, FileEntry, Op } from '../core/remote.ts';
import { ignoresCase, leafName } from '../core/remote-path.ts';
import type { Filter } from '../filter/filter.ts';
import { showTrialFiles } from '../names/hide-own-names.ts';
import type { DirPair, FilePair, Fixer } from './action.ts';
import { type Match, matchPages, type Repeat } from './match.ts';
import { type OwnEntries, renamedPages, restored } from './name-transform.ts';
import { deleteLeftTrials } from './place/trial-file.ts';
import { type FoldRules, tellDuplicate, tellRepeat } from './repeated-names.ts';
import type { Run } from './run.ts';
import { sortedListing } from './sorted-listing.ts';
import type { NameTransform } from './sync-option-parts.ts';
import { WalkWidth } from './walk-width.ts';

/** Receives the entries of the walk, which continues when the promise resolves. */
export interface WalkVisitor {
  files(pairs: readonly FilePair[]): Promise<void>;
  dirs(pairs: readonly DirPair[]): Promise<void>;
  /** Whether enough entries wait that the walk can pause. */
  isFull?(): boolean;
  /** Renames entries of the destination before they are passed on (`--fix-case`). */
  readonly fixer?: Fixer | undefined;
}

/** Two trees and how to walk them together. */
export interface WalkOptions extends FoldRules {
  /** Do not list the destination at all. */
  readonly skipDest: boolean;
  /** Not into shortcuts that only the destination has. */
  readonly leavesShortcuts?: boolean;
  /** Directories listed in parallel. */
  readonly width: number;
  /** On which sides several directories may be listed together, before they are walked (`Op.walk`). */
  readonly together?: readonly ('source' | 'dest')[];
  /** Changes the names of the source (`--name-transform`). */
  readonly transform?: NameTransform | undefined;
}

/** How two trees are walked in step. */
export interface WalkBothOptions extends WalkOptions {
  /** The filter of the destination's side: excluded files are invisible there. */
  readonly destFilter: Filter;
  /** Walk into directories that only the destination has. */
  readonly destOnlyDirs: boolean;
  /** Match names that are equal in Unicode normalisation form C. */
  readonly normalize: boolean;
}

/** One directory to walk, on one side or both. */
interface Job {
  readonly dir: string;
  /** The directory's path at the destination: it differs if matching names are not identical. */
  readonly destDir: string;
  readonly source: boolean;
  readonly dest: boolean;
  readonly depth: number;
  /** Whether the destination ignores case in it; `undefined`: that is not known. Of a missing one as of that above. */
  readonly folds: boolean | undefined;
}

/**
 * Walks two trees in step, directory by directory, listing both sides in parallel, and passes its entries on page by
 * page. A directory that cannot be read is counted in the run's tally and its content is skipped: an unread listing
 * never counts as empty.
 */
export async function walkBoth(
  run: Run,
  plan: WalkBothOptions,
  visitor: WalkVisitor,
): Promise<void> {
  const stack: Job[] = [
    { dir: '', destDir: '', source: true, dest: !plan.skipDest, depth: 1, folds: false },
  ];
  see(run, plan, []);
  let active = 0;
  let wake: (() => void)[] = [];
  const most = Math.max(1, plan.width);
  const asksServer = !(plan.source.traits.onDisk && plan.dest.traits.onDisk);
  const width = new WalkWidth(most, visitor.isFull, asksServer ? 2 : 1);
  const sides = {
    source: walkedSide(run, plan, 'source', run.filter, asksServer),
    dest: walkedSide(run, plan, 'dest', plan.destFilter, asksServer),
  };

  const worker = async () => {
    for (;;) {
      if (run.op.signal.aborted) return;
      const job = active < width.now ? stack.pop() : undefined;
      if (job === undefined) {
        if (active === 0) return;
        await new Promise<void>((resolve) => wake.push(resolve));
        continue;
      }
      active++;
      try {
        await walkDirectory(run, plan, sides, visitor, job, (child) => {
          stack.push(child);
          wake.shift()?.();
        });
      } finally {
        active--;
        width.ended();
        if (stack.length > 0) wake.shift()?.();
        // Waiting tasks would wait forever if no other takes the rest.
        if (run.op.signal.aborted || (active === 0 && stack.length === 0)) {
          for (const resolve of wake) resolve();
          wake = [];
        }
      }
    }
  };
  await Promise.all(Array.from({ length: most }, worker));
  run.op.signal.throwIfAborted();
}

/** Passes a page of the destination on to the plan of a run in one direction. */
function see({ consent, filter }: Run, plan: WalkBothOptions, page: readonly Entry[]): void {
  if (consent.how !== 'collect' || plan.skipDest || plan.twoWay === true) return;
  consent.plan.saw?.(
    plan,
    page,
    plan.destOnlyDirs && filter.passesAll && plan.destFilter.passesAll,
  );
}

/** What is used of one side. */
interface WalkedSide {
  readonly filter: Filter;
  readonly op: Op;
  /** It is a disk beside a server: reading it keeps the program busy, so requests are sent first. */
  readonly goesLast: boolean;
}

/** A filter of directories may leave out most of what would be listed together. */
function walkedSide(
  { op }: Run,
  plan: WalkBothOptions,
  side: 'source' | 'dest',
  filter: Filter,
  asksServer: boolean,
): WalkedSide {
  const isAll = filter.prunesDirs !== true && filter.maxDepth < 0;
  return {
    filter,
    op: isAll && plan.together?.includes(side) ? { ...op, walk: {} } : op,
    goesLast: asksServer && plan[side].traits.onDisk,
  };
}

async function walkDirectory(
  run: Run,
  plan: WalkBothOptions,
  sides: { readonly source: WalkedSide; readonly dest: WalkedSide },
  visitor: WalkVisitor,
  job: Job,
  push: (job: Job) => void,
): Promise<void> {
  const endsHere = ({ maxDepth }: Filter) => maxDepth >= 0 && job.depth >= maxDepth;
  const own: OwnEntries = new Map();
  const unseen = new Set<string>();
  const onUnseen = (path: string) => void unseen.add(leafName(path));
  const listed = job.source
    ? listSide(run, plan, sides.source, job.dir, 'source', onUnseen)
    : nothing();
  const { transform } = plan;
  const { fixer } = visitor;
  const source = transform === undefined ? listed : renamedPages(run, transform, listed, own);
  const dest = job.dest ? listSide(run, plan, sides.dest, job.destDir, 'dest') : nothing();
  const inherited = { folds: job.folds };
  const folding = (first: readonly Entry[]) => {
    const isMissing = !job.dest && !plan.skipDest;
    const { can, traits } = plan.dest;
    if (!isMissing)
      inherited.folds = can.naming
        ? can.naming.ignoresCase(job.destDir, first)
        : traits.caseInsensitive;
    if (plan.ignoreCase || inherited.folds !== false) return true;
    return plan.twoWay === true && job.source && ignoresCase(plan.source, job.dir);
  };
  const onRepeat = (repeat: Repeat) => tellRepeat(run, plan, job, repeat);
  const rules = { folding, onRepeat, byLeaf: job.dir !== job.destDir };
  try {
    for await (const matched of matchPages(source, dest, plan.normalize, rules)) {
      await run.control?.ready(run.op.signal);
      // What only the destination has may be what the source could not show: with `--ignore-errors` it would be deleted.
      const isKnown = ({ source, dest }: Match) =>
        source !== undefined || dest === undefined || !unseen.has(leafName(dest.path));
      const matches = unseen.size === 0 ? matched : matched.filter(isKnown);
      const found = partition(
        transform === undefined
          ? matches
          : matches.map((match) => restored(match, own, job.destDir)),
      );
      const files = (await fixer?.files(found.files)) ?? found.files;
      const dirs = (await fixer?.dirs(found.dirs)) ?? found.dirs;
      if (files.length > 0) await visitor.files(files);
      if (dirs.length === 0) continue;
      await visitor.dirs(dirs);
      for (const child of dirs.reverse()) {
        if (child.source === undefined && !plan.destOnlyDirs) continue;
        const isLeft = child.source === undefined && child.dest?.isShortcut === true;
        if (isLeft && plan.leavesShortcuts === true) continue;
        if (endsHere(child.source === undefined ? plan.destFilter : run.filter)) continue;
        push({
          dir: child.source?.path ?? child.dest?.path ?? '',
          destDir: child.dest?.path ?? child.path ?? child.source?.path ?? '',
          source: child.source !== undefined,
          dest: child.dest !== undefined,
          depth: job.depth + 1,
          folds: inherited.folds,
        });
      }
    }
  } catch (thrown) {
    if (run.op.signal.aborted) return;
    if (!(thrown instanceof ListingFailure)) throw thrown;
    const remote = thrown.side === 'source' ? plan.source : plan.dest;
    const isRoot = job.dir === '';
    run.tally.addListing(
      thrown.cause,
      isRoot ? remote.title : job.dir,
      { doing: 'read-directory', side: thrown.side, isRoot },
      isRoot,
    );
  } finally {
    await Promise.allSettled([source.return(undefined), dest.return(undefined)]);
  }
}

/** A failed listing, and its side. */
class ListingFailure extends Error {
  readonly side: 'source' | 'dest';

  constructor(side: 'source' | 'dest', cause: unknown) {
    super('listing failed', { cause });
    this.side = side;
  }
}

/**
 * The pages of a side; a destination that does not exist yet is empty.
 *
 * @param onUnseen gets the path of each entry that is there and could not be examined
 */
async function* listSide(
  run: Run,
  plan: WalkBothOptions,
  { filter, op, goesLast }: WalkedSide,
  dir: string,
  side: 'source' | 'dest',
  onUnseen?: (path: string) => void,
): AsyncGenerator<readonly Entry[]> {
  const remote = showTrialFiles(plan[side]);
  const trials: FileEntry[] = [];
  const onTrialFile = (file: FileEntry) => void trials.push(file);
  const onDuplicate = (entry: Entry) => tellDuplicate(run, side, entry);
  // Objects without a name count as errors, but not at a destination where nothing is deleted or reported.
  const countsNameless = side === 'source' || plan.destOnlyDirs;
  const onFailed = ({ path, error }: FailedEntry) => {
    onUnseen?.(path);
    if (countsNameless || !hasCode(error, 'name-invalid'))
      run.tally.addListing(error, path, 'list');
  };
  let hasBegun = false;
  try {
    const { useServerModTime } = run;
    const { listCutoff } = run.context;
    const level = run.context.memory ? 'info' : 'notice';
    const onDisk = (cutoff: number) =>
      run.log(level, dir || remote.title, 'sorts-on-disk', { cutoff });
    const told = { onDuplicate, onFailed, onTrialFile, onDisk };
    const rules = { remote, filter, useServerModTime, listCutoff, ...told };
    // In the first turn new connections open, whose requests are sent in the second.
    for (let turn = 0; goesLast && turn < 2; turn++)
      await new Promise((resolve) => setImmediate(resolve));
    for await (const page of sortedListing(rules, dir, op)) {
      hasBegun = true;
      run.context.emit({ type: 'listed', entries: page.length });
      if (side === 'dest') see(run, plan, page);
      yield page;
    }
    if (plan.cleans?.includes(side)) await deleteLeftTrials(run, remote, trials);
  } catch (thrown) {
    const missing = hasCode(thrown, 'directory-not-found', 'bucket-not-found');
    // Below the root it was in the listing of its parent.
    if (side === 'dest' && missing && !hasBegun && dir === '') {
      const isThere = remote.traits.onDisk && (await remote.stat('', run.op)) !== undefined;
      if (!isThere) return;
    }
    if (!missing || (dir === '' && side === 'source')) throw new ListingFailure(side, thrown);
    if (dir === '') {
      // A root that is there is not the missing one of a mistyped path: a new attempt may succeed.
      const text = `cannot list ${remote.title}: it exists, and was not found when it was read`;
      throw new ListingFailure(side, new SyncerError('vanished', text, { cause: thrown }));
    }
    const more = { path: dir, advice: 'it existed when the run started', cause: thrown };
    const error = new SyncerError('directory-not-found', `directory not found: ${dir}`, more);
    throw new ListingFailure(side, error);
  }
}

async function* nothing(): AsyncGenerator<readonly Entry[]> {}

function partition(matches: readonly Match[]): { files: FilePair[]; dirs: DirPair[] } {
  const files: FilePair[] = [];
  const dirs: DirPair[] = [];
  for (let at = 0; at < matches.length; at++) {
    const match = matches[at] as Match;
    if ((match.source ?? match.dest)?.kind === 'file') files.push(match as FilePair);
    else dirs.push(match as DirPair);
  }
  return { files, dirs };
}
