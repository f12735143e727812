import { createHash, type Hash, hash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { Hashes, HashName } from '../core/hash-names.ts';
import { crc32Text } from './crc32.ts';
import { HidriveHash } from './hidrive-hash.ts';
import { QuickXorHash } from './quick-xor-hash.ts';
import { Whirlpool } from './whirlpool.ts';

const BLOCK = 4 * 1024 * 1024;

/** Dropbox's content hash: the SHA-256 of the SHA-256 sums of all blocks of 4 MiB. */
class DropboxHash {
  readonly #all = createHash('sha256');
  #block = createHash('sha256');
  #filled = 0;

  update(chunk: Uint8Array): this {
    let at = 0;
    while (at < chunk.length) {
      if (this.#filled === BLOCK) this.#endBlock();
      const taken = Math.min(BLOCK - this.#filled, chunk.length - at);
      this.#block.update(chunk.subarray(at, at + taken));
      this.#filled += taken;
      at += taken;
    }
    return this;
  }

  /** The 32 bytes of the hash; nothing may be passed afterwards. */
  digest(): Buffer {
    if (this.#filled > 0) this.#endBlock();
    return this.#all.digest();
  }

  #endBlock(): void {
    this.#all.update(this.#block.digest());
    this.#block = createHash('sha256');
    this.#filled = 0;
  }
}

const DIGEST_BYTES = 20;

/** The hash of Mail.ru's cloud: small content itself, else a SHA-1 that begins with a word and ends with the length. */
class MailruHash {
  readonly #sha = createHash('sha1').update('mrCloud');
  readonly #small = Buffer.alloc(DIGEST_BYTES);
  #length = 0;

  update(chunk: Uint8Array): this {
    this.#sha.update(chunk);
    if (this.#length < DIGEST_BYTES) {
      this.#small.set(chunk.subarray(0, DIGEST_BYTES - this.#length), this.#length);
    }
    this.#length += chunk.length;
    return this;
  }

  /** The 20 bytes of the hash; nothing may be passed afterwards. */
  digest(): Buffer {
    if (this.#length <= DIGEST_BYTES) return this.#small;
    return this.#sha.update(String(this.#length)).digest();
  }
}

/** The hashes that can be computed here. */
export const COMPUTABLE_HASHES = [
  'md5',
  'sha1',
  'sha256',
  'crc32',
  'quickxor',
  'dropbox',
  'whirlpool',
  'hidrive',
  'mailru',
] as const satisfies readonly HashName[];

/** Those that Node computes. */
const DIGESTS: ReadonlySet<HashName> = new Set(['md5', 'sha1', 'sha256']);

/** Those of single kinds of clouds, and one that Node has no more. */
const OWN = {
  quickxor: QuickXorHash,
  dropbox: DropboxHash,
  whirlpool: Whirlpool,
  hidrive: HidriveHash,
  mailru: MailruHash,
} as const satisfies Partial<Record<HashName, unknown>>;

/** Computes hashes of content while it passes. */
export interface ContentHasher {
  update(chunk: Uint8Array): void;
  /** The hashes of all that was passed; ends the hasher. */
  digest(): Hashes;
}

/** A hasher for these hashes. */
export function contentHasher(names: readonly HashName[]): ContentHasher {
  const digests = names.flatMap((name): [HashName, Hash][] =>
    DIGESTS.has(name) ? [[name, createHash(name)]] : [],
  );
  const withCrc = names.includes('crc32');
  const own = names.filter(isOwn).map((name) => [name, new OWN[name]()] as const);
  let crc = 0;
  return {
    update(chunk) {
      for (const [, digest] of digests) digest.update(chunk);
      if (withCrc) crc = crc32(chunk, crc);
      for (const [, hasher] of own) hasher.update(chunk);
    },
    digest() {
      const hashes: Partial<Record<HashName, string>> = {};
      for (const [name, digest] of digests) hashes[name] = digest.digest('hex');
      if (withCrc) hashes.crc32 = crc32Text(crc);
      for (const [name, hasher] of own) hashes[name] = hasher.digest().toString('hex');
      return hashes;
    },
  };
}

/** The hashes of a content that is there whole: quicker than a hasher on small ones. */
export function hashesOf(names: readonly HashName[], content: Uint8Array): Hashes {
  const hashes: Partial<Record<HashName, string>> = {};
  for (const name of names) {
    if (name === 'crc32') hashes.crc32 = crc32Text(crc32(content));
    else if (isOwn(name)) hashes[name] = new OWN[name]().update(content).digest().toString('hex');
    else if (DIGESTS.has(name)) hashes[name] = hash(name, content, 'hex');
  }
  return hashes;
}

function isOwn(name: HashName): name is keyof typeof OWN {
  return Object.hasOwn(OWN, name);
}
