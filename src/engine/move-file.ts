import { changesMetadata } from '../core/entry-details.ts';
import { toSyncerError } from '../core/errors.ts';
import type { FileEntry, Op, Remote } from '../core/remote.ts';
import { deleteOne } from '../core/remote-calls.ts';
import type { CopyJob } from './action.ts';
import { pretendTransfer, type SeenPath } from './approval.ts';
import { type CopyResult, copyFile, logCopied, mayWorkInStore, stepOf } from './copy-file.ts';
import type { PassGround, Rename } from './pass.ts';
import { perform } from './perform.ts';
import type { FileAt } from './place/places.ts';
import type { Run, TransferLimit } from './run.ts';
import { proveCopy, type ShownCopies } from './shown-copies.ts';
import type { PlainOptions } from './sync-option-parts.ts';
import { createTaskPool } from './task-pool.ts';

/** How a file was moved, and its entry at the destination, if the remote returned it. */
export interface MoveResult {
  readonly how: 'moved' | 'copied' | 'refused';
  readonly written?: FileEntry | undefined;
}

/**
 * Moves one file: server-side if possible, else copied, verified, and only then deleted. Resolves to how, or to
 * `refused` if the `limit` forbids copying or deleting it, or if it is there already under another name. Rejects with
 * the error; the source then still exists.
 *
 * @param limit of a `move`, where the file counts as a transfer; without it the move is part of other work, and counts
 *   as a check, as in rclone
 * @param copies deletes the source later, if only the word of another program says that the copy was made
 */
export async function moveFile(
  run: Run,
  job: CopyJob,
  options: PlainOptions,
  limit?: TransferLimit,
  copies?: ShownCopies,
): Promise<MoveResult> {
  const [doomed, kept] = [
    { remote: job.source, file: job.file },
    { remote: job.dest, file: { path: job.path } },
  ];
  if (await run.places.isSameFile(doomed, kept)) {
    run.log('notice', job.file.path, 'same-file');
    return REFUSED;
  }
  const shown = run.places.showApart(doomed, kept);
  if (shown !== undefined) await shown;
  const moved = await moveInStore(run, job, options, limit);
  if (moved === 'refused') return REFUSED;
  if (moved !== undefined) return { how: 'moved', written: moved };
  const { file } = job;
  const may = limit?.bytes?.mayCopy(job.path, file.size) ?? true;
  if (!(await may)) return REFUSED;
  if (limit !== undefined && !(await limit.mayDelete(job.source, file))) return REFUSED;
  const copied = await copyFile(run, job, options).catch((thrown) => {
    limit?.deletes.giveBack(file);
    throw thrown;
  });
  logCopied(run, job, copied.how);
  limit?.bytes?.copied(file.size, copied.file.size);
  if (copies === undefined) {
    try {
      await proveCopy(run, job, copied.file, options);
      await deleteMoved(run, job, copied, limit === undefined);
    } catch (thrown) {
      limit?.deletes.settle(job.source, file, thrown);
      throw thrown;
    }
    limit?.deletes.settle(job.source, file);
  } else {
    // Its deletion is taken from the budget now: one that waits to the end must not keep the others waiting.
    limit?.deletes.settle(job.source, file);
    await copies.add(job, copied.file, {
      deleteSource: () => deleteMoved(run, job, copied, limit === undefined),
      onFailed: () => limit?.deletes.refund(file),
    });
  }
  return { how: 'copied', written: copied.file };
}

/** Deletes the source of a copy, whose content is at the destination. `isPart`: see `limit` of `moveFile`. */
async function deleteMoved(
  run: Run,
  job: CopyJob,
  { source }: CopyResult,
  isPart: boolean,
): Promise<void> {
  const { file } = job;
  const op = keeping(run.op, { remote: job.dest, path: job.path });
  await deleteOne(job.source, source, op, { ifUnchanged: true });
  const { emit } = run.context;
  emit({ type: 'deleted', files: 1, dirs: 0, bytes: Math.max(0, file.size), moved: true });
  if (isPart) {
    emit({ type: 'check-queued', files: 1 });
    emit({ type: 'checked', files: 1 });
  }
  emit({ type: 'renamed', files: 1 });
  run.log('info', file.path, 'deleted', stepOf(job));
}

const REFUSED: MoveResult = { how: 'refused' };

/** For files of the destination that get another name: `--metadata-set` and the like are for copies of the source. */
export function withMetadataAsIs(options: PlainOptions): PlainOptions {
  return options.metadata === undefined ? options : { ...options, metadata: { set: {} } };
}

/** For the deletion of a file of the source, whose content is at the destination. */
function keeping(op: Op, keptAt: NonNullable<Op['change']>['keptAt']): Op {
  return { ...op, change: { ...op.change, ...(keptAt && { keptAt }) } };
}

/** Renames the file server-side; `undefined` if the remote cannot, `refused` if it must not delete what it replaces. */
async function moveInStore(
  run: Run,
  job: CopyJob,
  options: PlainOptions,
  limit: TransferLimit | undefined,
): Promise<FileEntry | undefined | 'refused'> {
  const { source, dest, file, path } = job;
  const moveFrom = mayWorkInStore(job, options) ? dest.can.moveFrom : undefined;
  if (moveFrom === undefined) return undefined;
  // A rename keeps the metadata as it is: the copy of it gets the changed one.
  const { metadata } = options;
  if (dest.traits.onDisk && changesMetadata(metadata)) return undefined;
  if (metadata?.map !== undefined) return undefined;
  const { emit } = run.context;
  const id = ++run.ids.last;
  const size = Math.max(0, file.size);
  const kind = limit === undefined ? 'server-rename' : 'server-move';
  // As in rclone, which deletes it first.
  const replaced = job.change?.keptAt === undefined ? job.replaces : undefined;
  if (replaced && limit && !(await limit.mayDelete(dest, replaced))) return 'refused';
  const started = () => emit({ type: 'transfer-start', id, kind, path: file.path, size });
  let written: FileEntry | undefined;
  try {
    const op = { ...run.op, change: job.change };
    written = await moveFrom(source, file, path, op, options.metadata);
    if (written === undefined) {
      if (replaced) limit?.deletes.giveBack(replaced);
      return undefined;
    }
    if (replaced) limit?.deletes.settle(dest, replaced);
  } catch (thrown) {
    if (replaced) limit?.deletes.settle(dest, replaced, thrown);
    started();
    emit({ type: 'transfer-end', id, error: toSyncerError(thrown) });
    throw thrown;
  }
  started();
  emit({ type: 'transfer-bytes', id, bytes: size });
  emit({ type: 'transfer-end', id });
  emit({ type: 'renamed', files: 1 });
  const to = path === file.path ? undefined : path;
  run.log('info', file.path, 'moved', { to, ...stepOf(job) });
  return written;
}

/**
 * Deletes a file of the source whose content `kept` has, unless that is the same file. Errors are counted.
 *
 * @param isKept `kept` has its content and time for sure
 */
export async function deleteSource(
  work: { readonly run: Run; readonly source: Remote; readonly limit: TransferLimit },
  source: FileEntry,
  kept: FileAt | { readonly remote: Remote; readonly file: FileEntry },
  isKept = true,
): Promise<void> {
  const { run, source: remote, limit } = work;
  try {
    const doomed = { remote, file: source };
    if (await run.places.isSameFile(doomed, kept))
      return run.log('notice', source.path, 'same-file');
    // A plan counts when it is carried out.
    const counts = run.approval?.plans !== true;
    if (counts && !(await limit.mayDelete(remote, source))) return;
    const seen: SeenPath[] = [{ remote, path: source.path, listed: source }];
    if ('kind' in kept.file)
      seen.push({ remote: kept.remote, path: kept.file.path, listed: kept.file });
    const action = { do: 'delete', file: source, side: 'source' } as const;
    const acting = perform(run, remote, action, {
      seen,
      before: () => run.places.showApart(doomed, kept),
      op: isKept ? keeping(run.op, { ...kept, path: kept.file.path }) : run.op,
      ifUnchanged: true,
    });
    await acting.then(
      () => counts && limit.deletes.settle(remote, source),
      (thrown) => {
        if (counts) limit.deletes.settle(remote, source, thrown);
        throw thrown;
      },
    );
  } catch (thrown) {
    run.fail(thrown, source.path, 'delete');
  }
}

/**
 * Whether the content of a source that is about to be deleted is as long as its listed size, by which it was compared.
 * If that cannot be found out, its transfer reports why.
 */
export async function hasListedSize(
  { run, source: { can } }: { readonly run: Run; readonly source: Remote },
  file: FileEntry,
): Promise<boolean> {
  const { confirmSize } = can;
  if (confirmSize === undefined) return true;
  const now = await confirmSize(file, run.op).catch(() => undefined);
  return now?.size === file.size;
}

/**
 * Renames files at the destination. Resolves to those of both sides for which that succeeded, or was refused.
 *
 * @param targets the new paths of files that have another one at the source
 */
export async function renameFiles(
  work: PassGround,
  renames: readonly Rename[],
  targets?: ReadonlyMap<FileEntry, string>,
): Promise<ReadonlySet<FileEntry>> {
  const { run, options, dest: remote, limit } = work;
  const done = new Set<FileEntry>();
  const pool = createTaskPool(options.transfers, 0);
  const rename = async ({ source, dest }: Rename) => {
    const { path } = dest;
    const to = targets?.get(source) ?? source.path;
    const seen = [
      { remote, path, listed: dest },
      { remote, path: to },
      { remote: work.source, path: source.path, listed: source },
    ];
    try {
      const may = await run.mayChange({ do: 'rename', path, to, file: dest, source }, seen);
      if (may) {
        const spot = { source: remote, file: dest, dest: remote, path: to } as const;
        const job = { ...spot, isStep: true, change: { replaces: 'nothing' } } as const;
        const { written } = await moveFile(run, job, withMetadataAsIs(options));
        run.outcomes?.arrived(to, source, dest, written);
        run.outcomes?.gone(path);
      } else if (run.approval?.pretends === true) pretendTransfer(run, 'rename', dest);
      if (may || run.approval?.pretends === true)
        run.log('info', source.path, 'renamed', { from: path });
      done.add(source).add(dest);
    } catch (thrown) {
      // It is copied and deleted then.
      const error = toSyncerError(thrown);
      if (error.stop) run.fail(error, path, 'rename');
      run.log('debug', path, 'rename-failed', { to, why: error });
    }
  };
  for (const one of renames) {
    const mayStart = limit.bytes?.mayStart() ?? true;
    if (run.op.signal.aborted || !mayStart || run.isStopping()) break;
    await pool.add(() => rename(one));
  }
  await pool.idle();
  return done;
}
