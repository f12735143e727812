import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { around } from '../../core/around.ts';
import { openWithDetails } from '../../core/body.ts';
import { hasCode, SyncerError, toSyncerError } from '../../core/errors.ts';
import type {
  Body,
  Capabilities,
  Details,
  Entry,
  FileEntry,
  Op,
  ReadRange,
  Remote,
} from '../../core/remote.ts';
import { mapAtOnce } from '../../kit/map-at-once.ts';

/** Files of a listing page that are looked up at the same time. */
const AT_ONCE = 16;

/**
 * The remote with objects whose Content-Encoding is gzip shown as what is in them (option `decompress`): of unknown
 * size, and without hashes. Only a lookup shows the encoding, so each listed file is looked up.
 */
export function decompressing(remote: Remote): Remote {
  const { can } = remote;
  const { details } = can;
  if (details === undefined) return remote;
  const read: Details['read'] = async (file, op, { onBody } = {}) => {
    if (onBody === undefined) return shown(await details.read(file, op));
    const found = await openWithDetails(details, file, op);
    onBody(isGzip(found.file) ? gunzipped(found.body, file.path) : found.body);
    return shown(found.file);
  };
  const shownDetails: Details = { body: true, read };
  const lookUp = async (entry: Entry, op: Op): Promise<Entry[]> => {
    if (entry.kind === 'dir') return [entry];
    try {
      return [await read(entry, op)];
    } catch (error) {
      // It was deleted since it was listed.
      if (hasCode(error, 'file-not-found')) return [];
      throw error;
    }
  };
  const { listTreePage: _tree, listTreeUnordered: _unordered, hash, ...rest } = can;
  const layered: Capabilities = {
    ...rest,
    details: shownDetails,
    ...(hash && {
      hash: async (file, name, op) => (file.size < 0 ? undefined : hash(file, name, op)),
    }),
  };
  return around(remote, {
    async listPage(dir, cursor, op) {
      const page = await remote.listPage(dir, cursor, op);
      const found = await mapAtOnce(page.entries, AT_ONCE, (entry) => lookUp(entry, op));
      return { ...page, entries: found.flat() };
    },
    async stat(path, op) {
      const entry = await remote.stat(path, op);
      return entry === undefined ? undefined : (await lookUp(entry, op))[0];
    },
    async read(file, range, op) {
      if (file.size >= 0) return remote.read(file, range, op);
      const { body } = await openWithDetails(shownDetails, file, op);
      return range === undefined ? body : partOf(body, range);
    },
    can: layered,
  });
}

/** Whether the stored content is compressed. `aws-chunked` is only how it was sent; some servers keep the word. */
function isGzip({ metadata }: FileEntry): boolean {
  const encodings = (metadata?.['content-encoding'] ?? '').split(',').map((one) => one.trim());
  return encodings.filter((one) => one !== 'aws-chunked' && one !== '').join() === 'gzip';
}

/** The file as it is after decompression; a copy of it elsewhere is not encoded. */
function shown(file: FileEntry): FileEntry {
  if (!isGzip(file)) return file;
  const { hashes: _hashes, partsMd5: _parts, metadata = {}, ...kept } = file;
  const { 'content-encoding': _encoding, ...plain } = metadata;
  return { ...kept, size: -1, metadata: plain };
}

function gunzipped(body: Body, path: string): Readable {
  return Readable.from(inflated(streamOf(body), path), { objectMode: false });
}

async function* inflated(source: Readable, path: string): AsyncGenerator<Buffer> {
  const gunzip = createGunzip();
  source.once('error', (error) => gunzip.destroy(error));
  try {
    yield* source.pipe(gunzip);
  } catch (error) {
    if (error instanceof SyncerError) throw error;
    const why = toSyncerError(error).message;
    const text = `its Content-Encoding is gzip, but it cannot be decompressed: ${why}`;
    throw new SyncerError('corrupted', text, { path, cause: error });
  } finally {
    source.destroy();
  }
}

/** A range of content that can only be read from its start. */
function partOf(body: Body, { offset, length = Number.POSITIVE_INFINITY }: ReadRange): Readable {
  const chunks = between(streamOf(body), offset, offset + length);
  return Readable.from(chunks, { objectMode: false });
}

function streamOf(body: Body): Readable {
  return Buffer.isBuffer(body) ? Readable.from([body]) : body;
}

async function* between(body: AsyncIterable<Buffer>, from: number, to: number) {
  let at = 0;
  for await (const chunk of body) {
    const start = Math.max(0, from - at);
    const wanted = chunk.subarray(start, Math.max(start, to - at));
    if (wanted.length > 0) yield wanted;
    at += chunk.length;
    if (at >= to) return;
  }
}
