import { SyncerError } from '../../../core/errors.ts';
import type { Entry } from '../../../core/remote.ts';
import { joinPath, leafName, parentPath } from '../../../core/remote-path.ts';
import type { FilePair, Fixer } from '../../action.ts';
import type { OpenedPass, PassGround } from '../../pass.ts';
import { isNameFree, renameCase } from '../../sync-files.ts';
import { createTaskPool } from '../../task-pool.ts';

/** An entry of both sides. */
interface Pair<E extends Entry> {
  readonly source?: E;
  readonly dest?: E;
  readonly path?: string;
}

/** `--fix-case`. */
export const casePass: OpenedPass = {
  make: (work) => ({ fixer: (onChange) => caseFixer(work, onChange) }),
};

/**
 * Entries of the destination whose name matches that of the source but is not identical get the name of the source,
 * before anything else is done with them. An entry that cannot be renamed keeps its name; that is an error.
 */
function caseFixer(work: PassGround, onChange: (dir: string) => void): Fixer {
  const { run, dest, options } = work;
  const { moveDirFrom } = dest.can;
  /** The new names of files: a listing may have them once more. */
  const renamed = new Set<string>();
  /** Errors are counted, and the pair stays. */
  const each = async <E extends Entry>(
    pairs: readonly Pair<E>[],
    rename: (dest: E, wanted: string) => Promise<E>,
  ): Promise<Pair<E>[]> => {
    const result = [...pairs];
    const pool = createTaskPool(options.checkers, options.checkers);
    for (const [at, pair] of pairs.entries()) {
      const { source, dest } = pair;
      if (source === undefined || dest === undefined || wantedPath(pair) === dest.path) continue;
      await pool.add(async () => {
        try {
          result[at] = { ...pair, dest: await rename(dest, wantedPath(pair)) };
        } catch (thrown) {
          run.fail(thrown, dest.path, 'rename');
        }
      });
    }
    await pool.idle();
    return result;
  };
  const isFirst = ({ source, dest }: FilePair) =>
    source !== undefined || dest === undefined || !renamed.has(dest.path);
  const inItsDir = ({ path }: Entry, wanted: string) =>
    joinPath(parentPath(path), leafName(wanted));
  return {
    files: (pairs) =>
      each(pairs.filter(isFirst), async (file, wanted) => {
        const path = moveDirFrom === undefined ? wanted : inItsDir(file, wanted);
        if (path === file.path) return file;
        if (!(await isNameFree(run, dest, file.path, path))) {
          const text = `"${file.path}" keeps its name: "${path}" exists`;
          throw new SyncerError('already-exists', text, { path: file.path });
        }
        const moved = await renameCase({ ...work, source: dest }, file, path);
        if (moved === undefined) return file;
        renamed.add(path);
        onChange(parentPath(path));
        run.log('info', file.path, 'case-fixed', { to: path });
        return { ...file, path, ...(moved.etag === undefined ? {} : { etag: moved.etag }) };
      }),
    /** Where directories are no entries of their own, their files are moved instead. */
    async dirs(pairs) {
      if (moveDirFrom === undefined) return [...pairs];
      return each(pairs, async (dir, wanted) => {
        const path = inItsDir(dir, wanted);
        if (path === dir.path) return dir;
        const change = { do: 'rename', path: dir.path, to: path } as const;
        if (!(await run.mayChange(change))) return dir;
        if (!(await moveDirFrom(dest, dir.path, path, run.op))) {
          const text = `"${dir.path}" keeps its name: the remote cannot rename it to "${path}"`;
          throw new SyncerError('unsupported', text, { path: dir.path });
        }
        onChange(parentPath(path));
        run.log('info', dir.path, 'case-fixed', { to: path });
        return { ...dir, path };
      });
    },
  };
}

const wantedPath = ({ path, source }: Pair<Entry>): string => path ?? source?.path ?? '';
