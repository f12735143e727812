import { defined } from '../../../src/core/defined.ts';
import type { HashName } from '../../../src/core/hash-names.ts';
import type { ModTime } from '../../../src/core/mod-time.ts';
import type { FileEntry } from '../../../src/core/remote.ts';
import { suffixedPath } from '../../../src/names/suffixed-path.ts';

/** One of the two sides: the first and the second path of the command line. */
export type Side = 'a' | 'b';

export const SIDES = ['a', 'b'] as const;

/** What both sides had when they last agreed about a path. */
export type Agreed = Readonly<Record<Side, Mark>>;

export interface PathFacts {
  /** The file that is there now; absent: there is none, and the listing that shows it is whole. */
  readonly a?: FileEntry | undefined;
  readonly b?: FileEntry | undefined;
  /** Absent: they never agreed about it, or that is not known any more. */
  readonly agreed?: Agreed | undefined;
  /** Sides on which another file has taken the name since, of equal size and time: it counts as changed. */
  readonly replaced?: ReadonlySet<Side>;
}

/** What happened to a path on one side since both agreed. */
export type PathChange = 'none' | 'new' | 'changed' | 'deleted';

/** What to do about a path, and what happened on both sides. */
export interface TwoWayDecision {
  readonly action:
    | { readonly do: 'nothing' | 'forget' }
    | { readonly do: 'copy'; readonly to: Side }
    | { readonly do: 'delete'; readonly on: Side }
    /** Both have a file of their own: their contents decide. */
    | { readonly do: 'compare' };
  readonly changes: Readonly<Record<Side, PathChange>>;
}

/**
 * Decides about one path from three trees: both sides now, and both sides when they last agreed. Pure.
 *
 * What was never agreed is never deleted: without an earlier run the result is the union of both sides. A deletion
 * yields to a change on the other side.
 */
export function decideTwoWay(
  { a, b, agreed, replaced }: PathFacts,
  rules: Readonly<Record<Side, MarkRules>>,
): TwoWayDecision {
  const changes = {
    a: replaced?.has('a') ? 'changed' : changeOf(a, agreed?.a, rules.a),
    b: replaced?.has('b') ? 'changed' : changeOf(b, agreed?.b, rules.b),
  } as const;
  let action = actionOf(changes, a !== undefined, b !== undefined);
  // A file that has lost its content while the other side still has it: empty, but with the agreed time, which no
  // write leaves. After a power cut file systems have such files.
  if (changes.b === 'none' && isEmptied(a, agreed?.a)) action = { do: 'copy', to: 'a' };
  else if (changes.a === 'none' && isEmptied(b, agreed?.b)) action = { do: 'copy', to: 'b' };
  const decision = { changes, action };
  // A first run keeps one for each file.
  const text = JSON.stringify(decision);
  const known = DECISIONS.get(text) ?? decision;
  if (known === decision) DECISIONS.set(text, decision);
  return known;
}

const DECISIONS = new Map<string, TwoWayDecision>();

function isEmptied(file: FileEntry | undefined, mark: Mark | undefined): boolean {
  if (file?.size !== 0 || mark === undefined || mark.size <= 0) return false;
  return mark.modTime !== undefined && file.modTime === mark.modTime;
}

function actionOf(
  changes: Readonly<Record<Side, PathChange>>,
  hasA: boolean,
  hasB: boolean,
): TwoWayDecision['action'] {
  if (!hasA && !hasB) return { do: 'forget' };
  if (!hasA) return changes.b === 'none' ? { do: 'delete', on: 'b' } : { do: 'copy', to: 'a' };
  if (!hasB) return changes.a === 'none' ? { do: 'delete', on: 'a' } : { do: 'copy', to: 'b' };
  if (changes.a === 'none' && changes.b === 'none') return { do: 'nothing' };
  if (changes.a === 'none') return { do: 'copy', to: 'a' };
  if (changes.b === 'none') return { do: 'copy', to: 'b' };
  return { do: 'compare' };
}

function changeOf(
  file: FileEntry | undefined,
  mark: Mark | undefined,
  rules: MarkRules,
): PathChange {
  if (mark === undefined) return file === undefined ? 'none' : 'new';
  if (file === undefined) return 'deleted';
  return isAsMarked(file, mark, rules) ? 'none' : 'changed';
}

/** Which of two different files keeps the name (`--conflict-resolve`). */
export type ConflictRule = 'none' | 'newer' | 'older' | 'larger' | 'smaller' | 'path1' | 'path2';

/** The side whose file keeps the name; `undefined` if the rule does not decide. Pure. */
export function winnerOf(a: FileEntry, b: FileEntry, rule: ConflictRule): Side | undefined {
  switch (rule) {
    case 'none':
      return undefined;
    case 'path1':
      return 'a';
    case 'path2':
      return 'b';
    case 'newer':
      return greater(a.modTime, b.modTime);
    case 'older':
      return greater(b.modTime, a.modTime);
    case 'larger':
      return greater(known(a.size), known(b.size));
    case 'smaller':
      return greater(known(b.size), known(a.size));
  }
}

/** The side of the greater value, where `a` is the first; `undefined` if one is unknown, or both are equal. */
function greater<T extends bigint | number>(a: T | undefined, b: T | undefined): Side | undefined {
  if (a === undefined || b === undefined || a === b) return undefined;
  return a > b ? 'a' : 'b';
}

const known = (size: number): number | undefined => (size < 0 ? undefined : size);

/** How the file that does not keep its name is called (`--conflict-loser`); `delete`: it is not kept. */
export type ConflictLoser = 'date' | 'num' | 'pathname' | 'delete';

/** How the loser of a conflict is named. */
export interface ConflictNaming {
  readonly loser: Exclude<ConflictLoser, 'delete'>;
  /** By side, without the dot (`--conflict-suffix`). */
  readonly suffix: Readonly<Record<Side, string>>;
  /** Before the extension (`--suffix-keep-extension`). */
  readonly keepExtension: boolean;
}

/**
 * The first free name for the loser of a conflict: `f.conflict-20261121-113012-path2`, `f.conflict1`, and so on. It
 * depends on the file and not on the time of the run, so that a run that was interrupted names it the same.
 *
 * @param changedMs when the file was changed, in milliseconds since the epoch; `undefined` if unknown
 * @param isTaken whether a name is in use on one of the sides
 */
export async function conflictName(
  path: string,
  [side, changedMs]: readonly [Side, number | undefined],
  { loser, suffix, keepExtension }: ConflictNaming,
  isTaken: (path: string) => Promise<boolean>,
): Promise<string> {
  const number = side === 'a' ? 1 : 2;
  const text = suffix[side];
  // `20261121-113012`, in UTC.
  const iso = changedMs === undefined ? 'undated' : new Date(changedMs).toISOString();
  const date = iso.replace(/[-:]|\..*/g, '').replace('T', '-');
  const first = loser === 'date' ? `${text}-${date}-path${number}` : `${text}${number}`;
  for (let n = 1; ; n++) {
    const next = loser === 'num' ? `${text}${n}` : n === 1 ? first : `${first}-${n}`;
    const name = suffixedPath(path, { suffix: `.${next}`, keepExtension });
    if (!(await isTaken(name))) return name;
  }
}

/** The side that a file of `side` is compared with. */
export const otherSide = (side: Side): Side => (side === 'a' ? 'b' : 'a');

/**
 * What one side had of a file when both sides last agreed: enough to notice a change. It is only compared with files
 * of the same side, so that precisions and hashes of the other one do not matter. An absent field is unknown.
 */
export interface Mark {
  /** In bytes; -1 if unknown. */
  readonly size: number;
  readonly modTime?: ModTime;
  /** When the server wrote it, where listings have no modification times. */
  readonly storedTime?: ModTime;
  /** The server's tag of the content. */
  readonly tag?: string;
  /** With `--compare checksum` only. */
  readonly hash?: string;
  /** Identifies the file under any name: the server's identifier, or the inode. */
  readonly id?: string;
  /** Written so shortly before it was listed that a later write may have the same time: changed once more. */
  readonly isYoung?: true;
}

/** What is compared to notice a change (`--compare`). */
export interface MarkRules {
  readonly size: boolean;
  readonly modTime: boolean;
  /** The hash that is compared (`checksum`); absent: none. */
  readonly hash?: HashName;
}

/** Writes that may still get the time of the one before them, in nanoseconds: a tick of the clock of a file system. */
const TICK_NS = 20_000_000n;

/**
 * The mark of a file that was listed after `listedNs`, on the clock of this machine.
 *
 * @param id identifies the file under any name
 */
export function markOf(
  file: FileEntry,
  listedNs: ModTime,
  rules: MarkRules,
  id: string | undefined = file.id,
): Mark {
  const { size, modTime, storedTime } = file;
  const tag = file.contentTag ?? file.etag;
  const hash = rules.hash === undefined ? undefined : file.hashes?.[rules.hash];
  const age = modTime === undefined ? TICK_NS : listedNs - modTime;
  // Clocks of machines that share files differ by less than a minute: no write gives a file a later time.
  const isYoung = tag === undefined && age < TICK_NS && age > -60_000_000_000n;
  const mark = { size, ...defined({ modTime, storedTime, tag, hash, id }) };
  return isYoung ? { ...mark, isYoung } : mark;
}

/**
 * Whether a file is the one that was marked, as far as can be told. Without the hash that is wanted, size and time
 * decide.
 */
export function isAsMarked(file: FileEntry, mark: Mark, rules: MarkRules): boolean {
  if (file.isWrong === true) return false;
  const hash = rules.hash === undefined ? undefined : file.hashes?.[rules.hash];
  if (hash !== undefined && mark.hash !== undefined) {
    return hash === mark.hash && (!rules.modTime || sameIfKnown(file.modTime, mark.modTime));
  }
  const needsAll = rules.hash !== undefined;
  const isRewritten = file.isRewritten === true;
  if ((rules.size || needsAll) && !isRewritten && file.size !== mark.size) return false;
  if (!rules.modTime && !needsAll) return true;
  if (mark.isYoung === true) return false;
  const tag = file.contentTag ?? file.etag;
  if (tag !== undefined && mark.tag !== undefined && tag !== mark.tag) return false;
  if (!sameIfKnown(file.modTime, mark.modTime)) return false;
  const now = file.storedTime;
  const before = mark.storedTime;
  if (now === undefined || before === undefined || now === before) return true;
  // Headers have whole seconds, listings also fractions.
  const isWhole = now % SECOND_NS === 0n || before % SECOND_NS === 0n;
  return isWhole && now / SECOND_NS === before / SECOND_NS;
}

const SECOND_NS = 1_000_000_000n;

function sameIfKnown(a: ModTime | undefined, b: ModTime | undefined): boolean {
  return a === undefined || b === undefined || a === b;
}
