import { SyncerError } from '../../../core/errors.ts';
import type { Entry } from '../../../core/remote.ts';
import { joinPath, leafName, parentPath } from '../../../core/remote-path.ts';
import type { DirPair, FilePair, Fixer } from '../../action.ts';
import type { OpenedPass, PassGround } from '../../pass.ts';
import { isNameFree, renameCase } from '../../replaced-name.ts';
import { createTaskPool } from '../../task-pool.ts';

/** An entry of both sides. */
interface Pair<E extends Entry> {
  readonly source?: E;
  readonly dest?: E;
  readonly path?: string;
}

/** `--fix-case`; `--immutable` protects the names, too. */
export const casePass: OpenedPass = {
  make: (work) =>
    work.options.immutable ? undefined : { fixer: (onChange) => new CaseFixer(work, onChange) },
};

/**
 * `--fix-case`: entries of the destination whose name matches that of the source but is not identical get the name of
 * the source, before anything else is done with them. An entry that cannot be renamed keeps its name; that is an error.
 */
class CaseFixer implements Fixer {
  readonly #work: PassGround;
  readonly #onChange: (dir: string) => void;
  /** The new names of files: a listing may have them once more. */
  readonly #renamed = new Set<string>();

  constructor(work: PassGround, onChange: (dir: string) => void) {
    this.#work = work;
    this.#onChange = onChange;
  }

  /** The pairs with their files of the destination as they are named now. */
  async files(pairs: readonly FilePair[]): Promise<FilePair[]> {
    const { dest } = this.#work;
    const hasDirs = dest.can.moveDirFrom !== undefined;
    const first = pairs.filter((pair) => !this.#isRepeated(pair));
    return this.#each(first, async (pair, file) => {
      const wanted = wantedPath(pair);
      const path = hasDirs ? joinPath(parentPath(file.path), leafName(wanted)) : wanted;
      if (path === file.path) return file;
      const { run } = this.#work;
      if (!(await isNameFree(run, dest, file.path, path))) throw taken(file.path, path);
      const moved = await renameCase({ ...this.#work, source: dest }, file, path);
      if (moved === undefined) return file;
      this.#renamed.add(path);
      this.#onChange(parentPath(path));
      run.log('info', file.path, 'case-fixed', { to: path });
      return { ...file, path, ...(moved.etag === undefined ? {} : { etag: moved.etag }) };
    });
  }

  /** As `files`; where directories are no entries of their own, their files are moved instead. */
  async dirs(pairs: readonly DirPair[]): Promise<DirPair[]> {
    const { run, dest } = this.#work;
    const { moveDirFrom } = dest.can;
    if (moveDirFrom === undefined) return [...pairs];
    return this.#each(pairs, async (pair, dir) => {
      const path = joinPath(parentPath(dir.path), leafName(wantedPath(pair)));
      if (path === dir.path) return dir;
      const change = { do: 'rename', path: dir.path, to: path } as const;
      if (!(await run.mayChange(change))) return dir;
      if (!(await moveDirFrom(dest, dir.path, path, run.op))) {
        const text = `"${dir.path}" keeps its name: the remote cannot rename it to "${path}"`;
        throw new SyncerError('unsupported', text, { path: dir.path });
      }
      this.#onChange(parentPath(path));
      run.log('info', dir.path, 'case-fixed', { to: path });
      return { ...dir, path };
    });
  }

  #isRepeated({ source, dest }: FilePair): boolean {
    return source === undefined && dest !== undefined && this.#renamed.has(dest.path);
  }

  /** Errors are counted, and the pair stays. */
  async #each<E extends Entry>(
    pairs: readonly Pair<E>[],
    rename: (pair: Pair<E>, dest: E) => Promise<E>,
  ): Promise<Pair<E>[]> {
    const { run, options } = this.#work;
    const result = [...pairs];
    const pool = createTaskPool(options.checkers, options.checkers);
    for (const [at, pair] of pairs.entries()) {
      const { source, dest } = pair;
      if (source === undefined || dest === undefined || wantedPath(pair) === dest.path) continue;
      await pool.add(async () => {
        try {
          result[at] = { ...pair, dest: await rename(pair, dest) };
        } catch (thrown) {
          run.fail(thrown, dest.path, 'rename');
        }
      });
    }
    await pool.idle();
    return result;
  }
}

function wantedPath({ path, source }: Pair<Entry>): string {
  return path ?? source?.path ?? '';
}

function taken(from: string, to: string): SyncerError {
  const text = `"${from}" keeps its name: "${to}" exists`;
  return new SyncerError('already-exists', text, { path: from });
}
