import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';

/** The checksums of S3, as in `x-amz-checksum-<name>`. */
export const CHECKSUM_NAMES = ['crc32', 'crc32c', 'crc64nvme', 'sha1', 'sha256'] as const;

export type ChecksumName = (typeof CHECKSUM_NAMES)[number];

/** Checksum values by name, in base64 as on the wire. */
export type Checksums = Readonly<Partial<Record<ChecksumName, string>>>;

/** Starts a checksum; `digest` is the final value, big-endian, called once, at the end. */
export async function startChecksum(
  name: ChecksumName,
): Promise<{ update(data: Uint8Array): void; digest(): Buffer }> {
  if (name === 'sha1' || name === 'sha256') return createHash(name);
  if (name === 'crc32') {
    const bytes = Buffer.alloc(4);
    return {
      update: (data) => void bytes.writeUInt32BE(crc32(data, bytes.readUInt32BE())),
      digest: () => bytes,
    };
  }
  const { crcHasher } = await import('../../../hashes/wasm-hashes.ts');
  const hasher = await crcHasher(name);
  return {
    update: (data) => void hasher.update(data),
    digest: () => Buffer.from(hasher.digest('binary')),
  };
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
