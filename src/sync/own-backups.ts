import { SyncerError } from '../core/errors.ts';
import type { FileEntry, Remote } from '../core/remote.ts';
import { foldName } from '../kit/fold-name.ts';
import { backupPath } from './backup-file.ts';
import type { Transfer } from './copy-job.ts';
import type { Backup, SyncOptions } from './sync-options.ts';
import type { FilePair } from './walk-both.ts';

/** The target of the files, and the options. */
interface Goal {
  readonly dest: Remote;
  readonly options: Pick<SyncOptions, 'backup' | 'existing'>;
}

/**
 * Backups beside the files (`--suffix` without `--backup-dir`): the name of one may be that of another file of the
 * source, which must not be lost. Transfers that overwrite a file wait until all names of the source are known.
 */
export class OwnBackups {
  readonly #backup: Backup;
  readonly #isNew: boolean;
  readonly #fold: (path: string) => string;
  readonly #taken = new Set<string>();
  readonly #waiting: Transfer[] = [];

  constructor({ dest, options }: Goal, backup: Backup) {
    this.#backup = backup;
    this.#isNew = !options.existing;
    this.#fold = dest.traits.caseInsensitive ? foldName : (path) => path;
  }

  /** Records the files of the source whose names backups could have. */
  note(pairs: readonly FilePair[]): void {
    const suffix = this.#fold(this.#backup.suffix);
    for (const { source, dest } of pairs) {
      if (source === undefined || (dest === undefined && !this.#isNew)) continue;
      const path = this.#fold(source.path);
      if (path.includes(suffix)) this.#taken.add(path);
    }
  }

  /** Whether the transfer has to wait until `release` returns it. */
  hold(transfer: Transfer): boolean {
    if (transfer.replaces === undefined) return false;
    this.#waiting.push(transfer);
    return true;
  }

  /** The source has been listed. */
  release(): readonly Transfer[] {
    return this.#waiting.splice(0);
  }

  /** Throws if the backup of a file would replace a file that the source has. */
  assertFree({ path }: FileEntry): void {
    const backup = backupPath(path, this.#backup);
    if (!this.#taken.has(this.#fold(backup))) return;
    throw new SyncerError('already-exists', `the backup name "${backup}" is also a source file`, {
      path,
      advice: 'choose another --suffix, or a --backup-dir',
    });
  }

  /** Extra files in rounds, so that a file is gone before another one takes its name. */
  *rounds(files: readonly FileEntry[]): Generator<readonly FileEntry[]> {
    for (let left = files; left.length > 0; ) {
      const names = new Set(left.map(({ path }) => this.#fold(path)));
      const isTaken = ({ path }: FileEntry) =>
        names.has(this.#fold(backupPath(path, this.#backup)));
      yield left.filter((file) => !isTaken(file));
      left = left.filter(isTaken);
    }
  }
}

/** The backups of a run that are beside the files; `undefined` if there are none. */
export function ownBackups(goal: Goal): OwnBackups | undefined {
  const { dest, options } = goal;
  const { backup } = options;
  if (backup === undefined || backup.suffix === '') return undefined;
  const isBeside = backup.remote.name === dest.name && backup.remote.root === dest.root;
  return isBeside ? new OwnBackups(goal, backup) : undefined;
}
