import { createHash, hash } from 'node:crypto';
import type { ChunkSigner } from '../../../backends/s3-protocol/signature-v4.ts';
import { S3Error } from '../wire/s3-error.ts';

interface ChunkedOptions {
  /** Verifies the signatures; absent if the chunks have none, or none that can be verified. */
  readonly signer?: ChunkSigner;
  /** The chunk headers must have signatures. */
  readonly signedChunks: boolean;
  /** The trailer must have a signature. */
  readonly signedTrailer: boolean;
  /** Receives the trailers by lower-case name, before the last data is yielded. */
  readonly trailers: Map<string, string>;
}

/** Longest line of a chunk header or a trailer, in bytes. */
const MAX_LINE = 8192;

/** Reads lines and bytes from pieces of any size. */
class PieceReader {
  readonly #source: AsyncIterator<Buffer>;
  #buffer: Buffer = Buffer.alloc(0);

  constructor(source: AsyncIterator<Buffer>) {
    this.#source = source;
  }

  /** The next line without its CRLF. */
  async line(): Promise<string> {
    for (;;) {
      const end = this.#buffer.indexOf('\r\n');
      if (end >= 0 && end <= MAX_LINE) {
        const line = this.#buffer.toString('latin1', 0, end);
        this.#buffer = this.#buffer.subarray(end + 2);
        return line;
      }
      if (this.#buffer.length > MAX_LINE) throw malformed();
      await this.#more();
    }
  }

  /** At most `limit` bytes, at least one. */
  async some(limit: number): Promise<Buffer> {
    if (this.#buffer.length === 0) await this.#more();
    const part = this.#buffer.subarray(0, limit);
    this.#buffer = this.#buffer.subarray(part.length);
    return part;
  }

  /** Reads to the end, after which no bytes may follow. */
  async finish(): Promise<void> {
    if (this.#buffer.length > 0) throw malformed();
    const next = await this.#source.next();
    if (next.done !== true) throw malformed();
  }

  async #more(): Promise<void> {
    const next = await this.#source.next();
    if (next.done === true) throw new S3Error('IncompleteBody');
    this.#buffer =
      this.#buffer.length === 0 ? next.value : Buffer.concat([this.#buffer, next.value]);
  }
}

function malformed(): S3Error {
  return new S3Error('InvalidRequest', { message: 'The aws-chunked body is malformed.' });
}

/**
 * The data of an `aws-chunked` body, without chunk framing and trailer, with signatures verified. Data is yielded
 * before the signature of its chunk is known: a caller that stores it must wait for the end.
 */
export async function* decodeChunked(
  source: AsyncIterable<Buffer>,
  options: ChunkedOptions,
): AsyncGenerator<Buffer> {
  const pieces = source[Symbol.asyncIterator]();
  const reader = new PieceReader(pieces);
  try {
    for (let size = -1; size !== 0; ) {
      const header = await reader.line();
      const [digits = ''] = header.split(';', 1);
      if (!/^[0-9a-fA-F]{1,12}$/.test(digits)) throw malformed();
      size = Number.parseInt(digits, 16);
      const sha256 = options.signedChunks && options.signer ? createHash('sha256') : undefined;
      for (let left = size; left > 0; ) {
        const part = await reader.some(left);
        left -= part.length;
        sha256?.update(part);
        yield part;
      }
      if (sha256 !== undefined) {
        const given = /^;chunk-signature=([0-9a-f]{64})$/.exec(header.slice(digits.length))?.[1];
        verify(options.signer?.chunk(sha256.digest('hex')), given);
      }
      if (size > 0 && (await reader.line()) !== '') throw malformed();
    }
    await readTrailers(reader, options);
    await reader.finish();
  } finally {
    await pieces.return?.();
  }
}

async function readTrailers(reader: PieceReader, options: ChunkedOptions): Promise<void> {
  let signed = '';
  let signature: string | undefined;
  for (let line = await reader.line(); line !== ''; line = await reader.line()) {
    const colon = line.indexOf(':');
    if (colon <= 0 || options.trailers.size > 100) throw new S3Error('MalformedTrailerError');
    const name = line.slice(0, colon).trim().toLowerCase();
    const value = line.slice(colon + 1).trim();
    if (name === 'x-amz-trailer-signature') signature = value;
    else {
      signed += `${name}:${value}\n`;
      options.trailers.set(name, value);
    }
  }
  if (options.signedTrailer && options.signer !== undefined) {
    verify(options.signer.trailer(hash('sha256', Buffer.from(signed, 'latin1'))), signature);
  }
}

function verify(wanted: string | undefined, given: string | undefined): void {
  if (wanted !== given) {
    throw new S3Error('SignatureDoesNotMatch', {
      message: 'The signature of a chunk does not match its data.',
    });
  }
}
