import { Readable } from 'node:stream';
import type { Context } from '../../core/context.ts';
import { modTimeIn } from '../../core/entry-details.ts';
import { SyncerError, toSyncerError } from '../../core/errors.ts';
import type { ModTime } from '../../core/mod-time.ts';
import type { WriteSource } from '../../core/remote.ts';
import type { CommandCall } from '../../shell/command-line/command.ts';
import { keepMetadata } from './sync-options.ts';

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
  { flags, context }: CommandCall,
  path: string,
  modTime: ModTime,
): InputTarget {
  const metadata = keepMetadata(flags, context)?.set;
  if (metadata === undefined) return { path, modTime };
  if (flags['metadata-mapper']) {
    const text = 'this has no metadata for --metadata-mapper: use --metadata-set';
    throw new SyncerError('usage', text);
  }
  return { path, modTime: modTimeIn(metadata) ?? modTime, metadata };
}

/** Shows the storing of an input as the transfer of a file, of `size` bytes or -1. */
export async function shownTransfer<T>(
  { emit }: Context,
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

/** Resolves when this many more bytes may pass (`--bwlimit`). */
export type SlowDown = (bytes: number) => Promise<void>;

/**
 * The chunks of an input that was promised to have `size` bytes. Rejects with `body-cut` where it has others: a store
 * that gets too few or too many answers as if the connection had been cut, as in rclone.
 */
export async function* promisedChunks(
  chunks: AsyncIterable<Buffer> | Iterable<Buffer>,
  size: number,
): AsyncGenerator<Buffer> {
  let length = 0;
  for await (const chunk of chunks) {
    length += chunk.length;
    if (length > size)
      throw new SyncerError('body-cut', `the input is longer than --size (${size} bytes)`);
    yield chunk;
  }
  if (length < size)
    throw new SyncerError('body-cut', `the input has ${length} bytes, but --size says ${size}`);
}

/** The chunks of a stream whose beginning was read, as slowly as they may pass. */
export async function* slowedChunks(
  head: Buffer,
  rest: AsyncIterable<Buffer>,
  slowDown: SlowDown,
): AsyncGenerator<Buffer> {
  if (head.length > 0) {
    await slowDown(head.length);
    yield head;
  }
  for await (const chunk of rest) {
    await slowDown(chunk.length);
    yield chunk;
  }
}

/**
 * Reads at least `size` bytes of a stream, or all of a shorter one: there is no `rest` then. Rejects if reading fails.
 */
export async function readHead(stream: Readable, size: number) {
  const chunks = chunksOf(stream);
  const head: Buffer[] = [];
  for (let length = 0; length < size; ) {
    const next = await chunks.next();
    if (next.done === true) return { head: Buffer.concat(head), rest: undefined };
    head.push(next.value);
    length += next.value.length;
  }
  return { head: Buffer.concat(head), rest: chunks };
}

async function* chunksOf(stream: Readable): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of stream) yield Buffer.isBuffer(chunk) ? chunk : Buffer.from(chunk);
  } catch (thrown) {
    throw toSyncerError(thrown);
  }
}
