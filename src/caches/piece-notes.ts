import { hash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { ObjectPieces, PieceNotes, Pieces } from '../core/content-pieces.ts';
import { nameToBytes } from '../core/name-bytes.ts';
import { CacheAccess, type CacheOptions } from '../state/cache-access.ts';
import type { Database, TableRow } from '../state/database.ts';

const DAY_MS = 86_400_000;

/** What all notes may take, in bytes: those of some 5 TiB. */
const MOST_BYTES = 256 * 1024 ** 2;

const FIND = 'SELECT * FROM large_objects WHERE (etag = ? OR store = ?) AND name = ?';

/** The pieces of large objects, in the table `large_objects` of `cache.db`. A damaged row is none. */
export function pieceNotes(options: CacheOptions): PieceNotes {
  const { clock, maxBytes = MOST_BYTES } = options;
  const cache = new CacheAccess(options.stores, options.onTrouble);
  const today = () => Math.floor(clock.now() / DAY_MS);
  return {
    async find(store, name, etag) {
      await cache.open();
      const key = keyOf(store, name);
      const [ofStore] = key;
      const rows = cache.read((database) => database.all(FIND, etag, ...key)) ?? [];
      const found = rows.map(piecesOf);
      // Any of its ETag will do: it is only a hint.
      const same = found.find((one) => one?.etag === etag);
      return same ?? found[rows.findIndex((row) => row['store'] === ofStore)];
    },
    async learn(store, name, pieces) {
      const { etag, size, misses, parts, cuts } = pieces;
      const blobs = [...blobsOf(parts), ...blobsOf(cuts)];
      const key = keyOf(store, name);
      const sum = sumOf(key, [etag, size, misses], blobs);
      const values = [...key, etag, size, today(), misses, ...blobs, sum];
      const places = values.map(() => '?').join();
      await cache.write((database) => {
        database.run(`INSERT OR REPLACE INTO large_objects VALUES (${places})`, ...values);
        forgetUnused(database, maxBytes);
      });
    },
  };
}

/** Deletes the rows that were not used for longest, until the others fit. */
function forgetUnused(database: Database, maxBytes: number): void {
  const bytes = ['part_lengths', 'part_md5s', 'cut_lengths', 'cut_sha256s']
    .map((column) => `ifnull(length(${column}), 0)`)
    .join(' + ');
  const rows = `SELECT rowid AS row, sum(${bytes} + 200) OVER (ORDER BY used_day DESC, rowid DESC) AS bytes FROM large_objects`;
  database.run(
    `DELETE FROM large_objects WHERE rowid IN (SELECT row FROM (${rows}) WHERE bytes > ?)`,
    maxBytes,
  );
}

/** The key reveals nothing of the server. */
function keyOf(store: string, name: string): readonly [string, Uint8Array] {
  return [hash('sha256', store).slice(0, 32), nameToBytes(name)];
}

function piecesOf(row: TableRow): ObjectPieces | undefined {
  const key = [String(row['store']), row['name'] as Uint8Array] as const;
  const [etag, size, misses] = [String(row['etag']), Number(row['size']), Number(row['misses'])];
  const columns = ['part_lengths', 'part_md5s', 'cut_lengths', 'cut_sha256s'] as const;
  const blobs = columns.map((column) => (row[column] ?? null) as Uint8Array | null);
  if (sumOf(key, [etag, size, misses], blobs) !== row['sum']) return undefined;
  const [partLengths, md5s, cutLengths, sha256s] = blobs;
  const [parts, cuts] = [ofBlobs(partLengths, md5s, 16), ofBlobs(cutLengths, sha256s, 32)];
  return { etag, size, misses, ...(parts && { parts }), ...(cuts && { cuts }) };
}

function blobsOf(pieces: Pieces | undefined): readonly [Uint8Array | null, Uint8Array | null] {
  if (pieces === undefined) return [null, null];
  const lengths = Buffer.alloc(4 * pieces.lengths.length);
  for (const [at, length] of pieces.lengths.entries()) lengths.writeUInt32LE(length, 4 * at);
  return [lengths, pieces.digests];
}

function ofBlobs(
  lengths: Uint8Array | null | undefined,
  digests: Uint8Array | null | undefined,
  width: number,
): Pieces | undefined {
  if (!lengths || !digests || lengths.length * width !== digests.length * 4) return undefined;
  const view = new DataView(lengths.buffer, lengths.byteOffset, lengths.length);
  const numbers = Uint32Array.from({ length: lengths.length / 4 }, (_, at) =>
    view.getUint32(4 * at, true),
  );
  return { lengths: numbers, digests };
}

function sumOf(
  [store, name]: readonly [string, Uint8Array],
  facts: readonly (string | number)[],
  blobs: readonly (Uint8Array | null)[],
): number {
  let sum = crc32(
    JSON.stringify([store, ...facts, blobs.map((blob) => blob?.length)]),
    crc32(name),
  );
  for (const blob of blobs) if (blob !== null) sum = crc32(blob, sum);
  return sum;
}
