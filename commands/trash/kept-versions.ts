import type { FileEntry, Op, Remote } from '../../src/core/remote.ts';
import type { FileMark, KeptFile } from '../../src/run/journal/journal-line.ts';

/** Up to this number of paths, the versions of each are listed; beyond it, those of the whole remote. */
const MOST_PATHS = 20;

/** Deleted files with the version below their delete marker, without those that are gone. */
export async function keptVersions(
  remote: Remote,
  noted: readonly NotedFile[],
  op: Op,
): Promise<ReadonlyMap<NotedFile, FileEntry>> {
  const found = new Map<NotedFile, FileEntry>();
  const { listVersions } = remote.can;
  if (listVersions === undefined) return found;
  const byMarker = new Map(
    noted.map((file) => {
      const { path, kept } = file;
      return [markerKey(path, kept.in === 'versions' ? kept.id : undefined), file];
    }),
  );
  const paths = [...new Set(noted.map(({ path }) => path))];
  for (const root of paths.length > MOST_PATHS ? [''] : paths) {
    // A deletion that was repeated has left several.
    let markers: FileEntry[] = [];
    for await (const page of listVersions(root, op)) {
      for (const version of page) {
        if (markers[0]?.path !== version.path) markers = [];
        if (version.kept?.kind.endsWith('marker') === true) {
          markers.push(version);
          continue;
        }
        const file = deletedUnder(markers, version, byMarker);
        if (file !== undefined) found.set(file, version);
        markers = [];
      }
    }
  }
  return found;
}

/** The file that one of these delete markers hides; by its ETag if no response named the marker. */
function deletedUnder(
  markers: readonly FileEntry[],
  { path, size, etag, kept }: FileEntry,
  byMarker: ReadonlyMap<string, NotedFile>,
): NotedFile | undefined {
  if (kept?.kind !== 'old') return undefined;
  for (const marker of markers) {
    const file = byMarker.get(markerKey(path, marker.kept?.id.split('\n', 1)[0]));
    if (file !== undefined) return file;
  }
  if (markers[0]?.kept?.kind !== 'marker') return undefined;
  const file = byMarker.get(markerKey(path, undefined));
  const isIt = etag !== undefined && file?.old.etag === etag && file.old.size === size;
  return isIt ? file : undefined;
}

/**
 * What has to be deleted of a path so that nothing of these versions is left, in this order: the versions, then the
 * markers that hide nothing any more, the oldest first. No marker above a version that stays: that would be current
 * again.
 */
export function withMarkers(
  all: readonly FileEntry[],
  doomed: ReadonlySet<string>,
): { readonly versions: readonly FileEntry[]; readonly markers: readonly FileEntry[] } {
  const versions: FileEntry[] = [];
  const markers: FileEntry[] = [];
  let isEmpty = true;
  for (const entry of all.toReversed()) {
    const isMarker = entry.kept?.kind.endsWith('marker') === true;
    if (isMarker && isEmpty) markers.push(entry);
    else if (doomed.has(entry.kept?.id ?? '')) versions.push(entry);
    else if (!isMarker) isEmpty = false;
  }
  return { versions, markers };
}

function markerKey(path: string, id: string | undefined): string {
  return `${path}\n${id ?? ''}`;
}

/** A deleted or replaced file that is kept. */
export interface TrashedFile {
  /** The run that deleted or replaced it. */
  readonly runId: string;
  /** The number of its place among `JournalNotes.lines`, and its path there. */
  readonly place: number;
  readonly path: string;
  /** Its path below the remote that the command names. */
  readonly shown: string;
  readonly old: FileMark;
  readonly kept: KeptFile;
  /** Absent if the history does not have the run. */
  readonly why?: 'deleted' | 'replaced';
  /** What is stored: the file in the trash, or the version below its delete marker. Absent in a recycle bin. */
  readonly stored?: FileEntry;
}

/** A file that a run deleted or replaced and that was kept then. */
export type NotedFile = Required<Omit<TrashedFile, 'shown' | 'stored'>>;

/** The files that one run left in a trash. */
export interface TrashedDir {
  readonly runId: string;
  /** The number of their place. */
  readonly place: number;
  /** Relative to the remote with the trash of that place. */
  readonly dir: string;
  /** Before the paths of its files that no journal has: a bucket. */
  readonly base: string;
}
