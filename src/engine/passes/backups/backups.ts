import { AS_FAR_AS_POSSIBLE } from '../../../core/entry-details.ts';
import { hasCode, SyncerError, toSyncerError } from '../../../core/errors.ts';
import type { FileEntry, Op, Remote } from '../../../core/remote.ts';
import { foldPath, leafName, parentPath } from '../../../core/remote-path.ts';
import type { Filter } from '../../../filter/filter.ts';
import { suffixedPath } from '../../../names/suffixed-path.ts';
import type { Transfer } from '../../action.ts';
import { leaveTransfer, pretendTransfer } from '../../consent.ts';
import { copyFile } from '../../copy/copy-file.ts';
import { entryAt, fileAt } from '../../file-at.ts';
import type { Aside } from '../../loss/keeper.ts';
import { moveFile, withMetadataAsIs } from '../../move-file.ts';
import type { OpenedPass, Pass, PassContext, PassGround } from '../../pass.ts';
import { isKeptOut, isSameStore, type Overlap, overlap } from '../../place/overlap.ts';
import type { Run } from '../../run.ts';

/** Where overwritten and deleted files of the destination are moved. */
export interface Backup {
  /** The remote of the backup (`--backup-dir`), or the destination itself (`--suffix` alone). */
  readonly remote: Remote;
  /** Appended to the name; `''` for none. */
  readonly suffix: string;
  /** The suffix goes before the extensions (`--suffix-keep-extension`). */
  readonly keepExtension: boolean;
  /** A file that the backup has already stays there, and the new one gets a number (`bisync`). */
  readonly keepsEarlier?: true;
}

/**
 * The path in the backup that a file gets: with `keepsEarlier` another one if that is taken, `f~2`, or if a file has the
 * name of a directory above it, `d~2/f`.
 */
async function pathInBackup(run: Run, path: string, backup: Backup): Promise<string> {
  const wanted = suffixedPath(path, backup);
  return backup.keepsEarlier === true ? freePath(run, wanted, backup.remote) : wanted;
}

async function freePath(run: Run, wanted: string, remote: Remote): Promise<string> {
  const { emptyDirs } = remote.traits;
  const at = (path: string) => (emptyDirs ? entryAt : fileAt)(run, remote, path);
  /** The file that has the name of a directory above the path. */
  let inTheWay: string | undefined;
  for (let dir = emptyDirs ? parentPath(wanted) : ''; dir !== ''; dir = parentPath(dir)) {
    const found = await entryAt(run, remote, dir);
    if (found?.kind === 'file') inTheWay = dir;
    if (found !== undefined) break;
  }
  const base = inTheWay ?? wanted;
  for (let n = 1; ; n++) {
    const free = n === 1 ? base : `${base}~${n}`;
    const found = await at(free);
    if (inTheWay === undefined && found === undefined) return free;
    if (inTheWay === undefined || found?.kind === 'file') continue;
    return freePath(run, free + wanted.slice(base.length), remote);
  }
}

/**
 * Rejects if the backup turns out to be at the source, under another name: it would replace files there, or the one
 * `file` that is about to be copied or moved.
 */
async function assertApart(
  { run, dest, source, isOne }: PassGround,
  { remote }: Backup,
  path: string,
  file?: FileEntry,
): Promise<void> {
  if (remote === dest) return;
  if (isOne !== true) {
    const way = await run.places.wayInto(source, remote, parentPath(path));
    if (way !== undefined && !isKeptOut(run.filter, way)) throw isOverSource(path);
    return run.places.showBackupApart(remote, source, run.filter);
  }
  if (file === undefined || leafName(path) !== leafName(file.path)) return;
  await run.places.showApart({ remote, file: { path } }, { remote: source, file });
}

/** The backup is not listed. */
const change = { replaces: 'look' } as const;

function isNoBackup({ path }: FileEntry): SyncerError {
  const message = 'the backup name refers to the same file';
  return new SyncerError('fatal', message, { path, advice: 'choose another --backup-dir' });
}

function isOverSource(path: string): SyncerError {
  const message = `the backup "${path}" would replace a file of the source`;
  const advice = 'choose another --backup-dir or --suffix';
  return new SyncerError('fatal', message, { path, advice });
}

/** `--backup-dir` and `--suffix`: if the replaced file may not be kept, nothing may replace it. */
function askingPass({ verb }: PassGround, backup: Backup): Pass {
  const mayKeep = async (
    run: Run,
    action: 'copy' | 'move',
    file: FileEntry,
    replaced: FileEntry,
  ) => {
    const { path } = replaced;
    const to = suffixedPath(path, backup);
    if (await run.mayChange({ do: 'rename', path, to, file: replaced, isBackup: true }))
      return true;
    pretendTransfer(run, 'rename', replaced);
    if (run.consent.how === 'pretend')
      await run.mayChange({ do: action, source: file, path: file.path });
    else run.log('notice', file.path, 'no-backup');
    return leaveTransfer(run, verb, action, file);
  };
  return {
    admit: ({ do: action, source: file, replaces }, run) =>
      run.consent.how === 'all' || replaces === undefined || mayKeep(run, action, file, replaces),
  };
}

/** Keeps files in the backup. */
function asideIn(work: PassGround, backup: Backup): Aside {
  const { run, dest, source, options } = work;
  const { remote } = backup;
  return {
    /**
     * A copy and not a move: the file stays in place until its replacement is complete. It counts as the move that it is
     * in rclone, and keeps the file's metadata as a move does, as far as they can be set.
     */
    async copy({ source: by }, file) {
      const path = await pathInBackup(run, file.path, backup);
      const there = { remote, file: { path } };
      if (await run.places.isSameFile({ remote: dest, file }, there)) throw isNoBackup(file);
      if (await run.places.isSameFile({ remote: source, file: by }, there))
        throw isOverSource(path);
      await assertApart(work, backup, path, by);
      const kind = 'server-rename';
      const job = { source: dest, file, dest: remote, path, kind, change } as const;
      try {
        await copyFile(run, job, { ...options, metadata: AS_FAR_AS_POSSIBLE });
      } catch (thrown) {
        if (!hasCode(thrown, 'metadata')) throw thrown;
        run.log('notice', file.path, 'backup-metadata', { why: thrown });
      }
      run.context.emit({ type: 'renamed', files: 1 });
      run.log('info', file.path, 'backup-copied', { to: path === file.path ? undefined : path });
      return { remote, path };
    },
    async take(file) {
      await assertApart(work, backup, file.path);
      const path = await pathInBackup(run, file.path, backup);
      const job = { source: dest, file, dest: remote, path, isStep: true, change } as const;
      const { how } = await moveFile(run, job, withMetadataAsIs(options));
      if (how === 'refused') throw isNoBackup(file);
      run.log('info', file.path, 'backup-moved');
    },
  };
}

/**
 * Backups beside the files (`--suffix` without `--backup-dir`): the name of one may be that of another file of the
 * source, which must not be lost. Transfers that overwrite a file wait until all names of the source are known.
 */
function besidePass(
  { dest, options: { existing } }: PassGround,
  backup: Backup,
  aside: Aside,
): Pass {
  const fold = (path: string) => foldPath(dest, path);
  const nameFor = ({ path }: FileEntry) => fold(suffixedPath(path, backup));
  /** Files of the source whose names backups could have. */
  const taken = new Set<string>();
  const waiting: Transfer[] = [];
  /** The names of the backups of these transfers. */
  const written = new Set<string>();
  const refuseTaken = (file: FileEntry) => {
    if (!taken.has(nameFor(file))) return;
    const { path } = file;
    const name = suffixedPath(path, backup);
    throw new SyncerError('already-exists', `the backup name "${name}" is also a source file`, {
      path,
      advice: 'choose another --suffix, or a --backup-dir',
    });
  };
  return {
    listed(pairs) {
      const suffix = fold(backup.suffix);
      for (const { source, dest, path: target } of pairs) {
        if (source === undefined || (dest === undefined && existing)) continue;
        const path = fold(target ?? source.path);
        if (path.includes(suffix)) taken.add(path);
      }
    },
    hold(transfer) {
      if (transfer.replaces === undefined) return false;
      waiting.push(transfer);
      written.add(nameFor(transfer.replaces));
      return true;
    },
    release: () => waiting.splice(0),
    chosen: () => written.clear(),
    admit({ replaces }) {
      if (replaces !== undefined) refuseTaken(replaces);
      return true;
    },
    aside: {
      copy: aside.copy,
      async take(file) {
        refuseTaken(file);
        await aside.take(file);
      },
    },
    /** A file is gone before another one takes its name; what this run replaces by a backup is not extra. */
    rounds(extra) {
      const rounds: (readonly FileEntry[])[] = [];
      let left = extra.filter(({ path }) => !written.has(fold(path)));
      while (left.length > 0) {
        const names = new Set(left.map(({ path }) => fold(path)));
        const isTaken = (file: FileEntry) => names.has(nameFor(file));
        rounds.push(left.filter((file) => !isTaken(file)));
        left = left.filter(isTaken);
      }
      return rounds;
    },
  };
}

/** `--backup-dir` and `--suffix`. */
export function backupPass(backup: Backup): OpenedPass {
  const { remote, suffix } = backup;
  return {
    byFile: true,
    keepsIn: remote,
    make(work) {
      const { dest } = work;
      const isBeside = suffix !== '' && remote.name === dest.name && remote.root === dest.root;
      const aside = asideIn(work, backup);
      const keeping = isBeside ? besidePass(work, backup, aside) : { aside };
      return [keeping, askingPass(work, backup)];
    },
  };
}

/** Opens `--backup-dir`; without it files are kept in place. Rejects with `fatal` if that is not possible. */
export async function openBackup(
  dir: string | undefined,
  name: Omit<Backup, 'remote'>,
  context: PassContext,
): Promise<OpenedPass> {
  if (!dir) return backupPass({ ...name, remote: context.dest });
  const remote = await context.openDir(dir).catch((thrown) => {
    const { message } = toSyncerError(thrown);
    throw new SyncerError('fatal', `--backup-dir "${dir}": ${message}`, { cause: thrown });
  });
  const backup = { ...name, remote };
  const filter = context.isFile === true ? undefined : await context.filter();
  await refuseBackupAt(context, backup, filter, { signal: context.context.signal });
  return backupPass(backup);
}

/**
 * Refuses a backup directory on another remote, or one that overlaps the source or destination (exit code 7).
 *
 * @param filter absent for a run with one file: as in rclone, only a backup that would replace the file itself is refused
 */
export async function refuseBackupAt(
  { source, dest }: Pick<PassContext, 'source' | 'dest'>,
  { remote: backup, suffix }: Pick<Backup, 'remote' | 'suffix'>,
  filter: Filter | undefined,
  op: Op,
): Promise<void> {
  if (!isSameStore(backup, dest)) {
    const text = 'parameter to --backup-dir has to be on the same remote as destination';
    throw new SyncerError('fatal', text);
  }
  const isWrong = ({ how, way }: Overlap, side: Remote) => {
    if (how === 'same' && (filter === undefined || side === dest)) return suffix === '';
    if (filter === undefined) return false;
    return how === 'dest-in-source' ? !isKeptOut(filter, way) : how !== 'apart';
  };
  const wrong = filter === undefined ? 'be the same' : 'overlap';
  for (const [what, side] of Object.entries({ destination: dest, source })) {
    if (!isWrong(await overlap(side, backup, op), side)) continue;
    throw new SyncerError('fatal', `${what} and parameter to --backup-dir mustn't ${wrong}`);
  }
}
