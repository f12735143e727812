import { SyncerError } from '../core/errors.ts';
import type { HashName } from '../core/hash-names.ts';
import type { FileEntry } from '../core/remote.ts';

/** What to do with files of the same content. */
export const DEDUPE_MODES = [
  'interactive',
  'skip',
  'first',
  'newest',
  'oldest',
  'largest',
  'smallest',
  'rename',
  'list',
] as const;

export type DedupeMode = (typeof DEDUPE_MODES)[number];

/** Parses a mode, in any case. Throws `usage` for other words. */
export function parseDedupeMode(text: string): DedupeMode {
  const found = DEDUPE_MODES.find((mode) => mode === text.toLowerCase());
  if (found !== undefined) return found;
  const known = DEDUPE_MODES.join(', ');
  throw new SyncerError('usage', `unknown mode for dedupe "${text}" (known are ${known})`);
}

/** Files of the same hash and size, in the order of the listing. */
export interface DuplicateGroup {
  readonly hash: string;
  readonly files: readonly FileEntry[];
}

/** Groups of two files or more, in the order of their first files. A file without this hash has no duplicates. */
export function duplicateGroups(files: readonly FileEntry[], name: HashName): DuplicateGroup[] {
  const hashed = files.filter(({ hashes }) => hashes?.[name]);
  const groups = Map.groupBy(hashed, ({ hashes, size }) => `${hashes?.[name]} ${size}`);
  return [...groups.values()]
    .filter((group) => group.length > 1)
    .map((group) => ({ hash: group[0]?.hashes?.[name] ?? '', files: group }));
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
