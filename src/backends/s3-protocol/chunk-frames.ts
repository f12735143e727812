import { hash } from 'node:crypto';
import type { ChunkSigner } from './signature-v4.ts';

/** Bytes of data in every chunk but the last. Amazon wants 8 KiB at least. */
const CHUNK = 64 * 1024;

/** A header that stands behind the body, with the length of its value, which is known only at the end. */
export interface Trailer {
  readonly name: string;
  readonly valueLength: number;
  /** Called when all data has passed. */
  readonly value: () => string;
}

/** The length of a body of `size` bytes in chunks (`aws-chunked`), trailer included, in bytes. */
export function framedLength(size: number, trailer: Trailer, isSigned: boolean): number {
  const signature = isSigned ? ';chunk-signature='.length + 64 : 0;
  const chunk = (length: number) => length.toString(16).length + signature + 2 + length + 2;
  const rest = size % CHUNK;
  const data = ((size - rest) / CHUNK) * chunk(CHUNK) + (rest === 0 ? 0 : chunk(rest));
  const end = '0'.length + signature + 2;
  const line = trailer.name.length + 1 + trailer.valueLength + 2;
  const trailerSignature = isSigned ? 'x-amz-trailer-signature:'.length + 64 + 2 : 0;
  return data + end + line + trailerSignature + 2;
}

/** A body in chunks (`aws-chunked`), each signed where there is a signer, with the trailer behind. */
export async function* framedChunks(
  data: AsyncIterable<Buffer>,
  trailer: Trailer,
  signer: ChunkSigner | undefined,
): AsyncGenerator<Buffer> {
  const head = (chunk: Buffer) => {
    const signature =
      signer === undefined ? '' : `;chunk-signature=${signer.chunk(hash('sha256', chunk))}`;
    return Buffer.from(`${chunk.length.toString(16)}${signature}\r\n`);
  };
  const framed = (pieces: readonly Buffer[]) => {
    const chunk = pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces);
    return [head(chunk), chunk, LINE_END];
  };
  let pieces: Buffer[] = [];
  let size = 0;
  for await (const given of data) {
    for (let from = 0; from < given.length; ) {
      const piece = given.subarray(from, from + CHUNK - size);
      pieces.push(piece);
      size += piece.length;
      from += piece.length;
      if (size < CHUNK) continue;
      yield* framed(pieces);
      pieces = [];
      size = 0;
    }
  }
  if (size > 0) yield* framed(pieces);
  const last = head(Buffer.alloc(0));
  const line = `${trailer.name}:${trailer.value()}`;
  const signature =
    signer === undefined
      ? ''
      : `x-amz-trailer-signature:${signer.trailer(hash('sha256', `${line}\n`))}\r\n`;
  yield Buffer.concat([last, Buffer.from(`${line}\r\n${signature}\r\n`)]);
}

const LINE_END = Buffer.from('\r\n');
