import { createHash, type Hash, hash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { bodyChunks } from '../core/body.ts';
import { SyncerError } from '../core/errors.ts';
import type { Hashes, HashName } from '../core/hash-names.ts';
import type { Op, ReadRange, WriteSource } from '../core/remote.ts';
import { crc32Text } from './crc32.ts';

/** Those that Node computes, under the same names. */
const DIGESTS: ReadonlySet<HashName> = new Set(['md5', 'sha1', 'sha256', 'sha512']);

/** Computes hashes of content while it passes. */
interface ContentHasher {
  update(chunk: Uint8Array): void;
  /** The hashes of all that was passed; ends the hasher. */
  digest(): Hashes;
}

/** Whether Node computes a hash, so that a thread can. */
export const isOfNode = (name: HashName): boolean => DIGESTS.has(name);

/** Whether a hash is computed by a library that is loaded for it. */
export const needsLibrary = (name: HashName): boolean =>
  name === 'blake3' || name === 'xxh3' || name === 'xxh128';

/** A hasher for these hashes; loads a library for those that need one. */
export async function loadedHasher(names: readonly HashName[]): Promise<ContentHasher> {
  const plain = contentHasher(names);
  if (!names.some(needsLibrary)) return plain;
  const { wasmHashers } = await import('./wasm-hashes.ts');
  const further = await wasmHashers(names);
  return {
    update(chunk) {
      plain.update(chunk);
      for (const [, hasher] of further) hasher.update(chunk);
    },
    digest: () => ({
      ...plain.digest(),
      ...Object.fromEntries(further.map(([name, hasher]) => [name, hasher.digest('hex')])),
    }),
  };
}

/** A hasher for these hashes, except those that need a library (`loadedHasher`). */
export function contentHasher(names: readonly HashName[]): ContentHasher {
  const digests = names.flatMap((name): [HashName, Hash][] =>
    DIGESTS.has(name) ? [[name, createHash(name)]] : [],
  );
  const withCrc = names.includes('crc32');
  const quickXor = names.includes('quickxor') ? new QuickXorHash() : undefined;
  let crc = 0;
  return {
    update(chunk) {
      for (const [, digest] of digests) digest.update(chunk);
      if (withCrc) crc = crc32(chunk, crc);
      quickXor?.update(chunk);
    },
    digest() {
      const hashes: Partial<Record<HashName, string>> = {};
      for (const [name, digest] of digests) hashes[name] = digest.digest('hex');
      if (withCrc) hashes.crc32 = crc32Text(crc);
      if (quickXor !== undefined) hashes.quickxor = quickXor.digest().toString('hex');
      return hashes;
    },
  };
}

/** The hashes of a content that is there whole: quicker than a hasher on small ones. */
export function hashesOf(names: readonly HashName[], content: Uint8Array): Hashes {
  const hashes: Partial<Record<HashName, string>> = {};
  for (const name of names) {
    if (name === 'crc32') hashes.crc32 = crc32Text(crc32(content));
    else if (name === 'quickxor')
      hashes.quickxor = new QuickXorHash().update(content).digest().toString('hex');
    else if (DIGESTS.has(name)) hashes[name] = hash(name, content, 'hex');
  }
  return hashes;
}

/** Watches the content of one write pass, and returns at the end whether it is the expected one. */
export interface ContentCheck {
  /** Throws `corrupted` as soon as more bytes pass than were promised. */
  update(chunk: Uint8Array): void;
  /** How many bytes passed, with their hashes. Throws `corrupted` where size or a hash is not as promised. */
  finish(): { readonly size: number; readonly hashes: Hashes };
}

/** What is promised of a content. */
type Promised = Pick<WriteSource, 'path' | 'size' | 'hashes'>;

/** Checks the size and the hashes that a source promises, and computes those of `also`, too. */
export function contentCheck(source: Promised, also: readonly HashName[] = []): ContentCheck {
  const hasher = contentHasher(wantedHashes(source, also));
  let size = 0;
  return {
    update(chunk) {
      size += chunk.length;
      if (source.size !== undefined && size > source.size) {
        throw corrupted(source, `got more than the expected ${source.size} bytes`);
      }
      hasher.update(chunk);
    },
    finish() {
      checkSize(source, size);
      return { size, hashes: checkedHashes(source, hasher.digest()) };
    },
  };
}

/** The chunks of a source, range by range (`undefined`: all of it), each of which has passed the check. */
export async function* checkedChunks(
  source: WriteSource,
  ranges: readonly (ReadRange | undefined)[],
  check: ContentCheck,
  op: Op,
): AsyncGenerator<Buffer> {
  for (const range of ranges) {
    for await (const chunk of bodyChunks(await source.open(range, op), op.signal)) {
      check.update(chunk);
      yield chunk;
    }
  }
}

/** As `contentCheck` for a whole content: its hashes. Throws `corrupted` if size or a hash is not as promised. */
export function checkWhole(
  source: Promised,
  content: Uint8Array,
  also: readonly HashName[] = [],
): { readonly hashes: Hashes } {
  const { hashes } = source;
  checkSize(source, content.length);
  if (hashes === undefined) return { hashes: hashesOf(also, content) };
  return { hashes: checkedHashes(source, hashesOf(wantedHashes(source, also), content)) };
}

function wantedHashes({ hashes }: Promised, also: readonly HashName[]): readonly HashName[] {
  return [...new Set([...(Object.keys(hashes ?? {}) as HashName[]), ...also])];
}

function checkSize(source: Promised, size: number): void {
  if (source.size === undefined || size === source.size) return;
  throw corrupted(source, `sizes differ ${source.size} vs ${size}`);
}

function checkedHashes(source: Promised, found: Hashes): Hashes {
  const { hashes } = source;
  for (const each in hashes) {
    const name = each as HashName;
    const hash = found[name];
    const isSame =
      hash === undefined || hash === hashes[name] || hash === hashes[name]?.toLowerCase();
    if (!isSame) throw wrongHash(source, name, hash);
  }
  return found;
}

/** A hash is not the one the source promises (`corrupted`). */
export function wrongHash(source: Promised, name: HashName, found: string): SyncerError {
  return corrupted(source, `${name} hash differ "${source.hashes?.[name]}" vs "${found}"`);
}

function corrupted({ path }: Promised, what: string): SyncerError {
  return new SyncerError('corrupted', `corrupted on transfer: ${what}`, { path });
}

/** Every byte is XORed in 11 bits further round a ring of 160; after 160 bytes the places repeat. */
const RING_BITS = 160;
const PERIOD = 160;
const DIGEST_BYTES = RING_BITS / 8;

/** The hash of files on OneDrive for Business and SharePoint, as Microsoft publishes it. */
export class QuickXorHash {
  /** What the bytes at each place of the period make together; folded into the ring only at the end. */
  readonly #cells = new Uint8Array(PERIOD);
  readonly #words = new Uint32Array(this.#cells.buffer);
  #length = 0;

  update(chunk: Uint8Array): this {
    let at = 0;
    const place = this.#length % PERIOD;
    const head = Math.min((PERIOD - place) % PERIOD, chunk.length);
    for (; at < head; at++) this.#xor(place + at, chunk[at] ?? 0);
    const wholePeriods = Math.floor((chunk.length - at) / PERIOD) * PERIOD;
    let bytes = chunk.subarray(at, at + wholePeriods);
    // 32-bit words are read from addresses that are multiples of 4.
    if (bytes.byteOffset % 4 !== 0) bytes = new Uint8Array(bytes);
    const words = new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
    const cells = this.#words;
    const perPeriod = cells.length;
    for (let from = 0; from < words.length; from += perPeriod) {
      for (let i = 0; i < perPeriod; i++) cells[i] = (cells[i] ?? 0) ^ (words[from + i] ?? 0);
    }
    at += wholePeriods;
    for (let cell = 0; at < chunk.length; at++, cell++) this.#xor(cell, chunk[at] ?? 0);
    this.#length += chunk.length;
    return this;
  }

  digest(): Buffer {
    const ring = Buffer.alloc(DIGEST_BYTES);
    for (let cell = 0; cell < PERIOD; cell++) {
      const bit = (cell * 11) % RING_BITS;
      const spread = (this.#cells[cell] ?? 0) << (bit % 8);
      const byte = bit >> 3;
      ring[byte] = (ring[byte] ?? 0) ^ (spread & 0xff);
      const following = (byte + 1) % DIGEST_BYTES;
      ring[following] = (ring[following] ?? 0) ^ (spread >> 8);
    }
    const lengthAt = DIGEST_BYTES - 8;
    ring.writeBigUInt64LE(ring.readBigUInt64LE(lengthAt) ^ BigInt(this.#length), lengthAt);
    return ring;
  }

  #xor(cell: number, byte: number): void {
    this.#cells[cell] = (this.#cells[cell] ?? 0) ^ byte;
  }
}
