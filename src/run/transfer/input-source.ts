import { Readable } from 'node:stream';
import type { Context } from '../../core/context.ts';
import { modTimeIn } from '../../core/entry-details.ts';
import { SyncerError, toSyncerError } from '../../core/errors.ts';
import type { ModTime } from '../../core/mod-time.ts';
import type { WriteSource } from '../../core/remote.ts';
import type { Invocation } from '../../shell/command-line/command.ts';
import { keepMetadata } from './transfer-flags.ts';

/** Where input goes, and with which time. */
export type InputTarget = Pick<WriteSource, 'path' | 'modTime' | 'metadata' | 'metadataMayFail'>;

/** Input that passes once; `size` in bytes where it is known. */
export function streamSource(
  target: InputTarget,
  size: number | undefined,
  chunks: AsyncIterable<Buffer>,
): WriteSource {
  return {
    ...target,
    size,
    seekable: false,
    async open() {
      return Readable.from(chunks, { objectMode: false });
    },
  };
}

/** Where content without a file of its own goes, and what it is to be; `--metadata-set` may tell another time. */
export function uploadTarget(
  invocation: Pick<Invocation, 'flags' | 'context'>,
  path: string,
  modTime: ModTime,
): InputTarget {
  const metadata = keepMetadata(invocation)?.set;
  if (metadata !== undefined && invocation.flags['metadata-mapper']) {
    throw new SyncerError(
      'usage',
      'this has no metadata for --metadata-mapper: use --metadata-set',
    );
  }
  if (metadata === undefined) return { path, modTime };
  return { path, modTime: modTimeIn(metadata) ?? modTime, metadata };
}

/** Shows the storing of an input as the transfer of a file, of `size` bytes or -1. */
export async function shownTransfer<T>(
  { emit }: Pick<Context, 'emit'>,
  file: { readonly id: number; readonly path: string; readonly size: number },
  store: () => Promise<T>,
): Promise<T> {
  const { id } = file;
  emit({ type: 'transfer-start', kind: 'copy', ...file });
  try {
    const stored = await store();
    emit({ type: 'transfer-end', id });
    return stored;
  } catch (thrown) {
    emit({ type: 'transfer-end', id, error: toSyncerError(thrown) });
    throw thrown;
  }
}
