import { SyncerError } from '../core/errors.ts';
import type { FileEntry, Remote } from '../core/remote.ts';
import type { Action } from './action.ts';
import type { SeenPath } from './consent.ts';
import type { Run } from './run.ts';

/** An action on one remote by which no content is lost: all but transfers, deletions (`src/engine/loss`), and times of directories. */
export type OwnAction =
  | Extract<Action, { do: 'set-time' | 'make-dir' | 'remove-dir' }>
  | (Extract<Action, { do: 'rename' }> & { readonly file: FileEntry });

/** How an action is carried out. */
export interface Performing {
  /** What it is about: looked at once more if it waited. */
  readonly seen?: readonly SeenPath[];
  /** Of a rename: the remote with the old name, if that is another one on the same place. */
  readonly from?: Remote;
}

/** What an action has left: of a rename and of a new time, the file. */
interface Performed {
  readonly file?: FileEntry | undefined;
}

/**
 * Carries out an action on a remote if it may, logs and counts it; one that `--dry-run` refuses counts, too. Resolves to
 * `undefined` if it may not, rejects with its error.
 */
export async function perform(
  run: Run,
  remote: Remote,
  action: OwnAction,
  how: Performing = {},
): Promise<Performed | undefined> {
  const may = await run.mayChange(action, how.seen);
  const done = may ? await carryOut(run, remote, action, how) : undefined;
  if (action.do === 'remove-dir' && (may || run.consent.how === 'pretend'))
    run.context.emit({ type: 'deleted', files: 0, dirs: 1, bytes: 0 });
  return done;
}

async function carryOut(
  run: Run,
  remote: Remote,
  action: OwnAction,
  { from = remote }: Performing,
): Promise<Performed> {
  const { op } = run;
  switch (action.do) {
    case 'set-time': {
      const { file, source = file, modTime } = action;
      const set = await remote.can.setModTime?.(file, modTime, op);
      run.log('info', source.path, 'mod-time-set');
      return { file: set };
    }
    case 'make-dir':
      await remote.makeDir(action.path, op);
      return {};
    case 'remove-dir':
      if (action.isShortcut === true) {
        await remote.can.deleteShortcut?.(action.path, op);
        run.log('notice', action.path, 'shortcut-deleted');
        return {};
      }
      await remote.deleteDir(action.path, op);
      run.log('info', action.path === '' ? remote.title : action.path, 'removing-dir');
      return {};
    case 'rename': {
      const { file, path, to = path } = action;
      const moved = await remote.can.moveFrom?.(from, file, to, op);
      if (moved === undefined) {
        const text = `can't rename "${path}" to "${to}": they are the same file, and the server cannot rename it`;
        throw new SyncerError('unsupported', text, { path });
      }
      run.context.emit({ type: 'renamed', files: 1 });
      run.log('info', path, 'moved', { to });
      return { file: moved };
    }
  }
}
