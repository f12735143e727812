import type { FileEntry } from '../../src/core/remote.ts';
import type { FileMark, KeptFile } from '../../src/run/journal/journal-line.ts';

/** A deleted or replaced file that is kept. */
export interface TrashedFile {
  /** The run that deleted or replaced it. */
  readonly runId: string;
  /** The number of its place among `TrashContents.lines`, and its path there. */
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
