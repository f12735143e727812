import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { hasCode } from '../../core/errors.ts';
import { once } from '../../core/once.ts';
import type { DirEntry, FileEntry, Op, Remote } from '../../core/remote.ts';
import { listDir } from '../../core/remote-calls.ts';
import { isWithin, joinPath, parentPath } from '../../core/remote-path.ts';
import { nearestExisting, rootOf } from '../../system/fs-path.ts';
import { isLeftBy } from './decide-undo.ts';
import type { RunChange } from './read-run.ts';

/** What is below a directory, at any depth. */
export interface Below {
  readonly files: readonly FileEntry[];
  readonly dirs: readonly DirEntry[];
}

/**
 * The files that a rename of a directory moves, which the journal notes one by one. `undefined` where that would take
 * requests, or a rename cannot move them: a server, and another file system.
 */
export async function filesToMove(
  [from, dir]: readonly [Remote, string],
  [to, path]: readonly [Remote, string],
  op: Op,
): Promise<readonly FileEntry[] | undefined> {
  if (from.traits.onDisk !== true || to.traits.onDisk !== true) return undefined;
  const at = [join(rootOf(from), dir), join(rootOf(to), path)] as const;
  const [a, b] = await Promise.all(at.map(async (each) => stat(await nearestExisting(each))));
  return a?.dev === b?.dev ? (await listBelow(from, dir, op, true)).files : undefined;
}

/**
 * Lists a directory with all below it, page by page.
 *
 * @param skips leaves out directories that the user may not read
 */
export async function listBelow(
  remote: Remote,
  top: string,
  op: Op,
  skips = false,
): Promise<Below> {
  const files: FileEntry[] = [];
  const dirs: DirEntry[] = [];
  const paths = [top];
  for (let at = 0; at < paths.length; at++) {
    try {
      for await (const page of listDir(remote, paths[at] as string, op, () => {})) {
        for (const entry of page) {
          if (entry.kind === 'file') files.push(entry);
          else {
            dirs.push(entry);
            paths.push(entry.path);
          }
        }
      }
    } catch (thrown) {
      if (!skips || !hasCode(thrown, 'access-denied', 'unreadable')) throw thrown;
    }
  }
  return { files, dirs };
}

/** The noted moves of the files of a directory that was moved whole; `undefined` if its files were not noted. */
export type FilesOfMove = (dir: RunChange) => readonly RunChange[] | undefined;

/** Looks through the changes of a run, in their order: the files are noted right before their directory. */
export function filesOfMoves(changes: readonly RunChange[]): FilesOfMove {
  const found = once(() => {
    const all = new Map<RunChange, readonly RunChange[]>();
    for (let at = 0; at < changes.length; at++) {
      const dir = changes[at] as RunChange;
      if (dir.do !== 'move' || dir.dir !== true || dir.new === undefined) continue;
      let first = at;
      while (first > 0 && isMovedWith(dir, changes[first - 1] as RunChange)) first--;
      all.set(dir, changes.slice(first, at));
    }
    return all;
  });
  return (dir) => found().get(dir);
}

function isMovedWith(dir: RunChange, { do: deed, dir: isDir, place, path, from }: RunChange) {
  if (deed !== 'move' || isDir === true || from === undefined || dir.from === undefined)
    return false;
  const isThere = place === dir.place && from.place === dir.from.place && isWithin(dir.path, path);
  return isThere && from.path === pathBefore(dir, path);
}

/** Where something below a moved directory was before. */
export function pathBefore({ path: now, from }: RunChange, path: string): string {
  return joinPath(from?.path ?? now, path.slice(now === '' ? 0 : now.length + 1));
}

/** How a moved directory is moved back. */
export interface MovedBack {
  /** The topmost directories that are as the run left them, with their files; the directory itself if all of it is. */
  readonly whole: readonly { readonly dir: DirEntry; readonly files: readonly RunChange[] }[];
  /** The others: their files are moved back one by one. */
  readonly split: readonly DirEntry[];
  /** Those of `split` in which nothing stays. */
  readonly emptied: readonly DirEntry[];
  /** Files that were added since. */
  readonly added: readonly FileEntry[];
}

/** What is asked about a directory that is moved back. */
export interface MoveBack {
  /** Where it is now. */
  readonly dir: DirEntry;
  /** The noted moves of its files. */
  readonly files: readonly RunChange[];
  /** What is below it now. */
  readonly below: Below;
  /** Whether a noted move is to be undone. */
  readonly isChosen: (file: RunChange) => boolean;
  readonly windowNs: bigint | undefined;
  /** Also what has changed since is moved. */
  readonly force: boolean;
  /** No directory can be moved: one is in its place, or it has a trash, which stays. */
  readonly filesOnly: boolean;
}

/** Decides which directories can be moved back whole: nothing in them has changed since, or was added. */
export function decideMoveBack(asked: MoveBack): MovedBack {
  const { dir: top, files, below, isChosen, windowNs, force, filesOnly } = asked;
  const noted = new Map(files.map((file) => [file.path, file]));
  const holding = new Set<string>();
  const added: FileEntry[] = [];
  for (const file of below.files) {
    const line = noted.get(file.path);
    const found = { now: file, windowNs, onDisk: true };
    const fits = line === undefined ? force && !filesOnly : force || isLeftBy(line, found);
    if (fits && (line === undefined || isChosen(line))) continue;
    if (line === undefined) added.push(file);
    for (let dir = file.path; dir !== top.path; ) {
      dir = parentPath(dir);
      holding.add(dir);
    }
  }
  const dirs = [top, ...below.dirs];
  const isSplit = (dir: string) => filesOnly || holding.has(dir);
  const split = dirs.filter(({ path }) => isSplit(path));
  const whole = dirs.filter(
    (dir) => !isSplit(dir.path) && (dir === top || isSplit(parentPath(dir.path))),
  );
  const filesIn = new Map(whole.map(({ path }) => [path, [] as RunChange[]]));
  // One that is gone is left with its own change.
  for (const { path } of below.files) {
    const line = noted.get(path);
    let dir = path;
    while (dir !== top.path && !filesIn.has(dir)) dir = parentPath(dir);
    if (line !== undefined) filesIn.get(dir)?.push(line);
  }
  return {
    whole: whole.map((dir) => ({ dir, files: filesIn.get(dir.path) ?? [] })),
    split,
    emptied: split.filter(({ path }) => !holding.has(path)),
    added,
  };
}
