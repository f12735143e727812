import { SyncerError, toSyncerError } from '../core/errors.ts';
import type { FileEntry } from '../core/remote.ts';
import type { Over, Sides, Transfer } from './action.ts';
import { commonGround } from './compare-pair.ts';
import { leaveTransfer, type SeenPath } from './consent.ts';
import type { FileWork, RequestedWork, SyncRequest } from './file-work.ts';
import { keeperOf } from './loss/keeper.ts';
import type { Pass, PassGround } from './pass.ts';
import { showNotWithin } from './place/places.ts';
import { planRules } from './rules/list.ts';
import { type Attempt, type RunSetup, startRun } from './run.ts';
import { createTransferLimit } from './run-limits.ts';
import { isOnWord, ShownCopies } from './shown-copies.ts';
import { transferTree } from './tree-transfer.ts';

/**
 * One attempt at a copy, sync or move: walk both sides → decide about each pair → transfer → delete.
 * Work starts before the listings end. Nothing is deleted unless every listing succeeded and no transfer
 * failed (`--ignore-errors` lifts that). Does not reject: errors are in the result.
 */
export async function attemptSync(setup: RunSetup, plan: SyncRequest): Promise<Attempt> {
  return attempt(setup, plan, async (work) => {
    const { run, verb, source, dest } = work;
    const { how } = run.consent;
    const changes = how === 'all' || how === 'ask';
    if (verb !== 'copy' && changes && plan.inPlace !== true)
      await showNotWithin(source, dest, [dest], run.filter, run);
    await transferTree(work);
  });
}

/** An attempt whose work is `body`. Does not reject: errors are in the result. */
export async function attempt(
  setup: RunSetup,
  plan: SyncRequest,
  body: (work: FileWork) => Promise<void>,
): Promise<Attempt> {
  const run = startRun(setup);
  const leave = setup.control?.enter();
  try {
    if (plan.roots !== undefined) run.places.know(plan.source, plan.dest, plan.roots);
    const ground = commonGround(plan.source, plan.dest, plan.options.modifyWindowNs);
    await body(readied({ ...plan, run, ground, limit: createTransferLimit(run, plan.options) }));
    // A file that a run at its end does not begin is no success.
    if (run.transferred.files === 0) setup.context.signal.throwIfAborted();
  } catch (thrown) {
    const { aborted, reason } = setup.context.signal;
    if (aborted) {
      // The reason is reported once, at the end of the run.
      const { tally, transferred } = run;
      const ended = { error: toSyncerError(reason), errors: tally.count + 1 };
      return { ...ended, worthRetrying: false, transferred: transferred.files };
    }
    if (run.tally.count === 0 || !run.op.signal.aborted) run.tally.add(thrown, undefined);
  } finally {
    leave?.();
  }
  const { deciding: error, count: errors } = run.tally;
  // The obstacle may be deleted by now, in spite of the errors.
  const mayHaveCleared = plan.options.ignoreErrors && plan.options.deletes !== 'off';
  const mayGoBetter = mayHaveCleared && error?.stop === false && error.code !== 'no-retry';
  const worthRetrying = run.tally.worthRetrying || mayGoBetter;
  return { error, errors, worthRetrying, transferred: run.transferred.files };
}

/** The work with its passes, in the order in which they are asked, and what else is the same for each file. */
export function readied(work: RequestedWork): FileWork {
  const opened = work.options.passes.flatMap(({ make }) => make(work) ?? []);
  const keeper = keeperOf(opened, work.options);
  const passes = [
    work.limit && { admit: work.limit.mayStart },
    ...(work.more ?? []),
    ...opened,
    consentPass(work),
    rangesPass(work),
  ].filter((pass) => pass !== undefined);
  const { run, options, isWaited } = work;
  let overNothing: Over = { change: { replaces: 'nothing' } };
  if (isWaited === true)
    overNothing = { change: { replaces: 'nothing', replacesOnly: { file: 'nothing' } } };
  else if (options.noCheckDest || run.filter.looksBeyondPaths === true) overNothing = {};
  const { verb, dest, isOne } = work;
  const looksLater = verb === 'move' && isOne !== true && isOnWord(dest);
  const copies = looksLater
    ? new ShownCopies(run, options, dest, options.checkers, verb)
    : undefined;
  return { ...work, rules: planRules({ ...work, keeper }), copies, keeper, overNothing, passes };
}

/**
 * `--dry-run`, `--interactive` and `--review` of transfers; absent without them. With `--dry-run` a copy counts as done
 * and a move does not, as in rclone. A transfer whose backup was refused (`askingPass`) does not come here.
 */
function consentPass(work: PassGround): Pass | undefined {
  const { verb, source, dest, options } = work;
  if (work.run.consent.how === 'all') return undefined;
  return {
    async admit(transfer, run) {
      const isRenamed = options.transform !== undefined && run.consent.how === 'pretend';
      const { source: file, replaces, path } = transfer;
      const seen: SeenPath[] = [{ remote: source, path: file.path, listed: file }];
      if (replaces !== undefined || !options.noCheckDest)
        seen.push({ remote: dest, path: replaces?.path ?? path, listed: replaces });
      const isPart = replaces !== undefined && (await mayCopyParts(work, transfer, replaces));
      const size = isPart ? ({ mayCopyParts: true } as const) : {};
      const may = await run.mayChange({ ...transfer, isRenamed, ...size }, seen);
      return may || leaveTransfer(run, verb, transfer.do, transfer.source);
    },
  };
}

/** Whether the store may copy parts of the file that a transfer replaces. */
async function mayCopyParts(
  { source, dest }: Sides,
  { source: file, from }: Transfer,
  replaces: FileEntry,
): Promise<boolean> {
  if (source.can.pieces === undefined || from !== undefined) return false;
  return (await dest.can.mayCopyParts?.(replaces, file.size)) === true;
}

/**
 * A move in ranges of names (`--checkpoint`): it deletes only what a listing has shown at the destination, so that a file
 * is copied first, and another attempt finds it there. What was copied from a reference directory is done.
 */
function rangesPass({ verb, range }: PassGround): Pass | undefined {
  if (verb !== 'move' || range === undefined) return undefined;
  return {
    async done({ source: { path }, from }) {
      if (from !== undefined) return;
      const why = 'it was changed since it was copied, and copied again';
      throw new SyncerError('other', `${why}; it stays at the source until it is compared again`, {
        path,
      });
    },
  };
}
