import type { Readable } from 'node:stream';
import { toSyncerError } from '../../core/errors.ts';

/** A stream whose start was read. */
export interface SplitInput {
  readonly head: Buffer;
  /** The rest; `undefined` if the stream ended within the head. */
  readonly rest: AsyncGenerator<Buffer> | undefined;
}

/** Reads at least `size` bytes of a stream, or all of a shorter one. Rejects if reading fails. */
export async function readHead(stream: Readable, size: number): Promise<SplitInput> {
  const chunks = chunksOf(stream);
  const head: Buffer[] = [];
  let length = 0;
  while (length < size) {
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
