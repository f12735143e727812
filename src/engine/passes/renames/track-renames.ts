import { toSyncerError } from '../../../core/errors.ts';
import type { LogFields } from '../../../core/log-fields.ts';
import type { FileEntry } from '../../../core/remote.ts';
import type { FileWork } from '../../file-work.ts';
import { moveFile, withMetadataAsIs } from '../../move-file.ts';
import type { Run } from '../../run.ts';
import { createTaskPool } from '../../task-pool.ts';
import { matchRenames, type Rename, type RenameStrategy } from './match-renames.ts';
import { renameCandidates } from './rename-candidates.ts';

/**
 * What identifies renamed files; `undefined` without `--track-renames`, and if the two sides lack what it needs,
 * which is logged.
 */
export function renameStrategy({
  run,
  options,
  ground,
  dest,
}: FileWork): RenameStrategy | undefined {
  const strategy = options.trackRenames;
  if (strategy === false) return undefined;
  const lacks: LogFields['renames-ignored']['lack'][] = [];
  if (dest.can.moveFrom === undefined && dest.can.copyFrom === undefined) {
    lacks.push('server-side');
  }
  if (strategy.hash && ground.hash === undefined) {
    lacks.push('hash');
  }
  if (strategy.modTime && ground.windowNs === undefined) {
    lacks.push('mod-time');
  }
  for (const lack of lacks) run.log('error', dest.title, 'renames-ignored', { lack });
  return lacks.length === 0 ? strategy : undefined;
}

/** `--track-renames`: the new files of the source that match an extra file of the destination. */
export async function findRenames(
  work: FileWork,
  strategy: RenameStrategy,
  newFiles: readonly FileEntry[],
  extra: readonly FileEntry[],
): Promise<readonly Rename[]> {
  const { title } = work.dest;
  work.run.log('info', title, 'renames-begin');
  countChecks(work, newFiles, extra);
  const { source, dest } = await renameCandidates(work, strategy, newFiles, extra);
  const { renames, ambiguous } = matchRenames(source, dest, {
    windowNs: work.ground.windowNs ?? 1n,
    sameContent: strategy.hash,
  });
  work.run.log('info', title, 'renames-end');
  if (ambiguous > 0) work.run.log('info', title, 'renames-ambiguous', { files: ambiguous });
  return renames;
}

/**
 * Renames files at the destination. Resolves to those of both sides for which that succeeded, or was refused.
 *
 * @param targets the new paths of files that have another one at the source
 */
export async function renameFiles(
  work: FileWork,
  renames: readonly Rename[],
  targets?: ReadonlyMap<FileEntry, string>,
): Promise<ReadonlySet<FileEntry>> {
  const done = new Set<FileEntry>();
  const pool = createTaskPool(work.options.transfers, 0);
  for (const rename of renames) {
    if (work.run.op.signal.aborted || !work.limit.mayStart()) break;
    await pool.add(async () => {
      const to = targets?.get(rename.source) ?? rename.source.path;
      if (await carryOut(work, rename, to)) done.add(rename.source).add(rename.dest);
    });
  }
  await pool.idle();
  return done;
}

/** Counts a move that a trial refused as done. */
function pretendMove({ context, nextId }: Run, { path, size: told }: FileEntry): void {
  const [id, size] = [nextId(), Math.max(0, told)];
  context.emit({ type: 'transfer-start', id, kind: 'server-rename', path, size });
  context.emit({ type: 'transfer-bytes', id, bytes: size });
  context.emit({ type: 'transfer-end', id });
  context.emit({ type: 'renamed', files: 1 });
}

/** Counts the files that may have been renamed by their sizes as checks, as rclone does. */
function countChecks(
  { run }: FileWork,
  newFiles: readonly FileEntry[],
  extra: readonly FileEntry[],
): void {
  const sizes = new Set(newFiles.map(({ size }) => size));
  const files = extra.reduce((sum, { size }) => (sizes.has(size) ? sum + 1 : sum), 0);
  run.context.emit({ type: 'check-queued', files });
  run.context.emit({ type: 'checked', files });
}

/** Renames a file at the destination. `false` if that failed: it is then copied and deleted. */
async function carryOut(work: FileWork, { source, dest }: Rename, to: string): Promise<boolean> {
  const { run, options } = work;
  try {
    const seen = [
      { remote: work.dest, path: dest.path, listed: dest },
      { remote: work.dest, path: to },
    ];
    if (await run.mayChange({ do: 'rename', path: dest.path, to, file: dest, source }, seen)) {
      const job = {
        ...{ source: work.dest, file: dest, dest: work.dest, path: to },
        isStep: true,
      } as const;
      const { written } = await moveFile(run, job, withMetadataAsIs(options));
      run.outcomes?.arrived(to, source, dest, written);
      run.outcomes?.gone(dest.path);
    } else {
      if (run.guard?.pretends !== true) return true;
      pretendMove(run, dest);
    }
  } catch (thrown) {
    const error = toSyncerError(thrown);
    if (error.stop) run.fail(error, dest.path, 'rename');
    run.log('debug', dest.path, 'rename-failed', { to, why: error });
    return false;
  }
  run.log('info', source.path, 'renamed', { from: dest.path });
  return true;
}
