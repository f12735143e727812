import { AS_FAR_AS_POSSIBLE } from '../../../core/entry-details.ts';
import { hasCode, SyncerError, toSyncerError } from '../../../core/errors.ts';
import { foldPath } from '../../../core/naming.ts';
import type { FileEntry, Op, Remote } from '../../../core/remote.ts';
import { leafName, parentPath } from '../../../core/remote-path.ts';
import type { Filter } from '../../../filter/filter.ts';
import { suffixedPath } from '../../../kit/suffixed-path.ts';
import type { FilePair, Transfer } from '../../action.ts';
import { leaveTransfer, pretendTransfer } from '../../change-guard.ts';
import { copyFile } from '../../copy-file.ts';
import { fileAt } from '../../file-at.ts';
import { moveFile, withMetadataAsIs } from '../../move-file.ts';
import type { OpenedPass, Pass, PassContext, PassGround } from '../../pass.ts';
import { isKeptOut, isSameStore, type Overlap, overlap } from '../../place/overlap.ts';
import type { PlainOptions } from '../../plain-options.ts';
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

/** The path in the backup that a file gets: with `keepsEarlier` another one if that is taken, `f~2`. */
async function pathInBackup(run: Run, path: string, backup: Backup): Promise<string> {
  const wanted = suffixedPath(path, backup);
  if (backup.keepsEarlier !== true) return wanted;
  for (let n = 1; ; n++) {
    const free = n === 1 ? wanted : `${wanted}~${n}`;
    if ((await fileAt(run, backup.remote, free)) === undefined) return free;
  }
}

/** What a backup is made for: what comes from a source, or one file of it alone. */
interface BackedUpFor {
  readonly source: Remote;
  /** The file that is about to be copied or moved. */
  readonly file?: FileEntry;
  readonly isOne?: boolean;
}

/** Rejects if the backup turns out to be at the source, under another name: it would replace files there, or that one. */
async function assertApart(
  run: Run,
  { remote }: Backup,
  path: string,
  { source, file, isOne }: BackedUpFor,
): Promise<void> {
  if (isOne !== true) {
    const way = await run.places.wayInto(source, remote, parentPath(path));
    if (way !== undefined && !isKeptOut(run.filter, way)) throw isOverSource(path);
    return run.places.showBackupApart(remote, source, run.filter);
  }
  if (file === undefined || leafName(path) !== leafName(file.path)) return;
  await run.places.showApart({ remote, file: { path } }, { remote: source, file });
}

/** The backup is not listed. */
const ANY = { change: { replaces: 'look' } } as const;

/**
 * Copies a file that is about to be overwritten into the backup, and resolves to its path there. A copy and not a move:
 * the file stays in place until its replacement is complete. It counts as the move that it is in rclone, and keeps the
 * file's metadata as a move does, as far as they can be set.
 */
async function backUpBeforeReplace(
  run: Run,
  dest: Remote,
  file: FileEntry,
  backup: Backup,
  from: BackedUpFor & { readonly file: FileEntry },
  options: PlainOptions,
): Promise<string> {
  const path = await pathInBackup(run, file.path, backup);
  const job = {
    source: dest,
    file,
    dest: backup.remote,
    path,
    kind: 'server-rename',
    ...ANY,
  } as const;
  const there = { remote: backup.remote, file: { path } };
  if (await run.places.isSameFile({ remote: dest, file }, there)) throw isNoBackup(file);
  if (await run.places.isSameFile({ remote: from.source, file: from.file }, there))
    throw isOverSource(path);
  if (backup.remote !== dest) await assertApart(run, backup, path, from);
  try {
    await copyFile(run, job, { ...options, metadata: AS_FAR_AS_POSSIBLE });
  } catch (thrown) {
    if (!hasCode(thrown, 'metadata')) throw thrown;
    run.log('notice', file.path, 'backup-metadata', { why: thrown });
  }
  run.context.emit({ type: 'renamed', files: 1 });
  run.log('info', file.path, 'backup-copied', { to: path === file.path ? undefined : path });
  return path;
}

/** Moves a file into the backup instead of deleting it. */
async function moveIntoBackup(
  run: Run,
  dest: Remote,
  file: FileEntry,
  backup: Backup,
  from: BackedUpFor,
  options: PlainOptions,
): Promise<void> {
  if (backup.remote !== dest) await assertApart(run, backup, file.path, from);
  const path = await pathInBackup(run, file.path, backup);
  const job = { source: dest, file, dest: backup.remote, path, isStep: true, ...ANY } as const;
  const { how } = await moveFile(run, job, withMetadataAsIs(options));
  if (how === 'refused') throw isNoBackup(file);
  run.log('info', file.path, 'backup-moved');
}

function isNoBackup({ path }: FileEntry): SyncerError {
  const message = 'the backup name refers to the same file';
  return new SyncerError('fatal', message, { path, advice: 'choose another --backup-dir' });
}

function isOverSource(path: string): SyncerError {
  const message = `the backup "${path}" would replace a file of the source`;
  const advice = 'choose another --backup-dir or --suffix';
  return new SyncerError('fatal', message, { path, advice });
}

/**
 * `--backup-dir` and `--suffix`: a copy of what is replaced stays in the backup. If it may not be made, nothing may
 * replace the file.
 */
function keepingPass(work: PassGround, backup: Backup): Pass {
  const { run, verb, source, dest, options, isOne } = work;
  const mayKeep = async (action: 'copy' | 'move', file: FileEntry, replaced: FileEntry) => {
    const { path } = replaced;
    const to = suffixedPath(path, backup);
    if (await run.mayChange({ do: 'rename', path, to, file: replaced, isBackup: true }))
      return true;
    pretendTransfer(run, 'move', replaced);
    if (run.guard?.flag === '--dry-run')
      await run.mayChange({ do: action, source: file, path: file.path });
    else run.log('notice', file.path, 'no-backup');
    return leaveTransfer(run, verb, action, file);
  };
  return {
    admit: ({ do: action, source: file, replaces }) =>
      run.guard === undefined || replaces === undefined || mayKeep(action, file, replaces),
    async keep({ source: file }, replaced) {
      const from = { source, file, isOne: isOne === true };
      const path = await backUpBeforeReplace(run, dest, replaced, backup, from, options);
      return { remote: backup.remote, path };
    },
    takeAway: (file) => moveIntoBackup(run, dest, file, backup, work, options),
  };
}

/**
 * Backups beside the files (`--suffix` without `--backup-dir`): the name of one may be that of another file of the
 * source, which must not be lost. Transfers that overwrite a file wait until all names of the source are known.
 */
class SuffixPass implements Pass {
  readonly #backup: Backup;
  readonly #isNew: boolean;
  readonly #fold: (path: string) => string;
  readonly #taken = new Set<string>();
  readonly #waiting: Transfer[] = [];
  /** The names of the backups of these transfers. */
  readonly #written = new Set<string>();

  constructor({ dest, options }: Pick<PassGround, 'dest' | 'options'>, backup: Backup) {
    this.#backup = backup;
    this.#isNew = !options.existing;
    this.#fold = (path) => foldPath(dest, path);
  }

  /** Records the files of the source whose names backups could have. */
  listed(pairs: readonly FilePair[]): void {
    const suffix = this.#fold(this.#backup.suffix);
    for (const { source, dest, path: target } of pairs) {
      if (source === undefined || (dest === undefined && !this.#isNew)) continue;
      const path = this.#fold(target ?? source.path);
      if (path.includes(suffix)) this.#taken.add(path);
    }
  }

  hold(transfer: Transfer): boolean {
    if (transfer.replaces === undefined) return false;
    this.#waiting.push(transfer);
    this.#written.add(this.#nameFor(transfer.replaces));
    return true;
  }

  release(): readonly Transfer[] {
    return this.#waiting.splice(0);
  }

  admit({ replaces }: Transfer): boolean {
    if (replaces !== undefined) this.mayDelete(replaces);
    return true;
  }

  /** Throws if the backup of a file would replace a file that the source has. */
  mayDelete({ path }: FileEntry): void {
    const backup = suffixedPath(path, this.#backup);
    if (!this.#taken.has(this.#fold(backup))) return;
    throw new SyncerError('already-exists', `the backup name "${backup}" is also a source file`, {
      path,
      advice: 'choose another --suffix, or a --backup-dir',
    });
  }

  /** A file is gone before another one takes its name; what this run replaces by a backup is not extra. */
  rounds(extra: readonly FileEntry[]): (readonly FileEntry[])[] {
    const rounds: (readonly FileEntry[])[] = [];
    let left = extra.filter(({ path }) => !this.#written.has(this.#fold(path)));
    while (left.length > 0) {
      const names = new Set(left.map(({ path }) => this.#fold(path)));
      const isTaken = (file: FileEntry) => names.has(this.#nameFor(file));
      rounds.push(left.filter((file) => !isTaken(file)));
      left = left.filter(isTaken);
    }
    return rounds;
  }

  #nameFor({ path }: FileEntry): string {
    return this.#fold(suffixedPath(path, this.#backup));
  }
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
      const keeping = keepingPass(work, backup);
      return isBeside ? [new SuffixPass(work, backup), keeping] : keeping;
    },
  };
}

/** Opens `--backup-dir`; without it files are kept in place. Rejects with `fatal` if that is not possible. */
export async function openBackup(
  dir: string | undefined,
  { suffix, keepExtension }: Omit<Backup, 'remote'>,
  { source, dest, isFile, openDir, filter, context: { signal } }: PassContext,
): Promise<OpenedPass> {
  if (!dir) return backupPass({ remote: dest, suffix, keepExtension });
  const remote = await openDir(dir).catch((thrown) => {
    const { message } = toSyncerError(thrown);
    throw new SyncerError('fatal', `--backup-dir "${dir}": ${message}`, { cause: thrown });
  });
  const place = { source, dest, backup: remote, suffix };
  if (isFile === true) await refuseBackupInPlace(place, { signal });
  else await refuseBackupOverlap(place, await filter(), { signal });
  return backupPass({ remote, suffix, keepExtension });
}

/** The backup directory of a run, and its roots. */
interface BackupPlace {
  readonly source: Remote;
  readonly dest: Remote;
  readonly backup: Remote;
  readonly suffix: string;
}

/** Refuses a backup directory on another remote, or one that overlaps the source or destination (exit code 7). */
export async function refuseBackupOverlap(
  place: BackupPlace,
  filter: Filter,
  op: Op,
): Promise<void> {
  await refuseBackupAt(place, 'overlap', op, ({ how, way }, remote) => {
    if (how === 'same' && remote === place.dest) return place.suffix === '';
    if (how === 'dest-in-source') return !isKeptOut(filter, way);
    return how !== 'apart';
  });
}

/** The same for a run with one file: as in rclone, only a backup that would replace the file itself is refused. */
export async function refuseBackupInPlace(place: BackupPlace, op: Op): Promise<void> {
  const isWrong = ({ how }: Overlap) => place.suffix === '' && how === 'same';
  await refuseBackupAt(place, 'be the same', op, isWrong);
}

async function refuseBackupAt(
  { source, dest, backup }: BackupPlace,
  wrong: string,
  op: Op,
  isWrong: (overlap: Overlap, side: Remote) => boolean,
): Promise<void> {
  if (!isSameStore(backup, dest)) {
    const text = 'parameter to --backup-dir has to be on the same remote as destination';
    throw new SyncerError('fatal', text);
  }
  for (const [what, side] of Object.entries({ destination: dest, source })) {
    if (!isWrong(await overlap(side, backup, op), side)) continue;
    throw new SyncerError('fatal', `${what} and parameter to --backup-dir mustn't ${wrong}`);
  }
}
