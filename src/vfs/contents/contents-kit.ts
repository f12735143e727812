import type { Context } from '../../core/context.ts';
import type { FileEntry, Remote } from '../../core/remote.ts';
import type { VfsOptions } from '../vfs-options.ts';
import type { BlockBudget } from './block-budget.ts';
import type { ByteSink } from './byte-sink.ts';
import { Downloads } from './downloads.ts';
import type { Holds } from './holds.ts';
import type { QuickDisk } from './quick-disk.ts';
import type { ReadFromMemory } from './read-from-memory.ts';
import type { RequestBuffers } from './request-buffers.ts';

/** What everything here works with. */
export interface ContentsKit {
  readonly remote: Remote;
  readonly options: VfsOptions;
  readonly context: Context;
  readonly budget: BlockBudget;
  readonly buffers: RequestBuffers;
  readonly holds: Holds;
  readonly disk: QuickDisk;
  readonly readFromMemory: ReadFromMemory;
}

/** The downloads of a file into `sink`, as the flags want them. */
export function downloadsOf(kit: ContentsKit, file: FileEntry, sink: ByteSink): Downloads {
  const { remote, options, context } = kit;
  const { readChunkSize, readChunkSizeLimit, readChunkStreams, readWait } = options;
  return new Downloads(
    { remote, file, sink, context, tries: Math.max(1, options.lowLevelRetries) },
    {
      first: readChunkSize,
      limit: readChunkSizeLimit,
      streams: readChunkStreams,
      readWaitMs: readWait,
    },
  );
}
