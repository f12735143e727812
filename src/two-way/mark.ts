import type { HashName } from '../core/hash-names.ts';
import type { ModTime } from '../core/mod-time.ts';
import type { FileEntry } from '../core/remote.ts';

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

/** The mark of a file that was listed after `listedNs`, on the clock of this machine. */
export function markOf(file: FileEntry, listedNs: ModTime, rules: MarkRules): Mark {
  const { size, modTime, storedTime } = file;
  const tag = file.contentTag ?? file.etag;
  const hash = rules.hash === undefined ? undefined : file.hashes?.[rules.hash];
  const isYoung = tag === undefined && modTime !== undefined && modTime > listedNs - TICK_NS;
  return {
    size,
    ...(modTime === undefined ? {} : { modTime }),
    ...(storedTime === undefined ? {} : { storedTime }),
    ...(tag === undefined ? {} : { tag }),
    ...(hash === undefined ? {} : { hash }),
    ...(isYoung ? { isYoung } : {}),
  };
}

/**
 * Whether a file is the one that was marked, as far as can be told. Without the hash that is wanted, size and time
 * decide.
 */
export function isAsMarked(file: FileEntry, mark: Mark, rules: MarkRules): boolean {
  if (file.isWrong === true) return false;
  const hash = rules.hash === undefined ? undefined : file.hashes?.[rules.hash];
  if (hash !== undefined && mark.hash !== undefined) return hash === mark.hash;
  const needsAll = rules.hash !== undefined;
  const isRewritten = file.isRewritten === true;
  if ((rules.size || needsAll) && !isRewritten && file.size !== mark.size) return false;
  if (!rules.modTime && !needsAll) return true;
  if (mark.isYoung === true) return false;
  const tag = file.contentTag ?? file.etag;
  if (tag !== undefined && mark.tag !== undefined && tag !== mark.tag) return false;
  return sameIfKnown(file.modTime, mark.modTime) && sameIfKnown(file.storedTime, mark.storedTime);
}

function sameIfKnown(a: ModTime | undefined, b: ModTime | undefined): boolean {
  return a === undefined || b === undefined || a === b;
}
