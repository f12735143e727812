import { changesMetadata } from '../core/entry-details.ts';
import { toSyncerError } from '../core/errors.ts';
import type { FileEntry, Remote } from '../core/remote.ts';
import type { CopyJob } from './action.ts';
import { pretendTransfer } from './consent.ts';
import { type CopyResult, copyFile, logCopied, mayWorkInStore, stepOf } from './copy/copy-file.ts';
import { loseCopied } from './loss/lose-source.ts';
import { loseRenamedOver } from './loss/replace.ts';
import type { PassGround, Rename } from './pass.ts';
import type { Run } from './run.ts';
import type { TransferLimit } from './run-limits.ts';
import { proveCopy, type ShownCopies } from './shown-copies.ts';
import type { PlainOptions } from './sync-option-parts.ts';
import { createTaskPool } from './task-pool.ts';

/** How a file was moved, and its entry at the destination, if the remote returned it. */
export interface MoveResult {
  readonly how: 'moved' | 'copied' | 'refused';
  readonly written?: FileEntry | undefined;
}

/** What a file of a `move` has, which counts as a transfer; a move without it is part of other work. */
export interface OwnMove {
  readonly limit: TransferLimit | undefined;
  /** Sources that go later, if only the word of another program says that the copy was made. */
  readonly copies: ShownCopies | undefined;
}

/**
 * Moves one file: server-side if possible, else copied, verified, and only then deleted. Resolves to how, or to
 * `refused` if it may not be copied or deleted, or if it is there already under another name. Rejects with the error; the
 * source then still exists.
 *
 * @param own absent: the move is part of other work, and counts as a check, as in rclone
 */
export async function moveFile(
  run: Run,
  job: CopyJob,
  options: PlainOptions,
  own?: OwnMove,
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
  const isPart = own === undefined;
  const moved = await moveInStore(run, job, options, isPart);
  if (moved === 'refused') return REFUSED;
  if (moved !== undefined) return { how: 'moved', written: moved };
  const { file } = job;
  const may = own?.limit?.mayCopy(job.path, file.size) ?? true;
  if (!(await may)) return REFUSED;
  let copied: CopyResult = { file, source: file, how: 'copied' };
  const copies = own?.copies;
  const done = () => {
    const { emit } = run.context;
    if (isPart) {
      emit({ type: 'check-queued', files: 1 });
      emit({ type: 'checked', files: 1 });
    }
    emit({ type: 'renamed', files: 1 });
  };
  const how = await loseCopied(run, job, {
    isPart,
    copied: () => copied.source,
    async first() {
      copied = await copyFile(run, job, options);
      logCopied(run, job, copied);
      own?.limit?.copied(file.size, copied.file);
      if (copies === undefined) await proveCopy(run, job, copied.file, options);
    },
    ...(copies && {
      later: ({ lose, keep }) =>
        copies.add(job, copied.file, { onShown: () => lose().then(done), onFailed: keep }),
    }),
  });
  if (how === 'over') return REFUSED;
  if (how === 'gone') done();
  return { how: 'copied', written: copied.file };
}

const REFUSED: MoveResult = { how: 'refused' };

/** For files of the destination that get another name: `--metadata-set` and the like are for copies of the source. */
export function withMetadataAsIs(options: PlainOptions): PlainOptions {
  return options.metadata === undefined ? options : { ...options, metadata: { set: {} } };
}

/** Renames the file server-side; `undefined` if the remote cannot, `refused` if it must not delete what it replaces. */
async function moveInStore(
  run: Run,
  job: CopyJob,
  options: PlainOptions,
  isPart: boolean,
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
  const kind = isPart ? 'server-rename' : 'server-move';
  const started = () => emit({ type: 'transfer-start', id, kind, path: file.path, size });
  let written: FileEntry | undefined;
  try {
    const op = { ...run.op, change: job.change };
    const how = await loseRenamedOver(run, job, isPart, async () => {
      written = await moveFrom(source, file, path, op, options.metadata);
      return written === undefined ? 'nothing' : undefined;
    });
    if (how === 'over') return 'refused';
    if (written === undefined) return undefined;
  } catch (thrown) {
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
      } else if (run.consent.how === 'pretend') pretendTransfer(run, 'rename', dest);
      if (may || run.consent.how === 'pretend')
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
    const mayStart = limit?.mayStart() ?? true;
    if (run.op.signal.aborted || !mayStart || run.isStopping()) break;
    await pool.add(() => rename(one));
  }
  await pool.idle();
  return done;
}
