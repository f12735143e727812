import { SyncerError, toSyncerError } from '../core/errors.ts';
import type { FileEntry } from '../core/remote.ts';
import { asSeen } from './as-seen.ts';
import { commonGround } from './compare-pair.ts';
import type { Transfer } from './copy-job.ts';
import type { FileWork, SyncPlan } from './file-work.ts';
import { tellSameFile } from './move-file.ts';
import { ownBackups } from './own-backups.ts';
import { showNotWithin } from './place/show-apart.ts';
import { renameCase } from './rename-case.ts';
import { type Attempt, type Run, type RunSetup, startRun } from './run.ts';
import { decideAsking, refer, settle } from './sync-files.ts';
import { transferFile } from './transfer-file.ts';
import { createTransferLimit } from './transfer-limit.ts';
import { deleteBefore, transferTree } from './tree-transfer.ts';

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
    await transferTree(work);
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
      if (work.verb !== 'move' || file.path === path) return;
      if (dest.traits.caseInsensitive) await renameCase(work, file, path);
      else tellSameFile(run, file);
      return;
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
    if (transfer === undefined) return;
    emit({ type: 'transfer-queued', files: 1, bytes: Math.max(0, file.size) });
    await transferFile(work, transfer);
  });
}

async function attempt(
  setup: RunSetup,
  plan: SyncPlan,
  body: (work: FileWork) => Promise<void>,
): Promise<Attempt> {
  const run = startRun(setup);
  const leave = setup.control?.enter();
  try {
    await body(startWork(run, plan));
  } catch (thrown) {
    if (setup.context.signal.aborted) return interrupted(run, setup.context.signal);
    if (run.tally.count === 0 || !run.op.signal.aborted) run.tally.add(thrown, undefined);
  } finally {
    leave?.();
  }
  const { deciding: error, count: errors } = run.tally;
  // The obstacle may be deleted by now, in spite of the errors.
  const mayHaveCleared = plan.options.ignoreErrors && plan.options.deletes !== 'off';
  const worthRetrying = run.tally.worthRetrying || (mayHaveCleared && error?.stop === false);
  return { error, errors, worthRetrying, transferred: run.transferred.files };
}

/** Sets up the work of an attempt. */
function startWork(run: Run, plan: SyncPlan): FileWork {
  const own = ownBackups(plan);
  if (plan.roots !== undefined) run.places.know(plan.source, plan.dest, plan.roots);
  return {
    ...plan,
    run,
    ground: commonGround(plan.source, plan.dest, plan.options.modifyWindowNs),
    limit: createTransferLimit(run, plan.options),
    ...(own === undefined ? {} : { ownBackups: own }),
  };
}

/** An aborted attempt: the reason is reported once, at the end of the run. */
function interrupted({ tally, transferred }: Run, signal: AbortSignal): Attempt {
  const error = toSyncerError(signal.reason);
  return { error, errors: tally.count + 1, worthRetrying: false, transferred: transferred.files };
}
