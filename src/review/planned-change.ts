import type { Reason } from '../core/reason.ts';
import type { FileEntry } from '../core/remote.ts';
import type { Change } from '../engine/change-guard.ts';
import { formatSizeUnit } from '../go/byte-size.ts';
import { formatReadableDuration } from '../go/format-duration.ts';
import { figure } from '../kit/counted.ts';

/** What would be done to a path. */
export type ChangeKind =
  | 'copy'
  | 'update'
  | 'move'
  | 'rename'
  | 'time'
  | 'delete'
  | 'make-dir'
  | 'remove-dir'
  | 'conflict';

/** What identified a file when it was shown. */
export interface Print {
  readonly size: number;
  readonly modTime?: bigint;
  readonly etag?: string;
}

/** A change as it is shown, and what it takes to know whether it still is the same. */
export interface PlannedChange {
  readonly kind: ChangeKind;
  /** Where it shows: of a directory with no `/` at its end; `''` is the root. */
  readonly path: string;
  /** In bytes; -1 unknown, and for directories. */
  readonly size: number;
  /** Why, in words. */
  readonly reason: string;
  readonly isDir: boolean;
  /** Of a two-way sync: which of its two paths is changed; of a conflict none. */
  readonly toPath?: 1 | 2;
  readonly source?: Print;
  readonly dest?: Print;
}

/** The letter of each kind. */
export const KIND_LETTERS: Readonly<Record<ChangeKind, string>> = {
  copy: 'C',
  update: 'U',
  move: 'M',
  rename: 'R',
  time: 'T',
  delete: 'D',
  'make-dir': '+',
  'remove-dir': '-',
  conflict: '!',
};

/** All kinds, in the order in which they are listed. */
export const KINDS = Object.keys(KIND_LETTERS) as readonly ChangeKind[];

/** What each kind is called, of one and of many. */
export const KIND_NAMES: Readonly<Record<ChangeKind, readonly [one: string, many: string]>> = {
  copy: ['copy', 'copies'],
  update: ['update', 'updates'],
  move: ['move', 'moves'],
  rename: ['rename', 'renames'],
  time: ['time change', 'time changes'],
  delete: ['deletion', 'deletions'],
  'make-dir': ['new directory', 'new directories'],
  'remove-dir': ['directory deletion', 'directory deletions'],
  conflict: ['conflict', 'conflicts'],
};

/** Whether something goes that nothing takes the place of. */
export function isDeletion({ kind }: Pick<PlannedChange, 'kind'>): boolean {
  return kind === 'delete' || kind === 'remove-dir';
}

/** A change the engine asks for, as it is shown. */
export function plannedChange(change: Change): PlannedChange {
  const { about, size = -1, to = about, source, dest } = change;
  const kind = kindOf(change);
  const isDir = kind === 'make-dir' || kind === 'remove-dir';
  return {
    kind,
    path: to,
    size,
    isDir,
    reason: reasonOf(kind, change),
    ...(change.toPath === undefined ? {} : { toPath: change.toPath }),
    ...(source === undefined ? {} : { source: printOf(source) }),
    ...(dest === undefined ? {} : { dest: printOf(dest) }),
  };
}

/** The same for two changes that do the same thing to the same path. */
export function changeKey(change: Change): string {
  const { action, about, to = about, side = 'dest' } = change;
  return `${action}\0${side}\0${about}${to === about ? '' : `\0${to}`}`;
}

/** Whether what a change is about is no longer what was shown, as far as both listings told it. */
export function hasChanged(shown: PlannedChange, now: PlannedChange): boolean {
  if (shown.kind !== now.kind) return true;
  return differs(shown.source, now.source) || differs(shown.dest, now.dest);
}

function differs(shown: Print | undefined, now: Print | undefined): boolean {
  if (shown === undefined || now === undefined) return shown !== now;
  const known = <T>(a: T | undefined, b: T | undefined) => a !== undefined && b !== undefined;
  if (shown.size !== now.size) return true;
  if (known(shown.etag, now.etag) && shown.etag !== now.etag) return true;
  return known(shown.modTime, now.modTime) && shown.modTime !== now.modTime;
}

function printOf({ size, modTime, etag }: FileEntry): Print {
  return {
    size,
    ...(modTime === undefined ? {} : { modTime }),
    ...(etag === undefined ? {} : { etag }),
  };
}

function kindOf({ action, source, dest }: Change): ChangeKind {
  if (action === 'settle conflict') return 'conflict';
  if (action === 'make directory') return 'make-dir';
  if (action === 'remove directory') return 'remove-dir';
  if (action === 'update modification time') return 'time';
  if (action === 'copy') return dest === undefined ? 'copy' : 'update';
  if (action === 'move') return source === undefined || isRename(source, dest) ? 'rename' : 'move';
  return 'delete';
}

/** `--track-renames`: the file at the destination has another name than the one at the source. */
function isRename(source: FileEntry, dest: FileEntry | undefined): boolean {
  return dest !== undefined && dest.path !== source.path;
}

function reasonOf(kind: ChangeKind, change: Change): string {
  const { action, about, side, reason, dest, to } = change;
  if (kind === 'conflict' || change.toPath !== undefined) return twoWayReason(kind, change);
  if (reason !== undefined) return reviewReason(reason);
  switch (kind) {
    case 'copy':
      return 'not at the destination';
    case 'move':
      return dest === undefined ? 'not at the destination' : 'differs at the destination';
    case 'update':
      return 'differs';
    case 'rename':
      return `named "${about}" at dest`;
    case 'make-dir':
      return 'not at the destination';
    case 'remove-dir':
      return to === '' ? 'the directory itself, if empty' : 'if empty';
    case 'time':
      return 'times differ';
    case 'delete':
      if (side === 'source') return 'already at the destination';
      return action === 'delete' ? 'not at the source' : 'not at the source; kept in the backup';
  }
}

/** Where something is changed by a two-way sync, and why. */
function twoWayReason(kind: ChangeKind, { about, toPath, winner }: Change): string {
  const [here, there] = toPath === 1 ? ['path1', 'path2'] : ['path2', 'path1'];
  switch (kind) {
    case 'conflict':
      return winner === undefined
        ? 'keep both under other names'
        : `keep both: path${winner} has the name`;
    case 'copy':
    case 'make-dir':
      return `to ${here}: new on ${there}`;
    case 'update':
    case 'move':
      return `to ${here}: changed on ${there}`;
    case 'rename':
      return `on ${here}: was "${about}"`;
    case 'time':
      return `on ${here}: times differ`;
    case 'delete':
    case 'remove-dir':
      return `on ${here}: deleted on ${there}`;
  }
}

/** Why a file is replaced, in few words. */
function reviewReason(reason: Reason): string {
  switch (reason.why) {
    case 'sizes-differ':
      return sizesText(reason);
    case 'times-differ': {
      const { differenceNs } = reason;
      const ms = Math.abs(Number(differenceNs / 1_000_000n));
      return `${differenceNs < 0n ? 'older' : 'newer'} at dest by ${durationText(ms)}`;
    }
    case 'hash-differs':
      return `${reason.hash} differs`;
    case 'ignore-times':
      return 'always (--ignore-times)';
    case 'proof-failed':
      return 'The destination failed verification in an earlier run';
    case 'hash-same':
      return `Size and ${reason.hash} of src and dst objects identical`;
    case 'hash-unknown':
      return 'Size of src and dst objects identical, no common hash known';
    default:
      return 'differs';
  }
}

/** Both sizes; in bytes where rounded they would be equal. */
function sizesText({ source, dest }: { readonly source: number; readonly dest: number }): string {
  const [here, there] = [reviewSize(source), reviewSize(dest)];
  if (here !== there) return `size ${here}, at dest ${there}`;
  return `size ${figure(source)} bytes, at dest ${figure(dest)}`;
}

/** Below a second in milliseconds, else without fractions. */
function durationText(ms: number): string {
  return ms < 1000 ? `${ms}ms` : formatReadableDuration(Math.floor(ms / 1000) * 1000);
}

/** A size with at most one decimal; nothing where it is not known. */
export function reviewSize(bytes: number): string {
  if (bytes < 0) return '';
  return formatSizeUnit(bytes).replace(/(\.\d)\d*/, '$1');
}
