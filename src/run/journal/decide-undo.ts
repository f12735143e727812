import { isCutOf, parseRfc3339, sameModTime } from '../../core/mod-time.ts';
import { once } from '../../core/once.ts';
import type { Entry, FileEntry } from '../../core/remote.ts';
import type { FileMark, KeptFile } from './journal-line.ts';
import { knownOld, type RunChange } from './read-run.ts';

/**
 * Why a change is not undone: it does not fit any more, a directory is in the way, or a file that has the name of one of
 * its directories (which `force` does not replace either), or the old content is not kept, or was never known, or the file
 * has the old content of another change that is not undone.
 */
export type NotUndone = 'changed' | 'blocked' | 'below-file' | 'gone' | 'needed';

/** What undoes a change. */
export type UndoAction =
  | { readonly do: 'nothing' }
  | { readonly do: 'leave'; readonly why: NotUndone }
  | { readonly do: 'delete'; readonly file: FileEntry }
  | {
      readonly do: 'restore';
      readonly old: FileMark;
      readonly kept: KeptFile;
      readonly current?: FileEntry;
    }
  | { readonly do: 'move-back'; readonly current: Entry; readonly replaced?: FileEntry }
  | { readonly do: 'set-time'; readonly time?: bigint; readonly file?: FileEntry }
  | { readonly do: 'make-dir' }
  | { readonly do: 'remove-dir' };

/** What is there now: at the path of the change, and where a moved file was before. */
export interface FoundNow {
  readonly now: Entry | undefined;
  readonly before?: Entry | undefined;
  /** Times closer than this are equal, in nanoseconds; `undefined`: there are none. */
  readonly windowNs: bigint | undefined;
  /** The place is a disk, which may have cut the time that was set. */
  readonly onDisk?: boolean | undefined;
  /** `now` is what undoing a later change of the same run left there: it fits. */
  readonly isOwn?: boolean;
}

/** Whether a file is the one of a mark, as far as both are known: its ETag decides, else size and time. */
export function isMarked(file: Entry | undefined, mark: FileMark, windowNs?: bigint): boolean {
  if (file?.kind !== 'file') return false;
  const { size, etag, id } = mark;
  if (size >= 0 && file.size >= 0 && size !== file.size) return false;
  if (etag !== undefined && file.etag !== undefined) {
    if (etag === file.etag) return true;
    // Servers with IDs change the ETag for other reasons than content, and the ID if a file is restored.
    if (id === undefined) return false;
  }
  return hasTime(file, mark, windowNs);
}

/** Whether what is there now is what a change left, as far as its mark says. */
export function isLeftBy(
  { new: expected, done }: RunChange,
  { now, windowNs, onDisk }: FoundNow,
): boolean {
  if (done?.new !== undefined) return isMarked(now, done.new, windowNs);
  if (expected === undefined) return false;
  if (isMarked(now, expected, windowNs)) return true;
  // Without a response, the ETag is that of the source: the server may have given the copy another one.
  const { etag: _etag, ...rest } = expected;
  if (expected.id !== undefined) return false;
  if (onDisk !== true || done !== undefined || now?.kind !== 'file')
    return isMarked(now, rest, windowNs);
  const [set, kept] = [parseRfc3339(rest.time ?? ''), now.modTime];
  const isCut = set !== undefined && kept !== undefined && isCutOf(kept, set);
  return isMarked(isCut ? { ...now, modTime: set } : now, rest, windowNs);
}

/** Whether a file is the one of a mark, and its time was not set either. */
function isUnchanged(file: Entry | undefined, mark: FileMark, windowNs?: bigint): boolean {
  return isMarked(file, mark, windowNs) && hasTime(file, mark, windowNs);
}

function hasTime(file: Entry | undefined, { time }: FileMark, windowNs?: bigint): boolean {
  const then = parseRfc3339(time ?? '');
  const { modTime } = file ?? {};
  if (then === undefined || modTime === undefined || windowNs === undefined) return false;
  return sameModTime(then, modTime, windowNs);
}

/** How a change is undone, by what is there now. What has changed since the run is left as it is, unless `force`. */
export function decideUndo(change: RunChange, found: FoundNow, force: boolean): UndoAction {
  const isAsLeft = found.isOwn === true || isLeftBy(change, found);
  switch (change.do) {
    case 'create':
      // A directory there is the one before the run, or of others; a file there after a failure is not of the run.
      if (found.now?.kind !== 'file' || (change.done?.ok === false && !isAsLeft)) return NOTHING;
      return isAsLeft || force ? { do: 'delete', file: found.now } : CHANGED;
    case 'replace':
      return undoReplace(change, found, isAsLeft, force);
    case 'delete':
      return undoDelete(change, found, force);
    case 'move':
      return undoMove(change, found, isAsLeft, force);
    case 'set-time':
      return undoTime(change, found, isAsLeft || force);
    case 'make-dir':
      return found.now?.kind === 'dir' ? { do: 'remove-dir' } : NOTHING;
    case 'remove-dir':
      return found.now === undefined ? { do: 'make-dir' } : NOTHING;
  }
}

const NOTHING: UndoAction = { do: 'nothing' };
const CHANGED: UndoAction = { do: 'leave', why: 'changed' };
const BLOCKED: UndoAction = { do: 'leave', why: 'blocked' };
const GONE: UndoAction = { do: 'leave', why: 'gone' };

function undoReplace(
  change: RunChange,
  { now, windowNs }: FoundNow,
  isAsLeft: boolean,
  force: boolean,
): UndoAction {
  const [old, { kept }] = [knownOld(change), change];
  if (old === undefined) return GONE;
  const isSame = now?.kind === 'file' && old.etag !== undefined && now.etag === old.etag;
  // It was not made, or wrote what was there: after a run that was killed, a copy for `--backup-dir` is made again.
  const mayBeOld = change.done === undefined || kept === undefined;
  if (mayBeOld && isSame && isUnchanged(now, old, windowNs)) return NOTHING;
  // It was not made, or is undone.
  const mayBeMade = isAsLeft && change.done?.ok !== false;
  if (!mayBeMade && isMarked(now, old, windowNs)) return NOTHING;
  // A version with this ETag may be an older one, with another time.
  if (kept === undefined && change.done === undefined && isSame) return NOTHING;
  if (kept === undefined) return GONE;
  if (now?.kind === 'dir') return BLOCKED;
  if (!isAsLeft && !force) return CHANGED;
  return { do: 'restore', old, kept, ...(now && { current: now }) };
}

function undoDelete(change: RunChange, { now, windowNs }: FoundNow, force: boolean): UndoAction {
  const { old, dir, kept } = change;
  // A directory that was not there, or is there again: what was in it may not be.
  if (dir === true && kept === undefined && change.done?.ok === false) return NOTHING;
  if (dir === true && kept === undefined && change.done?.ok === true) return GONE;
  if (now !== undefined) {
    if (dir === true || (old && old !== 'unknown' && isMarked(now, old, windowNs))) return NOTHING;
    if (now.kind === 'dir') return BLOCKED;
    if (!force) return CHANGED;
  }
  if (kept === undefined || old === 'unknown' || (old === undefined && dir !== true)) return GONE;
  const restored = { do: 'restore', old: old ?? { size: -1 }, kept } as const;
  return now === undefined ? restored : { ...restored, current: now as FileEntry };
}

function undoMove(
  change: RunChange,
  { now, before, windowNs }: FoundNow,
  isAsLeft: boolean,
  force: boolean,
): UndoAction {
  const { dir, kept } = change;
  const old = knownOld(change);
  const isThere = change.new !== undefined && isMarked(before, change.new, windowNs);
  // A bucket copies the file, and then deletes it where it was.
  const isCopied = now?.kind === 'file' && isAsLeft && change.done?.ok !== true;
  // An undo that was killed has moved it back and not restored the other one.
  const isMovedBack = now === undefined && old !== undefined;
  if (isThere && (isCopied || isMovedBack)) {
    if (isCopied && change.old === undefined) return { do: 'delete', file: now };
    if (old !== undefined && isUnchanged(now, old, windowNs)) return NOTHING;
    if (old === undefined || kept === undefined) return GONE;
    return { do: 'restore', old, kept, ...(isCopied && { current: now }) };
  }
  const isFree = now === undefined || (dir !== true && now.kind === 'dir');
  const isUndone = old === undefined ? isFree : isMarked(now, old, windowNs);
  const hasFailed = change.done?.ok === false;
  // After a failure the file may have been deleted, also if its restoration comes later.
  const isNotMade = before === undefined ? hasFailed && isUndone : hasFailed || isUndone;
  if (isNotMade && (now === undefined || !isAsLeft)) return NOTHING;
  if (now === undefined || (dir === true) !== (now.kind === 'dir')) return CHANGED;
  const fits = dir === true || isAsLeft || force;
  if (before?.kind === 'dir') return BLOCKED;
  if (!fits || (before !== undefined && !force)) return CHANGED;
  return { do: 'move-back', current: now, ...(before && { replaced: before }) };
}

type Spot = Pick<RunChange, 'place' | 'path'>;

/** A path of a place, as a key. */
export const keyOf = ({ place, path }: Spot): string => `${place}\n${path}`;

/**
 * The change of a run that moved a file to where a later one found it: at its own path, or at the one from which it
 * moved the file. A file that was copied and then deleted has moved, too.
 */
export type FindMove = (change: RunChange, at: Spot) => RunChange | undefined;

/** Whether a change is about a directory. */
export function isOfDir({ do: deed, dir }: RunChange): boolean {
  return dir === true || deed === 'make-dir' || deed === 'remove-dir';
}

/** Looks through the changes of a run, in their order, for moves of files that later ones found; only if it is asked. */
export function movesIn(changes: readonly RunChange[]): FindMove {
  const moves = once(() => {
    const last = new Map<string, RunChange>();
    const found = new Map<RunChange, ReadonlyMap<string, RunChange>>();
    for (const change of changes) {
      const { do: deed, dir, from, done, kept } = change;
      if (deed === 'set-time' || done?.ok === false) continue;
      // What is below a directory that is moved or deleted is not followed.
      if (dir === true) last.clear();
      if (isOfDir(change)) continue;
      const keys = [change, ...(from === undefined ? [] : [from])].map(keyOf);
      const before = keys.flatMap((key) => {
        const move = last.get(key);
        return move === undefined ? [] : [[key, move] as const];
      });
      if (before.length > 0) found.set(change, new Map(before));
      for (const key of keys) last.delete(key);
      if (from !== undefined) last.set(keyOf(change), change);
      if (deed === 'delete' && kept?.in === 'place') last.set(keyOf(kept), change);
    }
    return found;
  });
  return (change, at) => moves().get(change)?.get(keyOf(at));
}

function undoTime(change: RunChange, { now, windowNs }: FoundNow, fits: boolean): UndoAction {
  if (now === undefined) return NOTHING;
  if (change.dir === true) return now.kind === 'dir' ? { do: 'set-time' } : NOTHING;
  const old = knownOld(change);
  const time = parseRfc3339(old?.time ?? '');
  if (old === undefined || time === undefined) return GONE;
  if (now.kind === 'dir') return BLOCKED;
  if (isUnchanged(now, old, windowNs)) return NOTHING;
  return fits ? { do: 'set-time', time, file: now } : CHANGED;
}
