import { modTimeToMs } from '../core/mod-time.ts';
import type { FileEntry } from '../core/remote.ts';

/** Which old versions `versions prune` deletes. */
export interface PruneRules {
  /** How many old versions of each file stay, the newest. */
  readonly keep: number;
  /** Versions that were replaced or deleted less long ago stay, in milliseconds; 0: none for that. */
  readonly olderThanMs: number;
  readonly nowMs: number;
  /** Versions that the filter excludes stay. */
  readonly includes: (file: FileEntry) => boolean;
}

/** What is to be deleted: a version, or at the end of a file the markers that then hide nothing. */
export type Doomed = { readonly version: FileEntry } | { readonly markers: readonly FileEntry[] };

/**
 * What a listing of all versions (`Capabilities.listVersions`) has to delete. Never a current file, and never a marker
 * above a version that stays: that would be current again. `markers` come once for each file, also if there are none.
 */
export async function* doomedVersions(
  pages: AsyncIterable<readonly FileEntry[]>,
  rules: PruneRules,
): AsyncGenerator<Doomed> {
  let name: string | undefined;
  let old = 0;
  let markers: FileEntry[] = [];
  /** Since when the next entry is no longer current. */
  let replacedMs: number | undefined;
  for await (const page of pages) {
    for (const file of page) {
      const { kept, modTime } = file;
      if (nameOf(file) !== name) {
        if (name !== undefined) yield { markers };
        [name, old, markers, replacedMs] = [nameOf(file), 0, [], undefined];
      }
      if (kept?.kind === 'old') {
        if (isDoomed(file, old++, replacedMs, rules)) yield { version: file };
        else markers = [];
      } else if (kept?.kind !== 'current') markers.push(file);
      replacedMs = modTime === undefined ? undefined : modTimeToMs(modTime);
    }
  }
  if (name !== undefined) yield { markers };
}

function isDoomed(
  file: FileEntry,
  newer: number,
  replacedMs: number | undefined,
  { keep, olderThanMs, nowMs, includes }: PruneRules,
): boolean {
  if (newer < keep || !includes(file)) return false;
  return olderThanMs <= 0 || (replacedMs !== undefined && replacedMs <= nowMs - olderThanMs);
}

/** Two keys can have one path: the name of the version then has the key. */
function nameOf({ path, kept }: FileEntry): string {
  return `${path}\n${kept?.id.split('\n', 2)[1] ?? ''}`;
}

/**
 * What each file was at a time: the newest entry that is not younger, and whether it is the current one. Files that
 * did not exist then are skipped.
 */
export async function* versionsAt(
  pages: AsyncIterable<readonly FileEntry[]>,
  atMs: number,
): AsyncGenerator<FileEntry> {
  let name: string | undefined;
  let isFound = false;
  for await (const page of pages) {
    for (const file of page) {
      if (nameOf(file) !== name) [name, isFound] = [nameOf(file), false];
      const { modTime } = file;
      if (isFound || modTime === undefined || modTimeToMs(modTime) > atMs) continue;
      isFound = true;
      yield file;
    }
  }
}
