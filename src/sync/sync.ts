import { SyncerError, toSyncerError } from '../core/errors.ts';
import type { FileEntry, Remote } from '../core/remote.ts';
import { passAllFilter } from '../filter/pass-all-filter.ts';
import { checkPool } from './adaptive-pools.ts';
import type { Compared } from './compare-pair.ts';
import { deleteSurplus, removeMovedDirs, removeSurplusDirs } from './delete-surplus.ts';
import { makeMissingDirs } from './empty-dirs.ts';
import { tellSameFile } from './move-file.ts';
import { createObstructed, release } from './obstructed-work.ts';
import { showNotWithin } from './place/show-apart.ts';
import { KnownFiles } from './place/surplus-check.ts';
import { renameCase } from './rename-case.ts';
import { type Run, type RunSetup, startRun } from './run.ts';
import { asSeen } from './server-mod-time.ts';
import { underSourceName } from './source-name.ts';
import { stoppableWork, untilStopped } from './stoppable-walk.ts';
import {
  type BothSides,
  decideAsking,
  decideAtOnce,
  type FileWork,
  logDecision,
  refer,
  type SyncPlan,
  settle,
  startWork,
} from './sync-files.ts';
import type { SyncOptions } from './sync-options.ts';
import { renameStrategy, trackRenames } from './track-renames.ts';
import { transferFile } from './transfer-file.ts';
import { createTransferQueue, type Transfer } from './transfer-queue.ts';
import { treeListed } from './tree-listed.ts';
import { type DirPair, type WalkVisitor, walkBoth } from './walk-both.ts';
import { walkSource } from './walk-source.ts';

/** How an attempt went. */
export interface Attempt {
  /** The error that decides the exit code; `undefined` where all went well. */
  readonly error: SyncerError | undefined;
  readonly errors: number;
  /** Another attempt may go better. */
  readonly worthRetrying: boolean;
  /** Files transferred. */
  readonly transferred: number;
}

/**
 * One attempt at a copy, sync or move: walk both sides → decide about each pair → transfer → delete.
 * Work starts before the listings end. Nothing is deleted unless every listing succeeded and no transfer
 * failed (`--ignore-errors` lifts that). Does not reject: errors are in the result.
 */
export async function attemptSync(setup: RunSetup, plan: SyncPlan): Promise<Attempt> {
  return attempt(setup, plan, async (work) => {
    const { run, verb, source, dest } = work;
    const changes = run.guard?.flag !== '--dry-run' && run.guard?.isSilent !== true;
    if (verb !== 'copy' && changes) await showNotWithin(source, dest, run.context.clock, run.op);
    if (plan.options.deletes === 'before') await deleteBefore(work);
    return transferTree(work);
  });
}

/** As `attemptSync` for a source that is one file: it goes to `path` of the destination. */
export async function attemptOneFile(
  setup: RunSetup,
  plan: SyncPlan,
  named: FileEntry,
  path: string,
): Promise<Attempt> {
  const file = asSeen(named, setup.useServerModTime);
  return attempt(setup, plan, async (work) => {
    const { run, options, dest } = work;
    const { emit } = run.context;
    const mustLook = options.backup !== undefined || options.immutable;
    const looks = !options.noCheckDest || mustLook;
    const found = looks ? await dest.stat(path, run.op) : undefined;
    const there = {
      remote: dest,
      file: { path, ...(found?.id === undefined ? {} : { id: found.id }) },
    };
    if (await run.places.isSameFile({ remote: work.source, file }, there)) {
      if (work.verb !== 'move' || file.path === path) return 0;
      if (dest.traits.caseInsensitive) await renameCase(work, file, path);
      else tellSameFile(run, file);
      return 0;
    }
    if (found?.kind === 'dir' && dest.traits.emptyDirs) {
      throw new SyncerError('not-a-file', `${dest.title}: "${path}" is a directory not a file`);
    }
    let transfer: Transfer | undefined;
    if (found?.kind === 'file') {
      const pair = { source: file, dest: asSeen(found, setup.useServerModTime) };
      const compared = await decideAsking(work, pair);
      transfer = compared === undefined ? undefined : await settle(work, compared);
    } else if (!options.existing) {
      transfer = await refer(work, { source: file, path }, 'named');
    }
    if (transfer === undefined) return 0;
    emit({ type: 'transfer-queued', files: 1, bytes: Math.max(0, file.size) });
    return (await transferFile(work, transfer)) ? 1 : 0;
  });
}

async function attempt(
  setup: RunSetup,
  plan: SyncPlan,
  body: (work: FileWork) => Promise<number>,
): Promise<Attempt> {
  const run = startRun(setup);
  const leave = setup.control?.enter();
  let transferred = 0;
  try {
    transferred = await body(startWork(run, plan));
  } catch (thrown) {
    if (setup.context.signal.aborted) return interrupted(run, setup.context.signal, transferred);
    if (run.tally.count === 0 || !run.op.signal.aborted) run.tally.add(thrown, undefined);
  } finally {
    leave?.();
  }
  const { deciding: error, count: errors } = run.tally;
  // What was in the way may be deleted by now, in spite of the errors.
  const mayHaveCleared = plan.options.ignoreErrors && plan.options.deletes !== 'off';
  const worthRetrying = run.tally.worthRetrying || (mayHaveCleared && error?.stop === false);
  return { error, errors, worthRetrying, transferred };
}

/** An attempt that was cut off from outside: why is told at the end of the run, and once. */
function interrupted({ tally }: Run, signal: AbortSignal, transferred: number): Attempt {
  const error = toSyncerError(signal.reason);
  return { error, errors: tally.count + 1, worthRetrying: false, transferred };
}

async function transferTree(work: FileWork): Promise<number> {
  const { run, options } = work;
  const renames = renameStrategy(work);
  const newFiles: FileEntry[] = [];
  let surplusFiles: FileEntry[] = [];
  const known = new KnownFiles();
  const surplusDirs: string[] = [];
  const sourceDirs: string[] = [];
  let transferred = 0;
  // A copy into its own source would find there what it has just written, and go on for ever.
  const { how } = await run.places.overlap(work.source, work.dest);
  const isInside = how === 'dest-in-source';
  if (work.verb === 'move') await run.places.areApart(work.source, work.dest);
  const held = { ...options, checkFirst: options.checkFirst || isInside };
  const missingDirs: DirPair[] = [];
  const obstructed = makesRoom(options) ? createObstructed() : undefined;
  const queueOf = (queued: FileWork) =>
    createTransferQueue(
      held,
      run.context,
      async (transfer) => {
        if (await transferFile(queued, transfer)) transferred++;
      },
      run.control?.places,
    );
  const queue = queueOf(
    obstructed === undefined ? work : { ...work, obstructed: obstructed.files },
  );
  const looking = stoppableWork(work);
  const isOver = () => looking.run.op.signal.aborted;
  const enqueue = (transfer: Transfer): Promise<void> => {
    const bytes = Math.max(0, transfer.source.size);
    run.context.emit({ type: 'transfer-queued', files: 1, bytes });
    return work.ownBackups?.hold(transfer) === true ? Promise.resolve() : queue.add(transfer);
  };
  const checks = checkPool(options, run.context);
  const takeNew = async (source: FileEntry) => {
    if (isOver()) return;
    const transfer = await refer(looking, { source, path: source.path }, 'new');
    if (transfer !== undefined) await enqueue(transfer);
  };
  const tell = (message: string) => run.log('info', work.dest.title, message);

  if (options.checkFirst) tell('Running all checks before starting transfers');
  const walking = walk(looking, makesRoom(options), {
    isFull: checks.isFull,
    async files(pairs) {
      work.ownBackups?.note(pairs);
      const both: BothSides[] = [];
      known.add(pairs);
      for (const { source, dest } of pairs) {
        if (isOver()) return;
        if (source !== undefined && dest !== undefined) both.push({ source, dest });
        else if (dest !== undefined) surplusFiles.push(dest);
        else if (source === undefined || options.existing) continue;
        else if (renames !== undefined) newFiles.push(source);
        else if (options.references === undefined) await enqueue({ source, path: source.path });
        else await checks.add(() => takeNew(source));
      }
      await checkPairs(looking, both, checks.add, enqueue);
    },
    async dirs(pairs) {
      for (const { source, dest } of pairs) {
        if (source !== undefined) sourceDirs.push(source.path);
        else if (dest !== undefined) surplusDirs.push(dest.path);
      }
      if (options.createEmptySrcDirs && isInside) missingDirs.push(...pairs);
      else if (options.createEmptySrcDirs)
        await makeMissingDirs(run, work.dest, pairs, obstructed?.dirs);
    },
  });
  try {
    await untilStopped(work, walking);
  } catch (thrown) {
    if (!run.op.signal.aborted) {
      run.tally.add(thrown, undefined);
      run.stop(toSyncerError(thrown));
    }
    // What has begun is broken off now, and must have removed its temporary files before the process ends.
    await Promise.allSettled([checks.idle(), queue.finish()]);
    throw thrown;
  }
  if (!isOver()) await makeMissingDirs(run, work.dest, missingDirs);
  await checks.idle();
  if (run.isStopping()) {
    await queue.finish();
    return transferred;
  }
  for (const transfer of work.ownBackups?.release() ?? []) await queue.add(transfer);
  if (renames !== undefined) {
    const left = await trackRenames(work, renames, newFiles, surplusFiles);
    surplusFiles = [...left.surplus];
    for (const source of left.newFiles) await enqueue({ source, path: source.path });
  }
  if (options.checkFirst) tell('Checks finished, now starting transfers');
  const early = options.deletes === 'during' ? deleteSurplus(work, surplusFiles, known) : undefined;
  await queue.finish();
  await early;
  run.op.signal.throwIfAborted();
  if (run.isStopping()) return transferred;
  const again = obstructed && release(work, obstructed, { files: surplusFiles, dirs: surplusDirs });
  if (options.deletes === 'after') await deleteSurplus(work, surplusFiles, known);
  if (makesRoom(options)) await removeSurplusDirs(work, surplusDirs);
  if (again !== undefined) {
    await makeMissingDirs(run, work.dest, again.dirs);
    const last = queueOf(work);
    for (const transfer of again.files) await last.add(transfer);
    await last.finish();
  }
  if (work.verb === 'move' && options.deleteEmptySrcDirs) {
    await removeMovedDirs(work, sourceDirs);
  }
  return transferred;
}

/** Whether what is deleted goes while the transfers run, or after them. */
function makesRoom({ deletes }: SyncOptions): boolean {
  return deletes === 'during' || deletes === 'after';
}

/** Settles the pairs of a page that the listings tell enough about, and gives the others to the checkers. */
async function checkPairs(
  work: FileWork,
  pairs: readonly BothSides[],
  check: (task: () => Promise<void>) => Promise<void>,
  enqueue: (transfer: Transfer) => Promise<void>,
): Promise<void> {
  if (pairs.length === 0) return;
  const { run, verb } = work;
  const { emit } = run.context;
  emit({ type: 'check-queued', files: pairs.length });
  let equal = 0;
  for (const pair of pairs) {
    if (run.op.signal.aborted) return;
    const atOnce = decideAtOnce(work, pair);
    if (atOnce?.decision.action === 'skip' && verb !== 'move') {
      logDecision(work, pair.source.path, atOnce.decision);
      equal++;
      continue;
    }
    await check(async () => {
      if (run.op.signal.aborted) return;
      const compared = atOnce ?? (await decideAsking(work, pair));
      const transfer = compared === undefined ? undefined : await settleNamed(work, compared);
      emit({ type: 'checked', files: 1 });
      if (transfer !== undefined) await enqueue(transfer);
    });
  }
  if (equal > 0) emit({ type: 'checked', files: equal });
}

/** As `settle`, and the file may come with another name. Never rejects. */
async function settleNamed(work: FileWork, compared: Compared): Promise<Transfer | undefined> {
  const transfer = await settle(work, compared);
  try {
    return transfer === undefined ? undefined : await underSourceName(work, transfer);
  } catch (thrown) {
    work.run.fail(thrown, compared.source.path, 'Failed to look up file: ');
    return undefined;
  }
}

async function walk(work: FileWork, destOnlyDirs: boolean, visitor: WalkVisitor): Promise<void> {
  const { run, options } = work;
  const { noCheckDest: skipDest, ignoreCaseSync: ignoreCase, checkers: width } = options;
  const listed = options.fastList ? treeListed : (remote: Remote) => remote;
  const [source, dest] = [listed(work.source), listed(work.dest)];
  const sides = { source, dest, skipDest, ignoreCase, width };
  const { fileList, deleteExcluded } = run.filter;
  // What the list leaves out is to be deleted: it has to be listed.
  const isListed = fileList !== undefined && !(deleteExcluded && options.deletes !== 'off');
  if (isListed || options.noTraverse) return walkSource(run, sides, visitor);
  const destFilter = run.filter.deleteExcluded ? passAllFilter : run.filter;
  const normalize = !options.noUnicodeNormalization;
  await walkBoth(run, { ...sides, destFilter, destOnlyDirs, normalize }, visitor);
}

/** `--delete-before`: a walk of its own that only deletes. */
async function deleteBefore(work: FileWork): Promise<void> {
  const files: FileEntry[] = [];
  const dirs: string[] = [];
  const known = new KnownFiles();
  const walking = walk(stoppableWork(work), true, {
    async files(pairs) {
      known.add(pairs);
      work.ownBackups?.note(pairs);
      for (const { source, dest } of pairs) {
        if (source === undefined && dest !== undefined) files.push(dest);
      }
    },
    async dirs(pairs) {
      for (const { source, dest } of pairs) {
        if (source === undefined && dest !== undefined) dirs.push(dest.path);
      }
    },
  });
  await untilStopped(work, walking);
  await deleteSurplus(work, files, known);
  await removeSurplusDirs(work, dirs);
}
