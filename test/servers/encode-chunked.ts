import { hash } from 'node:crypto';
import type { ChunkSigner } from '../../src/backends/s3-protocol/signature-v4.ts';

/** How a body is written as `aws-chunked`. */
interface EncodeOptions {
  /** Bytes a chunk. */
  readonly chunk: number;
  readonly trailer?: readonly [name: string, value: string];
  /** Signs the chunks and the trailer. */
  readonly signer?: ChunkSigner;
}

/** A body as `aws-chunked`. */
export function encodeChunked(data: Buffer, options: EncodeOptions): Buffer {
  const { chunk, trailer, signer } = options;
  const out: Buffer[] = [];
  const begin = (part: Buffer) => {
    const signature = signer && `;chunk-signature=${signer.chunk(hash('sha256', part))}`;
    out.push(Buffer.from(`${part.length.toString(16)}${signature ?? ''}\r\n`));
  };
  for (let at = 0; at < data.length; at += chunk) {
    const part = data.subarray(at, at + chunk);
    begin(part);
    out.push(part, Buffer.from('\r\n'));
  }
  begin(Buffer.alloc(0));
  if (trailer !== undefined) {
    const [name, value] = trailer;
    out.push(Buffer.from(`${name}:${value}\r\n`));
    const signature = signer?.trailer(hash('sha256', `${name}:${value}\n`));
    if (signature) out.push(Buffer.from(`x-amz-trailer-signature:${signature}\r\n`));
  }
  out.push(Buffer.from('\r\n'));
  return Buffer.concat(out);
}
