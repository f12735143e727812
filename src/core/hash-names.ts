/** The hashes of files, under rclone's names and in its order. All can be computed here. */
export const HASH_NAMES = [
  ...(['md5', 'sha1', 'crc32', 'sha256', 'sha512'] as const),
  ...(['blake3', 'xxh3', 'xxh128', 'quickxor'] as const),
] as const;

/** A hash of a file. Values are lower-case hexadecimal. */
export type HashName = (typeof HASH_NAMES)[number];

/** Known hash values of one file. */
export type Hashes = Readonly<Partial<Record<HashName, string>>>;

/** The hashes that both files have. */
export function sharedHashes(a: Hashes, b: Hashes): readonly HashName[] {
  return (Object.keys(a) as HashName[]).filter((name) => b[name] !== undefined);
}

const PREFERENCE: readonly HashName[] = [
  ...(['md5', 'sha1', 'quickxor', 'sha256', 'sha512'] as const),
  ...(['blake3', 'xxh128', 'xxh3', 'crc32'] as const),
];

/** The hash that both sides have, the one rclone would choose first; `undefined` if there is none. */
export function commonHash(a: readonly HashName[], b: readonly HashName[]): HashName | undefined {
  return PREFERENCE.find((name) => a.includes(name) && b.includes(name));
}
