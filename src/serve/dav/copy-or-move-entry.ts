import { hasCode } from '../../core/errors.ts';
import type { DirEntry, Entry, FileEntry, Op } from '../../core/remote.ts';
import { copyFile } from '../../engine/copy-file.ts';
import { withGrace } from '../../kit/abort.ts';
import { deleteUnchanged } from '../../kit/only-over.ts';
import type { FileCall } from '../files/call.ts';
import { keepParent } from './delete-tree.ts';

/** How a tree goes to its new name. */
export interface TreeTransfer {
  readonly verb: 'copy' | 'move';
  /** With its contents; otherwise the directory alone. */
  readonly isDeep: boolean;
  /** Otherwise a file that appears at its new name is an error, `precondition-failed`, as far as the remote can tell. */
  readonly mayOverwrite: boolean;
}

/** A copy or move of a tree, and what of it was done so far. */
export interface RunningTransfer extends TreeTransfer {
  /** Moves of files and whole directories, as they begin. */
  readonly moves: Move[];
  /** Directories that were created. */
  readonly dirs: string[];
  /** Directories of the source that are empty when everything was moved, inner ones first. */
  readonly emptied: DirEntry[];
  /** Those of `emptied` whose deletion has begun. */
  readonly deleted: DirEntry[];
  /** Entries of the other kind that were put aside. */
  readonly asides: Aside[];
  /** What else is deleted when the transfer is complete. */
  readonly extras: Entry[];
}

/** A move of a file or of a whole directory. */
export type Move = Pick<Entry, 'kind'> & { readonly from: string; readonly to: string };

/** An entry whose name is needed, and the name that it has until then. */
interface Aside {
  readonly old: Entry;
  readonly path: string;
}

/** Time limit for what must not end half done when the client has left, in milliseconds. */
export const GRACE_MS = 60_000;

/** Copies or moves a file, server-side if the remote can. A move is noted in `moves`, unless nothing was moved. */
export async function transferFile(
  call: FileCall,
  file: FileEntry,
  path: string,
  replaced: FileEntry | undefined,
  { verb, moves, mayOverwrite }: Pick<RunningTransfer, 'verb' | 'moves' | 'mayOverwrite'>,
): Promise<void> {
  const { tree, op, run, options } = call;
  const { remote } = tree;
  // A request that is given up may be carried out later.
  const whole = <T>(work: (op: Op) => Promise<T>) =>
    withGrace(op.signal, GRACE_MS, (signal) => work({ ...op, signal }));
  const only = mayOverwrite ? {} : { change: { replacesOnly: { file: 'nothing' } } as const };
  const refused = (thrown: unknown) => {
    // Nothing was moved.
    if (hasCode(thrown, 'precondition-failed')) moves.pop();
    throw thrown;
  };
  if (verb === 'move') {
    op.signal.throwIfAborted();
    moves.push({ kind: 'file', from: file.path, to: path });
    const move = async (own: Op) => remote.can.moveFrom?.(remote, file, path, { ...own, ...only });
    const moved = await whole(move).catch(refused);
    if (moved !== undefined) return keepParent(call, file.path);
  }
  const replaces = replaced === undefined ? {} : { replaces: replaced };
  const job = { source: remote, file, dest: remote, path, ...replaces, ...only };
  const { lowLevelRetries } = options;
  const rules = { ignoreSize: false, ignoreChecksum: false, serverSideAcrossConfigs: false };
  const copying = copyFile({ ...run, op }, job, { ...rules, lowLevelRetries });
  const { source } = await copying.catch(refused);
  if (verb === 'copy') return;
  await whole((own) => deleteUnchanged(remote, source, own));
  keepParent(call, file.path);
}

/** Renames a whole directory, if the remote can and filters hide nothing in it. */
export async function renamedDir(call: FileCall, dir: DirEntry, path: string): Promise<boolean> {
  const { tree, op } = call;
  if (tree.options.isShown !== undefined) return false;
  const { remote, made } = tree;
  if ((await remote.can.moveDirFrom?.(remote, dir.path, path, op)) !== true) return false;
  made.copy(dir.path, path);
  made.remove(dir.path);
  keepParent(call, dir.path);
  return true;
}

/** Whether the remote can rename the entry, which is at `from` now. */
export async function renameEntry(
  { tree, op }: FileCall,
  entry: Entry,
  from: string,
  to: string,
): Promise<boolean> {
  const { remote } = tree;
  const renamed =
    entry.kind === 'dir'
      ? await remote.can.moveDirFrom?.(remote, from, to, op)
      : await remote.can.moveFrom?.(remote, { ...entry, path: from }, to, op);
  return Boolean(renamed);
}
