import { SyncerError } from '../../core/errors.ts';
import { immutableFile } from '../decide-pair.ts';
import type { Pass, PassGround } from '../pass.ts';

/**
 * Entries of the destination that no listing shows: `--ignore-existing`, `--immutable`, `--backup-dir` and `--suffix`
 * apply to a symbolic link, too. Otherwise a new file replaces it.
 */
export function unlistedPass(
  { run, options, dest }: PassGround,
  keepsReplaced: boolean,
): Pass | undefined {
  const { ignoreExisting, immutable } = options;
  const { unlistedAt } = dest.can;
  if (unlistedAt === undefined || !(ignoreExisting || immutable || keepsReplaced)) return undefined;
  return {
    async admit({ source, path, replaces }) {
      const what = replaces === undefined ? await unlistedAt(path, run.op) : undefined;
      if (what === undefined) return true;
      if (ignoreExisting) {
        run.log('notice', source.path, 'kept-unlisted', { what });
        return false;
      }
      if (immutable) throw immutableFile();
      throw new SyncerError(
        'not-a-file',
        `${path}: ${what} of that name exists and would not be backed up`,
        { path, advice: 'move it, or copy links with --links' },
      );
    },
  };
}
