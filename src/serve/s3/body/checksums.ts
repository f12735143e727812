import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { CRC64_START, crc32c, crc64nvme } from './crc.ts';

/** The checksums of S3, as they stand in `x-amz-checksum-<name>`. */
export const CHECKSUM_NAMES = ['crc32', 'crc32c', 'crc64nvme', 'sha1', 'sha256'] as const;

/** A checksum of S3. */
export type ChecksumName = (typeof CHECKSUM_NAMES)[number];

/** Checksum values by name, in base64 as they go over the wire. */
export type Checksums = Readonly<Partial<Record<ChecksumName, string>>>;

/** Takes the bytes of a body piece by piece. */
export interface RunningChecksum {
  update(data: Uint8Array): void;
  /** The value so far, big-endian; called once, at the end. */
  digest(): Buffer;
}

/** Begins a checksum. */
export function startChecksum(name: ChecksumName): RunningChecksum {
  switch (name) {
    case 'crc32':
      return start32(crc32);
    case 'crc32c':
      return start32(crc32c);
    case 'crc64nvme':
      return start64();
    case 'sha1':
    case 'sha256': {
      const hash = createHash(name);
      return { update: (data) => void hash.update(data), digest: () => hash.digest() };
    }
  }
}

function start32(next: (data: Uint8Array, previous: number) => number): RunningChecksum {
  let value = 0;
  return {
    update: (data) => {
      value = next(data, value);
    },
    digest: () => {
      const bytes = Buffer.alloc(4);
      bytes.writeUInt32BE(value >>> 0);
      return bytes;
    },
  };
}

function start64(): RunningChecksum {
  let value = CRC64_START;
  return {
    update: (data) => {
      value = crc64nvme(data, value);
    },
    digest: () => {
      const bytes = Buffer.alloc(8);
      bytes.writeUInt32BE(value.high, 0);
      bytes.writeUInt32BE(value.low, 4);
      return bytes;
    },
  };
}

/** The checksum that a header or trailer name stands for (`x-amz-checksum-crc32`). */
export function checksumOfHeader(name: string): ChecksumName | undefined {
  const short = name.startsWith('x-amz-checksum-') ? name.slice('x-amz-checksum-'.length) : '';
  return CHECKSUM_NAMES.find((each) => each === short);
}

/** The checksum that an algorithm stands for as S3 spells it (`CRC32`, in any case). */
export function checksumOfAlgorithm(algorithm: string | undefined): ChecksumName | undefined {
  const lower = algorithm?.toLowerCase();
  return CHECKSUM_NAMES.find((each) => each === lower);
}

/** Which checksums these are. */
export function checksumNames(checksums: Checksums): ChecksumName[] {
  return CHECKSUM_NAMES.filter((name) => checksums[name] !== undefined);
}

/** The headers that tell these checksums. */
export function checksumHeaders(checksums: Checksums): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const name of CHECKSUM_NAMES) {
    const value = checksums[name];
    if (value !== undefined) headers[`x-amz-checksum-${name}`] = value;
  }
  return headers;
}

/** The XML elements that tell these checksums (`<ChecksumCRC32>…`). */
export function checksumElements(checksums: Checksums): string {
  let xml = '';
  for (const name of CHECKSUM_NAMES) {
    const value = checksums[name];
    const tag = `Checksum${name.toUpperCase()}`;
    if (value !== undefined) xml += `<${tag}>${value}</${tag}>`;
  }
  return xml;
}
