import {
  createBLAKE3,
  createCRC32,
  createCRC64,
  createXXHash3,
  createXXHash128,
  type IHasher,
} from 'hash-wasm';
import type { HashName } from '../core/hash-names.ts';

/** New hashers for those of `names` that Node lacks and a library has. */
export async function wasmHashers(
  names: readonly HashName[],
): Promise<readonly (readonly [HashName, IHasher])[]> {
  const makers: Readonly<Partial<Record<HashName, () => Promise<IHasher>>>> = {
    blake3: () => createBLAKE3(),
    xxh3: () => createXXHash3(),
    xxh128: () => createXXHash128(),
  };
  const found = names.flatMap((name) => {
    const make = makers[name];
    return make === undefined ? [] : [make().then((hasher) => [name, hasher.init()] as const)];
  });
  return Promise.all(found);
}

/** A new hasher for a CRC that Node lacks; its polynomial has its bits in reverse. */
export function crcHasher(name: 'crc32c' | 'crc64nvme'): Promise<IHasher> {
  return name === 'crc32c' ? createCRC32(0x82f63b78) : createCRC64('9a6c9329ac4bc9b5');
}
