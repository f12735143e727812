import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Identity } from '../auth/authenticate.ts';
import { S3Error } from '../wire/s3-error.ts';
import { type ChecksumName, checksumOfHeader } from './checksums.ts';
import { decodeChunked } from './decode-chunked.ts';

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

const PLAIN = /^[0-9a-f]{64}$/;

/** Opens the body of a request with these headers. Throws if its headers contradict each other. */
export function openPayload(
  request: IncomingMessage,
  headers: IncomingHttpHeaders,
  identity: Identity,
): Payload {
  const { payload } = identity;
  const checksums = announcedChecksums(headers);
  const md5 = contentMd5(headers);
  const trailers = new Map<string, string>();
  // A reader that stops early must not cut the connection: the client needs the response.
  const body: AsyncIterable<Buffer> = request.iterator({ destroyOnReturn: false });
  const common = { checksums, trailers, ...(md5 === undefined ? {} : { md5 }) };
  if (!payload.startsWith('STREAMING-')) {
    if (PLAIN.test(payload)) {
      return {
        ...common,
        data: body,
        length: length(headers['content-length']),
        sha256: payload,
      };
    }
    if (payload !== 'UNSIGNED-PAYLOAD') {
      throw new S3Error('InvalidArgument', {
        message: 'x-amz-content-sha256 must be UNSIGNED-PAYLOAD, STREAMING-… or a SHA-256.',
      });
    }
    return { ...common, data: body, length: length(headers['content-length']) };
  }
  const kind = STREAMS[payload];
  if (kind === undefined) throw new S3Error('NotImplemented');
  const signer = identity.signer;
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
    throw new S3Error('InvalidArgument', { message: 'The length of the content is not a number.' });
  }
  return Number(header);
}

function contentMd5(headers: IncomingHttpHeaders): string | undefined {
  const header = headers['content-md5'];
  if (typeof header !== 'string') return undefined;
  const bytes = Buffer.from(header, 'base64');
  if (bytes.length !== 16) throw new S3Error('InvalidDigest');
  return bytes.toString('hex');
}

function announcedChecksums(headers: IncomingHttpHeaders): Map<ChecksumName, string> {
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
  return checksums;
}
