import type { Layer, Overrides } from '../../core/around.ts';
import type { KeptAs } from '../../core/change-details.ts';
import { hasCode, SyncerError } from '../../core/errors.ts';
import { isOwnEntry, isTrialPath } from '../../core/own-names.ts';
import type { Deletion, FileEntry, Op, Remote } from '../../core/remote.ts';
import {
  type DeleteFailures,
  deleteOne,
  deleteOneByOne,
  readPages,
} from '../../core/remote-calls.ts';
import { parentPath } from '../../core/remote-path.ts';
import type { DirsBefore } from './dirs-before.ts';
import type { KeptFile } from './journal-line.ts';
import { markOf, type NotedChanges, ownPath, withKept, withKeptFile } from './noted-changes.ts';
import type { Trash } from './trash.ts';

/** A remote whose changes are noted, and what that needs. */
export interface NotedRemote {
  readonly inner: Remote;
  readonly notes: NotedChanges;
  /** Absent without `--trash`. */
  readonly trash: Trash | undefined;
  /** Absent if the remote has no real directories. */
  readonly dirs: DirsBefore | undefined;
}

/** Where a file that is deleted or replaced will be; `undefined` if that is unknown before. */
export async function placeToKeep(
  { notes, trash, dirs }: NotedRemote,
  file: FileEntry,
  why: 'deleted' | 'replaced',
  op: Op,
): Promise<KeptFile | undefined> {
  const elsewhere = notes.keptAt(op);
  if (elsewhere !== undefined || trash === undefined) return elsewhere;
  const place = await trash.placeFor(file, why, op);
  // The trash is created in it.
  if (place !== undefined) await dirs?.touch('', op);
  return place;
}

/** The deletions of a remote, each noted before it is made; with a trash, what is deleted goes there. */
export function deletionsOf(at: NotedRemote): {
  readonly layer: Pick<Layer, 'delete' | 'deleteDir'>;
  readonly overrides: Overrides;
} {
  const { inner } = at;
  return {
    layer: {
      delete: (files, op, how) =>
        files.length > 1
          ? deleteFiles(at, files, op, how)
          : deleteOneByOne(files, op, (file) => deleteFile(at, file, op, how)),
      deleteDir: (dir, op) => deleteDir(at, dir, op, () => inner.deleteDir(dir, op), 'empty'),
    },
    overrides: {
      purge: (purge) => async (dir, op) => {
        if (await purgeKept(at, dir, op)) return;
        if (dir !== '') await at.dirs?.touch(parentPath(dir), op);
        const change = { do: 'delete', path: dir, dir: true } as const;
        await at.notes.make(
          change,
          op,
          (own) => purge(dir, own),
          () => undefined,
          true,
        );
        at.dirs?.forget(dir);
      },
      purgeUnlisted: (purgeUnlisted) => (dir, op) =>
        deleteDir(at, dir, op, () => purgeUnlisted(dir, op), 'with all'),
    },
  };
}

async function deleteFile(
  at: NotedRemote,
  file: FileEntry,
  op: Op,
  how: Deletion | undefined,
): Promise<void> {
  if (file.size === 0 && isTrialPath(file.path)) return deleteOne(at.inner, file, op, how);
  const kept = await placeToKeep(at, file, 'deleted', op);
  await at.dirs?.touch(parentPath(file.path), op);
  const [old, more] = [markOf(file), kept && { kept }];
  const change = { do: 'delete', path: ownPath(file), old, ...more } as const;
  const path = kept?.in === 'trash' ? kept.path : undefined;
  const deleting = async (own: Op) => {
    if (path === undefined) await deleteOne(at.inner, file, own, how);
    else await at.trash?.moveIn(file, path, op);
  };
  await at.notes.make(change, op, deleting, () => undefined, true);
}

async function deleteFiles(
  at: NotedRemote,
  files: readonly FileEntry[],
  op: Op,
  how?: Deletion,
): Promise<DeleteFailures> {
  const { inner, notes, dirs, trash } = at;
  const kept = await Promise.all(files.map((file) => placeToKeep(at, file, 'deleted', op)));
  for (const { path } of files) await dirs?.touch(parentPath(path), op);
  const numbers = files.map((file, index) => {
    const where = kept[index];
    const more = where === undefined ? {} : { kept: where };
    return notes.begin({ do: 'delete', path: ownPath(file), old: markOf(file), ...more });
  });
  await notes.written(true);
  const told = new Map<string, KeptAs>();
  const failures = new Map<FileEntry, Error>();
  const left = files.filter((_, index) => kept[index]?.in !== 'trash');
  if (trash !== undefined) {
    const doomed = files.flatMap((file, index) => {
      const where = kept[index];
      return where?.in === 'trash' ? [{ file, path: where.path }] : [];
    });
    for (const [file, error] of await trash.moveMany(doomed, op)) failures.set(file, error);
  }
  if (left.length > 0) {
    for (const [file, error] of await inner.delete(left, withKept(op, told), how))
      failures.set(file, error);
  }
  files.forEach((file, index) => {
    const result = failures.has(file) ? { ok: false } : undefined;
    notes.done(numbers[index] ?? 0, withKeptFile(result, told.get(file.path)));
  });
  return failures;
}

/** `what`: an empty directory, or one with all below it. */
async function deleteDir(
  at: NotedRemote,
  dir: string,
  op: Op,
  work: () => Promise<void>,
  what: 'empty' | 'with all',
): Promise<void> {
  const { dirs, notes, trash, inner } = at;
  // It reports that the directory is missing.
  if ((await dirs?.exists(dir, op)) === false) return work();
  await dirs?.describe(dir, op);
  if (dir !== '') await dirs?.touch(parentPath(dir), op);
  const change = { do: 'remove-dir', path: dir } as const;
  const removing = () =>
    work().catch(async (thrown) => {
      if (trash === undefined || dir !== '' || !hasCode(thrown, 'not-empty')) throw thrown;
      // Links and pipes, which other listings omit, are no trash.
      const list = inner.can.listUsage ?? inner.listPage.bind(inner);
      const { entries } = await list(dir, undefined, op);
      if (entries.length === 0 || !entries.every(isOwnEntry)) throw thrown;
      // What is left is what was deleted.
      return 'kept' as const;
    });
  const left = (result: unknown) => (result === 'kept' ? { ok: false } : undefined);
  const result = await notes.make(change, op, removing, left, true);
  if (result === 'kept') return;
  if (what === 'empty') dirs?.forgetEmpty(dir);
  else dirs?.forget(dir);
}

/**
 * Purges a directory of a store that keeps what is deleted, file by file: undo needs each of them. Resolves to `false`
 * if more is there that only `purge` deletes.
 */
async function purgeKept(at: NotedRemote, dir: string, op: Op): Promise<boolean> {
  const { inner } = at;
  const { deletesAtOnce, purgeUnlisted, listTreePage, restoring } = inner.can;
  if (!deletesAtOnce || !purgeUnlisted || !listTreePage || !restoring) return false;
  if (!(await restoring.keeps(op)).deleted) return false;
  let [found, left] = [0, 0];
  const pages = readPages(
    (cursor) => listTreePage(dir, cursor, op),
    ({ error }) => {
      throw error;
    },
  );
  for await (const entries of pages) {
    const files = entries.filter((entry) => entry.kind === 'file');
    found += files.length;
    for (let from = 0; from < files.length; from += deletesAtOnce) {
      const batch = files.slice(from, from + deletesAtOnce);
      const failures = await deleteFiles(at, batch, op);
      op.change?.onDeleted?.(batch.filter((file) => !failures.has(file)));
      for (const [{ path }, error] of failures) {
        if (op.change?.onNotDeleted === undefined) throw error;
        op.change.onNotDeleted(path, error);
        left++;
      }
    }
  }
  if (left > 0) throw new SyncerError('not-empty', `${dir}: some files could not be deleted`);
  try {
    await deleteDir(at, dir, op, () => purgeUnlisted(dir, op), 'with all');
  } catch (thrown) {
    if (hasCode(thrown, 'not-empty')) return false;
    if (found === 0 || !hasCode(thrown, 'directory-not-found')) throw thrown;
  }
  return true;
}
