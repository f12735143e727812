import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setImmediate as turn } from 'node:timers/promises';
import { createGunzip, createZstdDecompress } from 'node:zlib';
import { SyncerError } from '../../src/core/errors.ts';
import { nameFromBytes, nameToBytes } from '../../src/core/name-bytes.ts';
import { goErrno } from '../../src/go/go-texts.ts';
import type { Output } from '../../src/shell/output/output.ts';
import { type ImportedScan, importNcdu } from '../../src/size-tree/import-ncdu.ts';
import type { SizeTree } from '../../src/size-tree/size-tree.ts';
import { followLinks, replaceFile } from '../../src/state/replace-file.ts';

/**
 * Writes text to a file, or to standard output for `-`. The file appears when it is complete. Rejects with `other`
 * where it cannot be written.
 */
export async function writeText(
  out: Output,
  path: string,
  pieces: AsyncIterable<string | Uint8Array> | Iterable<string | Uint8Array>,
): Promise<void> {
  if (path === '-') {
    // On a terminal only text is made harmless.
    for await (const piece of pieces)
      await out.write(typeof piece === 'string' ? piece : nameFromBytes(piece));
    return;
  }
  const bytes = async function* () {
    for await (const piece of pieces) yield bytesOf(piece);
  };
  try {
    await replaceFile(await followLinks(path), bytes(), { mode: 0o666, isLasting: false });
  } catch (cause) {
    throw new SyncerError('other', `cannot write to ${path}: ${goErrno(cause)}`, { path, cause });
  }
}

/** A piece of a scan that is written: some are texts. */
export function bytesOf(piece: string | Uint8Array): Uint8Array {
  return typeof piece === 'string' ? nameToBytes(piece) : piece;
}

/**
 * Reads a scan from a file, or from standard input for `-`, compressed by zstd or gzip or not at all. Rejects with
 * `other` where it cannot be read, and with the reason of an aborted signal.
 */
export async function readScan(
  path: string,
  stdin: () => Readable,
  into?: SizeTree,
  signal?: AbortSignal,
): Promise<ImportedScan> {
  const source = path === '-' ? stdin() : createReadStream(path);
  try {
    return await importNcdu(abortable(decompressed(source), signal), into);
  } catch (cause) {
    signal?.throwIfAborted();
    const name = path === '-' ? 'standard input' : path;
    const why = cause instanceof SyncerError ? cause.message : goErrno(cause);
    throw new SyncerError('other', `cannot read ${name}: ${why}`, { path, cause });
  } finally {
    source.destroy();
  }
}

/** The bytes of all files in a kept scan, from its first line; `undefined` if that does not say it. Never rejects. */
export async function scanBytes(path: string): Promise<number | undefined> {
  const source = createReadStream(path);
  try {
    let head = '';
    for await (const chunk of decompressed(source)) {
      head += chunk.toString('latin1');
      if (head.includes('\n') || head.length > 4096) break;
    }
    const [, bytes] = /^\[1,2,\{"progname":"syncer"[^\n]*,"bytes":(\d+)\}/.exec(head) ?? [];
    return bytes === undefined ? undefined : Number(bytes);
  } catch {
    return undefined;
  } finally {
    source.destroy();
  }
}

async function* abortable(
  chunks: AsyncIterable<Buffer>,
  signal: AbortSignal | undefined,
): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) {
    signal?.throwIfAborted();
    yield chunk;
    // Keys have their turn: what is buffered would come without one.
    await turn();
  }
}

const ZSTD = Buffer.from([0x28, 0xb5, 0x2f, 0xfd]);
const GZIP = Buffer.from([0x1f, 0x8b]);

async function* decompressed(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const chunks = source[Symbol.asyncIterator]();
  const first = await chunks.next();
  if (first.done === true) return;
  const head = first.value;
  const all = Readable.from(
    (async function* () {
      yield head;
      for (let next = await chunks.next(); next.done !== true; next = await chunks.next()) {
        yield next.value;
      }
    })(),
  );
  const unpacked = head.subarray(0, 4).equals(ZSTD)
    ? createZstdDecompress()
    : head.subarray(0, 2).equals(GZIP)
      ? createGunzip()
      : undefined;
  // A failure of either reaches the reader of `unpacked`.
  if (unpacked !== undefined) pipeline(all, unpacked).catch(() => undefined);
  yield* unpacked ?? all;
}
