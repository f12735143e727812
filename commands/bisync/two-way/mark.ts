import { defined } from '../../../src/core/defined.ts';
import type { HashName } from '../../../src/core/hash-names.ts';
import type { ModTime } from '../../../src/core/mod-time.ts';
import type { FileEntry } from '../../../src/core/remote.ts';

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
  /**
   * The file was written so shortly before it was listed that a later write may have the same time: it counts as
   * changed once more.
   */
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

/** Clocks of machines that share files differ by less, in nanoseconds: no write gives a file a later time. */
const SKEW_NS = 60_000_000_000n;

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
  const isYoung = tag === undefined && age < TICK_NS && age > -SKEW_NS;
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
  return sameIfKnown(file.modTime, mark.modTime) && sameStored(file.storedTime, mark.storedTime);
}

const SECOND_NS = 1_000_000_000n;

/** Headers have whole seconds, listings also fractions. */
function sameStored(a: ModTime | undefined, b: ModTime | undefined): boolean {
  if (a === undefined || b === undefined || a === b) return true;
  const isWhole = a % SECOND_NS === 0n || b % SECOND_NS === 0n;
  return isWhole && a / SECOND_NS === b / SECOND_NS;
}

function sameIfKnown(a: ModTime | undefined, b: ModTime | undefined): boolean {
  return a === undefined || b === undefined || a === b;
}
