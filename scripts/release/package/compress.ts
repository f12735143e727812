import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

const zip = promisify(gzip);

/** Compresses, always to the same bytes: Node's gzip writes neither time nor name. */
export async function compress(content: Uint8Array | string): Promise<Buffer> {
  const bytes = await zip(content, { level: 6 });
  // The system that made it, which only some versions of zlib fill in.
  bytes[9] = 3;
  return bytes;
}
