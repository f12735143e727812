import { defined } from '../core/defined.ts';
import { hasCode, toSyncerError } from '../core/errors.ts';
import { ownEntry, ownText } from '../core/own-text.ts';
import type { Entry, FileEntry, Remote } from '../core/remote.ts';
import { parentPath } from '../core/remote-path.ts';
import { passAllFilter } from '../filter/filter.ts';
import type { BothSides, DirPair, FilePair, Transfer } from './action.ts';
import { type FileWork, stoppableWork, untilStopped, verbOf } from './file-work.ts';
import { deleteFiles } from './loss/delete-files.ts';
import { renameFiles } from './move-file.ts';
import { type FindRenames, type Rename, renamerOf } from './pass.ts';
import { ObstructedWork } from './passes/obstructed.ts';
import { isSourceApart, KnownFiles, spareOwnSource } from './place/own-source-check.ts';
import { clashAt } from './repeated-names.ts';
import { type Judged, judgeAsking, judgeTogether } from './rules/ask.ts';
import { NEW, type PairFacts } from './rules/rule.ts';
import { inReview, type Run } from './run.ts';
import { deleteShortcuts } from './shortcuts.ts';
import {
  isExtraSpared,
  otherCase,
  renameCase,
  settle,
  settleUnchanged,
  underSourceName,
} from './sync-files.ts';
import type { PlainOptions } from './sync-option-parts.ts';
import { checkPool, type TaskPool } from './task-pool.ts';
import { TransferQueue } from './transfer-queue.ts';
import { DirTimes, deleteEmptyDirs, makeMissingDirs, withoutDirsOf } from './tree-dirs.ts';
import { walkSides } from './walk-source.ts';
import { hasBuckets, noBucket, refuseEmptied } from './without-bucket.ts';

/** `--delete-before`: a walk of its own. Resolves to the deletions. */
async function walkExtra(work: FileWork): Promise<(work: FileWork) => Promise<void>> {
  const files: FileEntry[] = [];
  const dirs: string[] = [];
  const shortcuts: string[] = [];
  const spared: string[] = [];
  const { asksExtra } = work.rules;
  const known = new KnownFiles();
  const walking = walkSides(stoppableWork(work), true, {
    fixer: fixerOf(work, () => {}),
    async files(pairs) {
      known.add(pairs);
      for (const pass of work.passes) pass.listed?.(pairs);
      for (const { source, dest } of pairs) {
        if (source !== undefined || dest === undefined) continue;
        work.run.outcomes?.compared('missing-on-src', { dest });
        if (asksExtra && isExtraSpared(work, dest)) spared.push(dest.path);
        else files.push(ownEntry(dest));
      }
    },
    async dirs(pairs) {
      for (const { source, dest } of pairs) {
        if (source !== undefined || dest === undefined) continue;
        (dest.isShortcut === true ? shortcuts : dirs).push(ownText(dest.path));
      }
    },
  });
  await untilStopped(work, walking);
  return async (now) => {
    await deleteExtra(now, files, known);
    await deleteExtraDirs(now, withoutDirsOf(spared, dirs), shortcuts);
  };
}

/** Makes the destination what the plan says: walk both sides and decide, transfer, delete. Errors are counted. */
export async function transferTree(work: FileWork): Promise<void> {
  const { run, options } = work;
  // A copy into its own source would find what it has just written, and never end.
  const isInside =
    work.inPlace === true ||
    (await run.places.overlap(work.source, work.dest)).how === 'dest-in-source';
  if (work.verb === 'move' && work.inPlace !== true)
    await run.places.areApart(work.source, work.dest);
  const waits = run.consent.how === 'collect';
  const deleteFirst = options.deletes === 'before' ? await walkExtra(work) : undefined;
  if (!waits) await deleteFirst?.(work);
  const tree = new TreeTransfer(work, isInside, waits);
  await tree.walk();
  if (run.isStopping()) await tree.finish();
  else await inReview(run, (now) => tree.change(now, waits ? deleteFirst : undefined));
}

/** Everything that waits for a review. */
interface Late {
  readonly pairs: Judged[];
  readonly files: Transfer[];
}

/** A run over two trees: the results of its walk, and the stages that use them. */
class TreeTransfer {
  /** With the run of the walk, and then of each `change`. */
  #work: FileWork;
  /** As `#work`, for stages that end as soon as nothing more may start. */
  #looking: FileWork;
  readonly #isInside: boolean;
  readonly #findRenames: FindRenames | undefined;
  readonly #obstructed: ObstructedWork | undefined;
  #queue: TransferQueue;
  readonly #checks: TaskPool;
  readonly #known = new KnownFiles();
  readonly #dirTimes: DirTimes;
  readonly #newFiles: Transfer[] = [];
  readonly #late: Late | undefined;
  readonly #extraDirs: string[] = [];
  /** Shortcuts that only the destination has. */
  readonly #shortcuts: string[] = [];
  readonly #sourceDirs: string[] = [];
  readonly #missingDirs: DirPair[] = [];
  /** Files at the top of the source where the destination has buckets. */
  #withoutBucket = 0;
  /** Files to rename in place, to names that are theirs to the remote. */
  readonly #otherCases: Transfer[] = [];
  readonly #extraFiles: FileEntry[] = [];
  /** Extra files that a rule keeps. */
  readonly #sparedFiles: string[] = [];
  /** The extra files and new files that were renamed. */
  #renamed: ReadonlySet<FileEntry> = new Set();
  #found: readonly Rename[] | undefined;

  /**
   * @param isInside the destination is the source or inside it
   * @param waits nothing is changed during the walk
   */
  constructor(work: FileWork, isInside: boolean, waits: boolean) {
    const { options, run } = work;
    this.#work = work;
    this.#looking = stoppableWork(work);
    this.#isInside = isInside;
    this.#findRenames = renamerOf(work.passes);
    this.#obstructed = makesRoom(options) ? new ObstructedWork() : undefined;
    this.#late = waits ? { pairs: [], files: [] } : undefined;
    this.#queue = this.#newQueue();
    this.#checks = checkPool(options, run);
    this.#dirTimes = new DirTimes(work);
  }

  /** Walks both sides and decides about each pair; transfers may start. */
  async walk(): Promise<void> {
    const { run, options, passes } = this.#work;
    for (const pass of passes) pass.begin?.();
    const deletes = makesRoom(options) || this.#work.range?.deletesLater === 'extra';
    const destOnlyDirs = deletes || run.outcomes !== undefined;
    const walking = walkSides(this.#looking, destOnlyDirs, {
      isFull: this.#checks.isFull,
      fixer: fixerOf(this.#work, (dir) => this.#dirTimes.touch(dir)),
      files: (pairs) => this.#takeFiles(pairs),
      dirs: (pairs) => this.#takeDirs(pairs),
    });
    try {
      await untilStopped(this.#work, walking);
    } catch (thrown) {
      if (!run.op.signal.aborted) {
        run.tally.add(thrown, undefined);
        run.stop(toSyncerError(thrown));
      }
      // Running transfers end now, and delete their temporary files before the process ends.
      await Promise.allSettled([this.#checks.idle(), this.#queue.finish()]);
      throw thrown;
    }
    const isMissing = this.#missingDirs.length > 0;
    if (isMissing && !this.#isOver() && this.#late === undefined)
      await makeMissingDirs(run, this.#work.dest, this.#missingDirs);
    await this.#checks.idle();
  }

  /** In a review: what the walk has left undone. */
  async #settleLate({ pairs, files }: Late): Promise<void> {
    const { run, dest } = this.#work;
    await makeMissingDirs(run, dest, this.#missingDirs, this.#obstructed?.takesDir);
    this.#queue = this.#newQueue();
    this.#withoutBucket = 0;
    for (const judged of pairs) {
      if (this.#isOver()) return;
      await this.#checks.add(() => this.#settle(judged));
    }
    for (const { source, path } of files) {
      if (this.#isOver()) return;
      await this.#checks.add(() => this.#takeNew(source, path));
    }
    await this.#checks.idle();
  }

  /** Resolves when running transfers have ended. */
  finish(): Promise<void> {
    return this.#queue.finish();
  }

  /** Renames at the destination what was renamed at the source, where a pass finds that; the rest is queued. */
  async #repeatRenames(findRenames: FindRenames): Promise<void> {
    const [files, extra] = [this.#newFiles, this.#extraFiles];
    for (const { path } of [...files, ...extra]) this.#dirTimes.touch(parentPath(path));
    const targets = new Map(files.map(({ source, path }) => [source, path]));
    this.#found ??= await findRenames([...targets.keys()], extra);
    this.#renamed = await renameFiles(this.#work, this.#found, targets);
    for (const transfer of files)
      if (!this.#renamed.has(transfer.source)) await this.#enqueue(transfer);
  }

  /**
   * After the walk: renames, transfers, deletions, and what has to come after them. In a review twice: see `inReview`.
   *
   * @param run whose consent is asked
   * @param deleteFirst in a review: what is deleted before all else
   */
  async change(run: Run, deleteFirst?: (work: FileWork) => Promise<void>): Promise<void> {
    if (run !== this.#work.run) {
      this.#work = { ...this.#work, run };
      this.#looking = stoppableWork(this.#work);
      for (const pass of this.#work.passes) pass.chosen?.();
    }
    const { source, dest, verb, options, passes } = this.#work;
    // The source may have gone while the plan was shown: what is missing there then says nothing.
    const { consent } = run;
    const hasWaited = consent.how === 'chosen' && consent.plan.hasWaited;
    if (hasWaited) await source.listPage('', undefined, run.op);
    await deleteFirst?.(this.#work);
    if (this.#late !== undefined) await this.#settleLate(this.#late);
    if (this.#findRenames !== undefined) await this.#repeatRenames(this.#findRenames);
    for (const { source, path } of this.#otherCases) await renameCase(this.#work, source, path);
    for (const pass of passes) pass.compared?.();
    if (this.#withoutBucket > 0) run.fail(noBucket(dest, this.#withoutBucket), undefined);
    const isBeside = options.deletes === 'during';
    const both = [this.#queue.finish(), isBeside ? this.#delete() : undefined];
    // A deletion that rejects must not leave transfers running.
    await Promise.allSettled(both);
    await Promise.all(both);
    run.op.signal.throwIfAborted();
    if (run.isStopping()) return;
    const dirs = withoutDirsOf(this.#sparedFiles, this.#extraDirs);
    const extra = { files: this.#extra(), dirs };
    const ofBlocked = { ...extra, dirs: [...extra.dirs, ...this.#shortcuts] };
    const blocked = this.#obstructed?.clear(this.#work, ofBlocked);
    if (options.deletes === 'after') await this.#delete();
    if (makesRoom(options)) await deleteExtraDirs(this.#work, extra.dirs, this.#shortcuts);
    if (blocked !== undefined) {
      await makeMissingDirs(run, dest, blocked.dirs);
      const queue = new TransferQueue(this.#work, false);
      for (const transfer of blocked.files) {
        const bytes = Math.max(0, transfer.source.size);
        run.context.emit({ type: 'transfer-queued', files: 1, bytes, again: true });
        await queue.add(transfer);
      }
      await queue.finish();
    }
    if (options.deletes !== 'off') {
      for (const { path } of extra.files) this.#dirTimes.touch(parentPath(path));
      for (const path of ofBlocked.dirs) this.#dirTimes.touch(parentPath(path));
    }
    // After all else that changes them.
    await this.#dirTimes.set(run);
    const deletesDirs = verb === 'move' && options.deleteEmptySrcDirs;
    if (deletesDirs && isDeletingSafe(this.#work, 'directories', source))
      await deleteEmptyDirs(run, source, this.#sourceDirs, { width: options.checkers });
  }

  async #takeFiles(pairs: readonly FilePair[]): Promise<void> {
    const { options, passes, rules, run, range } = this.#work;
    const movesLater = range?.deletesLater === 'source';
    for (const pass of passes) pass.listed?.(pairs);
    if (options.deletes !== 'off') this.#known.add(pairs);
    const waiting = this.#findRenames === undefined ? this.#late?.files : this.#newFiles;
    const both: BothSides[] = [];
    for (let at = 0; at < pairs.length; at++) {
      const { source, dest, path = source?.path ?? '' } = pairs[at] as FilePair;
      if (this.#isOver()) return;
      if (movesLater && source !== undefined) range.onExtra(source.size);
      const clash = source && clashAt(run, source.path);
      if (clash !== undefined) {
        run.fail(clash, source?.path);
        continue;
      }
      if (this.#work.inPlace === true && source !== undefined) {
        if (path === source.path) continue;
        const renamed = dest && (await otherCase(this.#work, { source, dest }, path));
        if (renamed !== undefined) this.#otherCases.push(renamed);
        if (dest !== undefined) continue;
      }
      if (dest !== undefined) range?.onDest?.(dest, source === undefined);
      if (source !== undefined && dest !== undefined) {
        both.push({ source, dest });
        continue;
      }
      const outcome = source === undefined ? 'missing-on-src' : 'missing-on-dst';
      run.outcomes?.compared(outcome, defined({ source, dest }));
      if (dest !== undefined) {
        if (options.deletes === 'off' && !movesLater) range?.onExtra(dest.size);
        // A copy leaves them alone, however many there are.
        const isUsed = options.deletes !== 'off' || this.#findRenames !== undefined;
        if (!isUsed) continue;
        // With `--delete-before` another walk has asked.
        if (rules.asksExtra && options.deletes !== 'before' && isExtraSpared(this.#looking, dest))
          this.#sparedFiles.push(ownText(dest.path));
        else this.#extraFiles.push(ownEntry(dest));
        continue;
      }
      if (source === undefined) continue;
      const facts = { source, path };
      const verdict = rules.asksNew ? rules.judge(facts) : NEW;
      const isOpen = 'needs' in verdict;
      if (!isOpen && verdict.do !== 'transfer')
        await this.#settle({ facts, verdict, base: verdict });
      else if (waiting !== undefined)
        waiting.push({ do: verbOf(this.#work), source: ownEntry(source), path: ownText(path) });
      else if (isOpen) await this.#checks.add(() => this.#takeNew(source, path));
      else await this.#enqueue({ do: verbOf(this.#work), source, path });
    }
    if (both.length > 0) await this.#checkPairs(both);
  }

  /** Settles pairs if the listings suffice, and passes the others to the checkers. */
  async #checkPairs(pairs: readonly BothSides[]): Promise<void> {
    const work = this.#looking;
    const { emit } = work.run.context;
    emit({ type: 'check-queued', files: pairs.length });
    let equal = 0;
    await judgeTogether(work, pairs, (facts, verdict) => {
      if (this.#isOver()) return undefined;
      const judged = 'needs' in verdict ? undefined : { facts, verdict, base: verdict };
      if (judged === undefined || !settleUnchanged(work, judged))
        return this.#checkLater(facts, judged);
      // Hashes take longer than pages: their pairs are counted one by one.
      if (facts.hashes === undefined) equal++;
      else emit({ type: 'checked', files: 1 });
      return undefined;
    });
    if (equal > 0) emit({ type: 'checked', files: equal });
  }

  /** Passes a pair to the checkers, with the verdict about it, if there could be one. */
  #checkLater(pair: PairFacts, known: Judged | undefined): Promise<void> {
    const work = this.#looking;
    return this.#checks.add(async () => {
      if (this.#isOver()) return;
      const judged = known ?? (await judgeAsking(work, pair));
      if (judged === undefined) work.run.outcomes?.stays(pair.dest);
      const isDone = judged === undefined || settleUnchanged(work, judged);
      if (!isDone && this.#late === undefined) await this.#settle(judged);
      else if (!isDone) this.#late?.pairs.push({ ...judged, facts: ownSides(judged.facts) });
      work.run.context.emit({ type: 'checked', files: 1 });
    });
  }

  async #settle(judged: Judged): Promise<void> {
    const work = this.#looking;
    let transfer = await settle(work, judged);
    if (transfer === undefined) return;
    try {
      transfer = await underSourceName(work, transfer);
    } catch (thrown) {
      return work.run.fail(thrown, judged.facts.source.path, 'look-up');
    }
    await this.#enqueue(transfer);
  }

  async #takeNew(source: FileEntry, path: string): Promise<void> {
    if (this.#isOver()) return;
    const judged = await judgeAsking(this.#looking, { source, path });
    if (judged !== undefined) await this.#settle(judged);
  }

  async #takeDirs(pairs: readonly DirPair[]): Promise<void> {
    const { run, options, dest: remote } = this.#work;
    this.#dirTimes.note(pairs);
    run.outcomes?.dirs(pairs);
    for (const { source, dest } of pairs) {
      if (source !== undefined) this.#sourceDirs.push(ownText(source.path));
      else if (dest !== undefined)
        (dest.isShortcut === true ? this.#shortcuts : this.#extraDirs).push(ownText(dest.path));
    }
    if (!options.createEmptySrcDirs) return;
    for (const { source, dest: at } of pairs) if (source && !at) this.#dirTimes.touch(source.path);
    if (this.#isInside || this.#late !== undefined)
      for (const pair of pairs) this.#missingDirs.push(ownSides(pair));
    else await makeMissingDirs(run, remote, pairs, this.#obstructed?.takesDir);
  }

  #enqueue(transfer: Transfer): Promise<void> {
    const { dest, run } = this.#work;
    if (hasBuckets(dest) && !transfer.path.includes('/')) {
      this.#withoutBucket++;
      run.outcomes?.failed(transfer.source.path, 'copy');
      return Promise.resolve();
    }
    this.#dirTimes.touch(parentPath(transfer.path));
    const bytes = Math.max(0, transfer.source.size);
    this.#work.run.context.emit({ type: 'transfer-queued', files: 1, bytes });
    return this.#queue.add(transfer);
  }

  #newQueue(): TransferQueue {
    const { passes } = this.#work;
    const all = this.#obstructed === undefined ? passes : [...passes, this.#obstructed];
    const isHeld = this.#isInside || this.#late !== undefined;
    return new TransferQueue({ ...this.#work, passes: all }, isHeld);
  }

  /** What only the destination has, but for what was renamed. */
  #extra(): readonly FileEntry[] {
    return this.#renamed.size === 0
      ? this.#extraFiles
      : this.#extraFiles.filter((file) => !this.#renamed.has(file));
  }

  #delete(): Promise<void> {
    return deleteExtra(this.#work, this.#extra(), this.#known);
  }

  #isOver(): boolean {
    return this.#looking.run.op.signal.aborted;
  }
}

/** As `ownEntry`, of both sides. */
function ownSides<Sides extends { readonly source?: Entry; readonly dest?: Entry | undefined }>(
  sides: Sides,
): Sides {
  const { source, dest } = sides;
  return {
    ...sides,
    ...(source && { source: ownEntry(source) }),
    ...(dest && { dest: ownEntry(dest) }),
  };
}

/** What renames entries of the destination before they are decided about; `undefined` if a rule protects their names. */
function fixerOf({ passes, rules }: FileWork, onChange: (dir: string) => void) {
  if (rules.keepsNames) return undefined;
  return passes.find(({ fixer }) => fixer !== undefined)?.fixer?.(onChange);
}

/** Whether deletions run during the transfers, or after them. */
function makesRoom({ deletes }: PlainOptions): boolean {
  return deletes === 'during' || deletes === 'after';
}

/**
 * Deletes files that only the destination has, or moves them into the backup; refuses after any error, and if a guard
 * trips.
 *
 * @param known the files of both sides; those of the source identify it: see `isSourceApart`
 */
async function deleteExtra(
  work: FileWork,
  found: readonly FileEntry[],
  known: KnownFiles,
): Promise<void> {
  const { run, options, dest } = work;
  if (!isDeletingSafe(work, 'files')) return;
  const ordering = work.passes.find(({ rounds }) => rounds !== undefined);
  const rounds = ordering?.rounds?.(found) ?? [found];
  const files = rounds.length === 1 ? (rounds[0] ?? []) : rounds.flat();
  const totals = { ...known.counts, extra: files.length, examples: files };
  const refusal =
    options.checkDeletes?.(totals) ?? (await refuseEmptied(run, dest, files, known.tops));
  if (refusal !== undefined) return run.tally.addLast(refusal);
  if (!(await isSourceApart(work, files, known))) return;
  const spare = spareOwnSource(work);
  const aside = work.keeper?.aside;
  // Names may change on the way.
  const seen = ({ path }: FileEntry) =>
    options.transform === undefined ? [{ remote: work.source, path }] : [];
  for (const round of rounds) {
    if (run.isStopping()) return;
    await deleteFiles(run, dest, [round], { width: options.checkers, spare, aside, seen });
  }
}

/**
 * Deletes directories that only the destination has, if they are empty now, and shortcuts without what they lead to;
 * refuses after any error.
 */
async function deleteExtraDirs(
  work: FileWork,
  dirs: readonly string[],
  shortcuts: readonly string[],
): Promise<void> {
  const { run, dest, options } = work;
  if (!dest.traits.emptyDirs || !isDeletingSafe(work, 'directories')) return;
  const { filter } = run;
  const destFilter = filter.deleteExcluded ? (filter.unruled ?? passAllFilter) : filter;
  await deleteShortcuts(run, dest, shortcuts, destFilter);
  await deleteEmptyDirs(run, dest, dirs, { width: options.checkers });
}

/** Whether deleting is safe; logs if it is not. */
function isDeletingSafe(
  { run, options, dest }: FileWork,
  what: 'files' | 'directories',
  where: Remote = dest,
): boolean {
  if (run.isStopping()) return false;
  if (hasCode(run.tally.deciding, 'guarded')) return false;
  const isCut = hasCode(run.tally.deciding, 'max-transfer') && options.cutoffMode === 'hard';
  if (run.tally.count === 0 || (options.ignoreErrors && !isCut)) return true;
  run.tally.refuseDeletes(what, where.title);
  return false;
}
