import { createHash, type Hash, hash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { crc32Text } from './crc32.ts';
import type { Hashes, HashName } from './hash-names.ts';
import { DropboxHash } from './hashes/dropbox-hash.ts';
import { HidriveHash } from './hashes/hidrive-hash.ts';
import { MailruHash } from './hashes/mailru-hash.ts';
import { Whirlpool } from './hashes/whirlpool.ts';
import { QuickXorHash } from './quick-xor-hash.ts';

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
