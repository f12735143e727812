import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';

/** CRC-32C (Castagnoli), reflected. */
const CRC32C_POLYNOMIAL = 0x82f63b78;

/** CRC-64/NVME, reflected. */
const CRC64NVME_POLYNOMIAL = 0x9a6c9329ac4bc9b5n;

let crc32cTable: Int32Array | undefined;

let crc64Tables: { readonly high: Int32Array; readonly low: Int32Array } | undefined;

/** A CRC-64 as its two 32-bit halves, because JavaScript's bit operations have 32 bits. */
interface Crc64 {
  readonly high: number;
  readonly low: number;
}

const CRC64_START: Crc64 = { high: 0, low: 0 };

/** The checksums of S3, as in `x-amz-checksum-<name>`. */
export const CHECKSUM_NAMES = ['crc32', 'crc32c', 'crc64nvme', 'sha1', 'sha256'] as const;

/** A checksum of S3. */
export type ChecksumName = (typeof CHECKSUM_NAMES)[number];

/** Checksum values by name, in base64 as on the wire. */
export type Checksums = Readonly<Partial<Record<ChecksumName, string>>>;

/** Receives the bytes of a body piece by piece. */
export interface RunningChecksum {
  update(data: Uint8Array): void;
  /** The final value, big-endian; called once, at the end. */
  digest(): Buffer;
}

/** Starts a checksum. */
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
    digest: () => uint32(value >>> 0),
  };
}

function start64(): RunningChecksum {
  let value = CRC64_START;
  return {
    update: (data) => {
      value = crc64nvme(data, value);
    },
    digest: () => Buffer.concat([uint32(value.high), uint32(value.low)]),
  };
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

/** The checksum of a header or trailer name (`x-amz-checksum-crc32`). */
export function checksumOfHeader(name: string): ChecksumName | undefined {
  const short = name.startsWith('x-amz-checksum-') ? name.slice('x-amz-checksum-'.length) : '';
  return CHECKSUM_NAMES.find((each) => each === short);
}

/** The checksum of an algorithm in S3's spelling (`CRC32`, in any case). */
export function checksumOfAlgorithm(algorithm: string | undefined): ChecksumName | undefined {
  const lower = algorithm?.toLowerCase();
  return CHECKSUM_NAMES.find((each) => each === lower);
}

/** The names of the checksums. */
export function checksumNames(checksums: Checksums): ChecksumName[] {
  return CHECKSUM_NAMES.filter((name) => checksums[name] !== undefined);
}

/** The headers of these checksums. */
export function checksumHeaders(checksums: Checksums): Record<string, string> {
  const names = checksumNames(checksums);
  return Object.fromEntries(names.map((name) => [`x-amz-checksum-${name}`, checksums[name] ?? '']));
}

/** The XML elements of these checksums (`<ChecksumCRC32>…`). */
export function checksumElements(checksums: Checksums): string {
  const elements = checksumNames(checksums).map((name) => {
    const tag = `Checksum${name.toUpperCase()}`;
    return `<${tag}>${checksums[name]}</${tag}>`;
  });
  return elements.join('');
}

function makeCrc32cTable(): Int32Array {
  return Int32Array.from({ length: 256 }, (_, index) => {
    let value = index;
    for (let bit = 0; bit < 8; bit++) {
      value = value & 1 ? (value >>> 1) ^ CRC32C_POLYNOMIAL : value >>> 1;
    }
    return value;
  });
}

/** The CRC-32C of `previous` bytes followed by `data`; starts from 0. Unsigned. */
function crc32c(data: Uint8Array, previous = 0): number {
  crc32cTable ??= makeCrc32cTable();
  const table = crc32cTable;
  let crc = ~previous;
  for (let i = 0; i < data.length; i++) {
    crc = (table[(crc ^ (data[i] as number)) & 255] as number) ^ (crc >>> 8);
  }
  return ~crc >>> 0;
}

function makeCrc64Tables() {
  const high = new Int32Array(256);
  const low = new Int32Array(256);
  for (let index = 0; index < 256; index++) {
    let value = BigInt(index);
    for (let bit = 0; bit < 8; bit++) {
      value = value & 1n ? (value >> 1n) ^ CRC64NVME_POLYNOMIAL : value >> 1n;
    }
    high[index] = Number(BigInt.asIntN(32, value >> 32n));
    low[index] = Number(BigInt.asIntN(32, value));
  }
  return { high, low };
}

/** The CRC-64/NVME of `previous` bytes followed by `data`; halves are unsigned. */
function crc64nvme(data: Uint8Array, previous: Crc64 = CRC64_START): Crc64 {
  crc64Tables ??= makeCrc64Tables();
  const tables = crc64Tables;
  let high = ~previous.high;
  let low = ~previous.low;
  for (let i = 0; i < data.length; i++) {
    const index = (low ^ (data[i] as number)) & 255;
    low = ((low >>> 8) | (high << 24)) ^ (tables.low[index] as number);
    high = (high >>> 8) ^ (tables.high[index] as number);
  }
  return { high: ~high >>> 0, low: ~low >>> 0 };
}
