import { bodyChunks, collectBody } from '../../../core/body.ts';
import { SyncerError } from '../../../core/errors.ts';
import type { Op, WriteSource } from '../../../core/remote.ts';
import type { ContentCheck } from '../../../hashes/content-check.ts';
import { giveBack, UsedAgain } from '../../../kit/used-again.ts';

/** A part of a file, in memory. */
export interface SourcePart {
  /** From 1. */
  readonly number: number;
  /** To be given back when it is sent (`giveBack`). */
  readonly body: Buffer;
}

/** So many buffers for parts of a stream are kept for later. */
const PARTS_KEPT = 8;

/** Gets a part into memory. */
export type PartTask = (op: Op) => Promise<SourcePart>;

/**
 * The parts of a file, `partSize` bytes each but the last; one empty part of an empty file. Those of a
 * seekable source can be got at the same time. Every byte passes `check`, in order.
 */
export function sourceParts(
  source: WriteSource,
  partSize: number,
  check: ContentCheck,
  op: Op,
): AsyncGenerator<PartTask> {
  return source.seekable && source.size !== undefined && source.size > partSize
    ? rangedParts(source, source.size, partSize, check)
    : streamedParts(source, partSize, check, op);
}

async function* rangedParts(
  source: WriteSource,
  size: number,
  partSize: number,
  check: ContentCheck,
): AsyncGenerator<PartTask> {
  let checkedSoFar: Promise<void> = Promise.resolve();
  for (let number = 1, offset = 0; offset < size; number++, offset += partSize) {
    const length = Math.min(partSize, size - offset);
    const before = checkedSoFar;
    const { promise, resolve } = Promise.withResolvers<void>();
    checkedSoFar = promise;
    yield async (op) => {
      try {
        const body = await collectBody(await source.open({ offset, length }, op), op.signal);
        if (body.length !== length) throw tooShort(source);
        await before;
        check.update(body);
        return { number, body };
      } finally {
        resolve();
      }
    };
  }
}

async function* streamedParts(
  source: WriteSource,
  partSize: number,
  check: ContentCheck,
  op: Op,
): AsyncGenerator<PartTask> {
  const buffers = new UsedAgain(Math.min(partSize, source.size ?? partSize), PARTS_KEPT);
  let number = 1;
  let buffer = buffers.take();
  let size = 0;
  const flush = () => {
    const part = { number: number++, body: buffer.subarray(0, size) };
    return async () => part;
  };
  for await (const chunk of bodyChunks(await source.open(undefined, op), op.signal)) {
    check.update(chunk);
    for (let from = 0; from < chunk.length; ) {
      // A full part waits for the next byte, so that none is empty but that of an empty file.
      if (size === buffer.length) {
        yield flush();
        buffer = buffers.take();
        size = 0;
      }
      const copied = chunk.copy(buffer, size, from);
      size += copied;
      from += copied;
    }
    giveBack(chunk);
  }
  yield flush();
}

function tooShort(source: WriteSource): SyncerError {
  const text = 'shorter than at the start of the copy';
  return new SyncerError('source-changed', text, { path: source.path });
}
