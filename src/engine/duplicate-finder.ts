import type { HashName } from '../core/hash-names.ts';
import { ownEntry } from '../core/own-text.ts';
import type { FileEntry } from '../core/remote.ts';
import type { DedupeMode } from './dedupe-mode.ts';

/** Files of the same hash and size, in the order of the listing. */
export interface DuplicateGroup {
  readonly hash: string;
  readonly files: readonly FileEntry[];
}

/** Collects files and finds duplicates. */
export class DuplicateFinder {
  readonly #name: HashName;
  readonly #found = new Map<string, FileEntry[]>();

  constructor(name: HashName) {
    this.#name = name;
  }

  /** Adds a file; one without this hash has no duplicates. */
  add(file: FileEntry): void {
    const hash = file.hashes?.[this.#name];
    if (!hash) return;
    const key = `${hash} ${file.size}`;
    const same = this.#found.get(key);
    const kept = ownEntry(file);
    if (same === undefined) this.#found.set(key, [kept]);
    else same.push(kept);
  }

  /** Groups of two files or more, in the order of their first files. */
  groups(): DuplicateGroup[] {
    return [...this.#found.values()]
      .filter((files) => files.length > 1)
      .map((files) => ({ hash: files[0]?.hashes?.[this.#name] ?? '', files }));
  }
}

/**
 * The file of a group that a mode keeps; `undefined` if it keeps all. Of equal ones `newest` and `largest` keep the
 * last, `oldest` and `smallest` the first, as in rclone. A file of unknown time counts as from the epoch.
 */
export function fileToKeep(files: readonly FileEntry[], mode: DedupeMode): FileEntry | undefined {
  const byTime = (file: FileEntry) => file.modTime ?? file.storedTime ?? 0n;
  const bySize = (file: FileEntry) => BigInt(file.size);
  switch (mode) {
    case 'first':
      return files[0];
    case 'oldest':
      return firstLowest(files, byTime);
    case 'smallest':
      return firstLowest(files, bySize);
    case 'newest':
      return firstLowest(files.toReversed(), (file) => -byTime(file));
    case 'largest':
      return firstLowest(files.toReversed(), (file) => -bySize(file));
    default:
      return undefined;
  }
}

function firstLowest(
  files: readonly FileEntry[],
  value: (file: FileEntry) => bigint,
): FileEntry | undefined {
  return files.reduce<FileEntry | undefined>(
    (best, file) => (best === undefined || value(file) < value(best) ? file : best),
    undefined,
  );
}
