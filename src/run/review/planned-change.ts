import { defined } from '../../core/defined.ts';
import type { Reason } from '../../core/reason.ts';
import type { FileEntry } from '../../core/remote.ts';
import { isStillListed, type Print } from '../../core/same-content.ts';
import { figure } from '../../core/shown-text.ts';
import { type Action, shownAction } from '../../engine/action.ts';
import { formatReadableDuration, formatSizeUnit } from '../../go/quantities.ts';
import type { Span } from '../../terminal/span.ts';

/** How each kind of change is shown: its letter, the names of one and of many, and its tone; in the order of lists. */
export const CHANGE_KINDS = {
  copy: { letter: 'C', one: 'copy', many: 'copies', tone: 'good' },
  update: { letter: 'U', one: 'update', many: 'updates', tone: 'warn' },
  move: { letter: 'M', one: 'move', many: 'moves', tone: 'accent' },
  rename: { letter: 'R', one: 'rename', many: 'renames', tone: 'accent' },
  time: { letter: 'T', one: 'time change', many: 'time changes', tone: 'dim' },
  delete: { letter: 'D', one: 'deletion', many: 'deletions', tone: 'bad' },
  'make-dir': { letter: '+', one: 'new directory', many: 'new directories', tone: 'good' },
  'remove-dir': {
    letter: '-',
    one: 'directory deletion',
    many: 'directory deletions',
    tone: 'bad',
  },
  conflict: { letter: '!', one: 'conflict', many: 'conflicts', tone: 'warn' },
} satisfies Record<string, { tone: NonNullable<Span['tone']>; [name: string]: string }>;

/** What would be done to a path. */
export type ChangeKind = keyof typeof CHANGE_KINDS;

export const KINDS = Object.keys(CHANGE_KINDS) as readonly ChangeKind[];

/** How many changes of a kind, in words. */
export function kindCount(kind: ChangeKind, count: number): string {
  const { one, many } = CHANGE_KINDS[kind];
  return `${figure(count)} ${count === 1 ? one : many}`;
}

/** A change as it is shown, and what it takes to know whether it still is the same. */
export interface PlannedChange {
  readonly kind: ChangeKind;
  /** Where it shows: of a directory with no `/` at its end; `''` is the root. */
  readonly path: string;
  /** In bytes; -1 unknown, and for directories. */
  readonly size: number;
  /** Less than that may be sent: the server may copy what has not changed. */
  readonly isAtMost?: true;
  /** Why, in words. */
  readonly reason: string;
  readonly isDir: boolean;
  /** Its path before, if it gets another name. */
  readonly from?: string;
  /** It goes at the source. */
  readonly side?: 'source';
  /** Of a two-way sync: which of its two paths is changed; of a conflict none. */
  readonly toPath?: 1 | 2;
  readonly source?: Print;
  readonly dest?: Print;
}

/** What some kinds do to what is at the destination. */
export interface Danger {
  readonly name: string;
  readonly kinds: readonly ChangeKind[];
}

/** The most dangerous first. */
export const DANGERS: readonly Danger[] = [
  { name: 'Conflicts', kinds: ['conflict'] },
  { name: 'Deletions', kinds: ['delete', 'remove-dir'] },
  { name: 'Replacements', kinds: ['update'] },
  { name: 'Moves and renames', kinds: ['move', 'rename'] },
  { name: 'Additions', kinds: ['copy', 'make-dir'] },
  { name: 'Times', kinds: ['time'] },
];

/** All kinds, the most dangerous first. */
export const KINDS_BY_DANGER: readonly ChangeKind[] = DANGERS.flatMap(({ kinds }) => kinds);

/** An action of the engine, as it is shown. */
export function plannedChange(action: Action): PlannedChange {
  const { about, size, isAtMost } = shownAction(action);
  let kind: ChangeKind;
  let source: FileEntry | undefined;
  let dest: FileEntry | undefined;
  let side: 'source' | undefined;
  switch (action.do) {
    case 'copy':
    case 'move':
      ({ source, replaces: dest } = action);
      kind = action.do === 'copy' && dest !== undefined ? 'update' : action.do;
      break;
    case 'delete':
      kind = 'delete';
      if (action.side === 'source') ({ file: source, side } = action);
      else dest = action.file;
      break;
    case 'rename':
    case 'set-time':
      kind = action.do === 'rename' ? 'rename' : 'time';
      ({ source, file: dest } = action);
      break;
    case 'settle':
      kind = 'conflict';
      ({ source, dest } = action);
      break;
    case 'make-dir':
    case 'remove-dir':
      kind = action.do;
      break;
    case 'set-dir':
    case 'other':
      kind = 'delete';
  }
  let path = action.do === 'rename' ? (action.to ?? about) : about;
  if (action.do === 'copy' || action.do === 'move' || action.do === 'remove-dir')
    path = action.path ?? about;
  const from =
    kind === 'delete' || action.do === 'remove-dir' || path === about ? undefined : about;
  return {
    kind,
    path,
    size,
    isDir: kind === 'make-dir' || kind === 'remove-dir',
    reason: reasonOf(kind, action),
    ...defined({ isAtMost, from, side, toPath: action.toPath }),
    ...defined({ source: source && printOf(source), dest: dest && printOf(dest) }),
  };
}

/** The same for two changes that do the same thing to the same path. */
export function changeKey({ kind, path, from, side, toPath }: PlannedChange): string {
  const verb = kind === 'update' ? 'copy' : kind;
  const where = kind === 'conflict' ? '' : (toPath ?? side ?? '');
  return [verb, where, path, ...(kind === 'rename' && from !== undefined ? [from] : [])].join('\0');
}

/** Whether a file still is what was shown, as far as both are known: also its time, which may have been set. */
export function hasPrint(shown: Print | undefined, now: Print | undefined): boolean {
  const [time, before] = [now?.modTime, shown?.modTime];
  const isSameTime = time === undefined || before === undefined || time === before;
  return isSameTime && shown?.size === now?.size && isStillListed(shown, now);
}

function printOf({ size, modTime, etag }: FileEntry): Print {
  return { size, ...defined({ modTime, etag }) };
}

function reasonOf(kind: ChangeKind, action: Action): string {
  if (kind === 'conflict' || action.toPath !== undefined) return twoWayReason(kind, action);
  const reason = 'reason' in action ? action.reason : undefined;
  if (reason !== undefined) return reviewReason(reason);
  switch (kind) {
    case 'copy':
    case 'make-dir':
      return 'not at the destination';
    case 'move':
      return 'replaces' in action && action.replaces !== undefined
        ? 'differs at the destination'
        : 'not at the destination';
    case 'update':
      return 'differs';
    case 'rename':
      return `named "${shownAction(action).about}" at dest`;
    case 'remove-dir':
      return 'path' in action && action.path === '' ? 'the directory itself, if empty' : 'if empty';
    case 'time':
      return 'times differ';
    case 'delete':
      if (action.do !== 'delete') return 'not at the source';
      if (action.side === 'source') return 'already at the destination';
      return action.keeps === true ? 'not at the source; kept in the backup' : 'not at the source';
  }
}

function twoWayReason(kind: ChangeKind, action: Action): string {
  const [here, there] = action.toPath === 1 ? ['path1', 'path2'] : ['path2', 'path1'];
  switch (kind) {
    case 'conflict':
      return action.do !== 'settle' || action.winner === undefined
        ? 'keep both under other names'
        : `keep both: path${action.winner} has the name`;
    case 'copy':
    case 'make-dir':
      return 'reason' in action && action.reason?.why === 'deleted-there'
        ? `to ${here}: changed on ${there}, deleted on ${here}`
        : `to ${here}: new on ${there}`;
    case 'update':
    case 'move':
      return `to ${here}: changed on ${there}`;
    case 'rename':
      return `on ${here}: was "${shownAction(action).about}"`;
    case 'time':
      return `on ${here}: times differ`;
    case 'delete':
    case 'remove-dir':
      return `on ${here}: deleted on ${there}`;
  }
}

function reviewReason(reason: Reason): string {
  switch (reason.why) {
    case 'sizes-differ': {
      const { source, dest } = reason;
      const [here, there] = [reviewSize(source), reviewSize(dest)];
      // In bytes where rounded they would be equal.
      return here === there
        ? `size ${figure(source)} bytes, at dest ${figure(dest)}`
        : `size ${here}, at dest ${there}`;
    }
    case 'times-differ': {
      const { differenceNs } = reason;
      const ms = Math.abs(Number(differenceNs / 1_000_000n));
      // Below a second in milliseconds, else without fractions.
      const by = ms < 1000 ? `${ms}ms` : formatReadableDuration(Math.floor(ms / 1000) * 1000);
      return `${differenceNs < 0n ? 'older' : 'newer'} at dest by ${by}`;
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

/** A size with at most one decimal; nothing where it is not known. */
export function reviewSize(bytes: number): string {
  if (bytes < 0) return '';
  return formatSizeUnit(bytes).replace(/(\.\d)\d*/, '$1');
}
