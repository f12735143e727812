import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { bodyChunks } from '../../../core/body.ts';
import type { Op, WriteSource } from '../../../core/remote.ts';
import { giveBack } from '../../../core/used-again.ts';

/** The checksums with which a part is sent. */
export interface PartSums {
  readonly crc32: number;
  /** In hexadecimal; absent where bodies are not signed. */
  readonly sha256?: string;
}

/**
 * Computes checksums of a file's parts, from the first on, until `work` settles: while another thread hashes the whole
 * file, this one would be idle. Never rejects. A missing one is computed when its part is sent; the server refuses a
 * part that has changed since.
 *
 * @returns by part number
 */
export async function partSumsDuring(
  work: Promise<unknown>,
  { size = 0, peek }: WriteSource,
  partSize: number,
  isSigned: boolean,
  op: Op,
): Promise<ReadonlyMap<number, PartSums>> {
  const found = new Map<number, PartSums>();
  const settled = new AbortController();
  const stop = () => settled.abort();
  work.then(stop, stop);
  const inner: Op = { signal: AbortSignal.any([op.signal, settled.signal]) };
  try {
    for (let offset = 0; peek !== undefined && offset < size; offset += partSize) {
      const length = Math.min(partSize, size - offset);
      const sha256 = isSigned ? createHash('sha256') : undefined;
      let crc = 0;
      for await (const chunk of bodyChunks(await peek({ offset, length }, inner), inner.signal)) {
        crc = crc32(chunk, crc);
        sha256?.update(chunk);
        giveBack(chunk);
      }
      const more = sha256 === undefined ? {} : { sha256: sha256.digest('hex') };
      found.set(offset / partSize + 1, { crc32: crc, ...more });
    }
  } catch {
    // What could not be read here fails, or not, when it is sent.
  }
  return found;
}
