import { createHash, hash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { readXml, type XmlElement } from '../../../backends/s3-protocol/read-xml.ts';
import type { ChunkSigner } from '../../../backends/s3-protocol/signature-v4.ts';
import { S3Error } from '../wire/s3-error.ts';
import { type ChecksumName, type Checksums, checksumOfHeader, startChecksum } from './checksums.ts';

/** The sender of a request, and the signed properties of the body. */
export interface Identity {
  /** Absent for an anonymous request. */
  readonly accessKeyId?: string;
  /** Value of `x-amz-content-sha256`: a SHA-256, `UNSIGNED-PAYLOAD` or a type of `STREAMING-…`. */
  readonly payload: string;
  /** Verifies the chunks of a signed stream; absent if signatures are not verified. */
  readonly signer?: ChunkSigner;
}

/** The body of a request: its data, and its expected properties. */
export interface Payload {
  /** The decoded data. Read once. */
  readonly data: AsyncIterable<Buffer>;
  /** Length of the data; `undefined` if unknown. */
  readonly length: number | undefined;
  /** The expected SHA-256, in hexadecimal; absent if the body is not signed as a whole. */
  readonly sha256?: string;
  /** The expected MD5, in hexadecimal, from `Content-MD5`. */
  readonly md5?: string;
  /** The expected checksums; an empty value comes with the trailer. */
  readonly checksums: ReadonlyMap<ChecksumName, string>;
  /** Filled when the data has been read to its end. */
  readonly trailers: ReadonlyMap<string, string>;
}

/** Opens the body of a request with these headers. Throws if its headers contradict each other. */
export function openPayload(
  request: IncomingMessage,
  headers: IncomingHttpHeaders,
  identity: Identity,
): Payload {
  const { payload } = identity;
  const checksums = new Map<ChecksumName, string>();
  for (const name in headers) {
    const checksum = checksumOfHeader(name);
    const value = headers[name];
    if (checksum !== undefined && typeof value === 'string') checksums.set(checksum, value);
  }
  const trailer = headers['x-amz-trailer'];
  if (typeof trailer === 'string') {
    for (const name of trailer.split(',')) {
      const lower = name.trim().toLowerCase();
      const checksum = checksumOfHeader(lower);
      if (checksum !== undefined) checksums.set(checksum, '');
      else if (lower.startsWith('x-amz-checksum-')) throw new S3Error('NotImplemented');
    }
  }
  const contentMd5 = headers['content-md5'];
  const md5 = typeof contentMd5 === 'string' && Buffer.from(contentMd5, 'base64');
  if (md5 && md5.length !== 16) throw new S3Error('InvalidDigest');
  const trailers = new Map<string, string>();
  // A reader that stops early must not cut the connection: the client needs the response.
  const body: AsyncIterable<Buffer> = request.iterator({ destroyOnReturn: false });
  const common = { checksums, trailers, ...(md5 && { md5: md5.toString('hex') }) };
  if (!payload.startsWith('STREAMING-')) {
    const isHash = /^[0-9a-f]{64}$/.test(payload);
    if (!isHash && payload !== 'UNSIGNED-PAYLOAD') {
      const text = 'x-amz-content-sha256 must be UNSIGNED-PAYLOAD, STREAMING-… or a SHA-256.';
      throw new S3Error('InvalidArgument', text);
    }
    const plain = { ...common, data: body, length: length(headers['content-length']) };
    return isHash ? { ...plain, sha256: payload } : plain;
  }
  const kind = STREAMS[payload];
  if (kind === undefined) throw new S3Error('NotImplemented');
  const { signer } = identity;
  const data = decodeChunked(body, { ...kind, trailers, ...(signer && { signer }) });
  return { ...common, data, length: length(headers['x-amz-decoded-content-length']) };
}

const STREAMS: Readonly<Record<string, { signedChunks: boolean; signedTrailer: boolean }>> = {
  'STREAMING-AWS4-HMAC-SHA256-PAYLOAD': { signedChunks: true, signedTrailer: false },
  'STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER': { signedChunks: true, signedTrailer: true },
  'STREAMING-UNSIGNED-PAYLOAD-TRAILER': { signedChunks: false, signedTrailer: false },
};

function length(header: string | string[] | undefined): number | undefined {
  if (header === undefined) return undefined;
  if (typeof header !== 'string' || !/^\d{1,15}$/.test(header)) {
    throw new S3Error('InvalidArgument', 'The length of the content is not a number.');
  }
  return Number(header);
}

/** The verified properties of a body. */
interface CheckedContent {
  readonly size: number;
  /** In hexadecimal. */
  readonly md5: string;
  /** The checksums requested or sent. */
  readonly checksums: Checksums;
}

/** Hashes a body in transit and verifies it at its end. Throws `EntityTooLarge`. `extra`: a checksum to compute, too. */
async function startPayloadCheck(payload: Payload, limit: number, extra?: ChecksumName) {
  const { length: wanted = limit } = payload;
  if (wanted > limit) throw new S3Error('EntityTooLarge');
  const md5 = createHash('md5');
  const sha256 = payload.sha256 === undefined ? undefined : createHash('sha256');
  const names = new Set(payload.checksums.keys());
  if (extra !== undefined) names.add(extra);
  const starting = [...names].map(async (name) => [name, await startChecksum(name)] as const);
  const running = await Promise.all(starting);
  let size = 0;
  return {
    update(data: Buffer): void {
      size += data.length;
      if (size > wanted) throw new S3Error(size > limit ? 'EntityTooLarge' : 'IncompleteBody');
      md5.update(data);
      sha256?.update(data);
      for (const [, checksum] of running) checksum.update(data);
    },
    /** Throws if length, hash or checksum differ. */
    finish(): CheckedContent {
      if (size !== (payload.length ?? size)) throw new S3Error('IncompleteBody');
      if (sha256 !== undefined && sha256.digest('hex') !== payload.sha256) {
        throw new S3Error('XAmzContentSHA256Mismatch');
      }
      const md5Hex = md5.digest('hex');
      if (payload.md5 !== undefined && payload.md5 !== md5Hex) throw new S3Error('BadDigest');
      const checksums: Partial<Record<ChecksumName, string>> = {};
      for (const [name, checksum] of running) {
        const value = checksum.digest().toString('base64');
        const announced = payload.checksums.get(name);
        if (announced !== undefined) {
          const given = announced || payload.trailers.get(`x-amz-checksum-${name}`);
          if (given === undefined) throw new S3Error('MalformedTrailerError');
          if (given !== value) {
            const message = `The ${name.toUpperCase()} you specified did not match the calculated checksum.`;
            throw new S3Error('BadDigest', message);
          }
        }
        checksums[name] = value;
      }
      return { size, md5: md5Hex, checksums };
    },
  };
}

/** Reads a body into memory and verifies it. Throws `EntityTooLarge` beyond `limit` bytes. */
export async function receiveBytes(
  payload: Payload,
  limit: number,
): Promise<CheckedContent & { readonly data: Buffer }> {
  const check = await startPayloadCheck(payload, limit);
  const pieces: Buffer[] = [];
  for await (const piece of payload.data) {
    check.update(piece);
    pieces.push(piece);
  }
  const [only] = pieces;
  const data = pieces.length === 1 && only !== undefined ? only : Buffer.concat(pieces);
  return { ...check.finish(), data };
}

/** Reads a body to its end, verifies it and keeps nothing. Throws `EntityTooLarge` beyond `limit` bytes. */
export async function checkPayload(
  payload: Payload,
  limit: number,
  extra?: ChecksumName,
): Promise<CheckedContent> {
  const check = await startPayloadCheck(payload, limit, extra);
  for await (const piece of payload.data) check.update(piece);
  return check.finish();
}

/** How much may wait for the disk before the client has to wait, in bytes. */
const WRITE_BUFFER = 1024 * 1024;

/** Writes a body into an open file, verifies it and closes the file. If it fails, the caller deletes the partial file. */
export async function receiveIntoFile(
  payload: Payload,
  file: { readonly fd: number; readonly offset: number },
  limit: number,
  extra?: ChecksumName,
): Promise<CheckedContent> {
  const starting = startPayloadCheck(payload, limit, extra);
  const { fd, offset: start } = file;
  await pipeline(
    payload.data,
    async function* (data: AsyncIterable<Buffer>) {
      const check = await starting;
      for await (const piece of data) {
        check.update(piece);
        yield piece;
      }
    },
    createWriteStream('', { fd, start, highWaterMark: WRITE_BUFFER }),
  );
  return (await starting).finish();
}

/** Longest XML document from a client, in bytes: 1,000 keys to delete fit, however escaped. */
export const MAX_DOCUMENT = 8 * 1024 * 1024;

/** The document of a request, verified and read. Rejects with `MalformedXML`. */
export async function receiveXml(payload: Payload): Promise<XmlElement> {
  const { data } = await receiveBytes(payload, MAX_DOCUMENT);
  return readRequestXml(documentText(data));
}

const decoder = new TextDecoder('utf-8', { fatal: true });

/** The text of a document. Throws `MalformedXML` if it is not UTF-8. */
export function documentText(data: Uint8Array): string {
  try {
    return decoder.decode(data);
  } catch {
    return refuse();
  }
}

/** The root of a document. Rejects with `MalformedXML`: a key in a deletion is read exactly, or not at all. */
export async function readRequestXml(text: string): Promise<XmlElement> {
  return readXml(text, refuse).catch(refuse);
}

function refuse(): never {
  throw new S3Error('MalformedXML');
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
  return new S3Error('InvalidRequest', 'The aws-chunked body is malformed.');
}

/** The data of an `aws-chunked` body, yielded before the signature of a chunk is known: store it only at the end. */
export async function* decodeChunked(
  source: AsyncIterable<Buffer>,
  options: {
    /** Verifies the signatures; absent if the chunks have none, or none that can be verified. */
    readonly signer?: ChunkSigner;
    /** The chunk headers, and the trailer, must have signatures. */
    readonly signedChunks: boolean;
    readonly signedTrailer: boolean;
    /** Receives the trailers by lower-case name, before the last data is yielded. */
    readonly trailers: Map<string, string>;
  },
): AsyncGenerator<Buffer> {
  const { signer, signedChunks, signedTrailer, trailers } = options;
  const pieces = source[Symbol.asyncIterator]();
  const reader = new PieceReader(pieces);
  try {
    for (let size = -1; size !== 0; ) {
      const header = await reader.line();
      const [digits = ''] = header.split(';', 1);
      if (!/^[0-9a-fA-F]{1,12}$/.test(digits)) throw malformed();
      size = Number.parseInt(digits, 16);
      const sha256 = signedChunks && signer ? createHash('sha256') : undefined;
      for (let left = size; left > 0; ) {
        const part = await reader.some(left);
        left -= part.length;
        sha256?.update(part);
        yield part;
      }
      if (sha256 !== undefined) {
        const given = /^;chunk-signature=([0-9a-f]{64})$/.exec(header.slice(digits.length))?.[1];
        verify(signer?.chunk(sha256.digest('hex')), given);
      }
      if (size > 0 && (await reader.line()) !== '') throw malformed();
    }
    let signed = '';
    let signature: string | undefined;
    for (let line = await reader.line(); line !== ''; line = await reader.line()) {
      const colon = line.indexOf(':');
      if (colon <= 0 || trailers.size > 100) throw new S3Error('MalformedTrailerError');
      const name = line.slice(0, colon).trim().toLowerCase();
      const value = line.slice(colon + 1).trim();
      if (name === 'x-amz-trailer-signature') signature = value;
      else {
        signed += `${name}:${value}\n`;
        trailers.set(name, value);
      }
    }
    if (signedTrailer && signer !== undefined) {
      verify(signer.trailer(hash('sha256', Buffer.from(signed, 'latin1'))), signature);
    }
    await reader.finish();
  } finally {
    await pieces.return?.();
  }
}

function verify(wanted: string | undefined, given: string | undefined): void {
  if (wanted !== given) {
    throw new S3Error('SignatureDoesNotMatch', 'The signature of a chunk does not match its data.');
  }
}
