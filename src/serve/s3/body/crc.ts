/** CRC-32C (Castagnoli), reflected. */
const CRC32C_POLYNOMIAL = 0x82f63b78;
/** CRC-64/NVME, reflected. */
const CRC64NVME_POLYNOMIAL = 0x9a6c9329ac4bc9b5n;

let crc32cTable: Int32Array | undefined;

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
export function crc32c(data: Uint8Array, previous = 0): number {
  crc32cTable ??= makeCrc32cTable();
  const table = crc32cTable;
  let crc = ~previous;
  for (let i = 0; i < data.length; i++) {
    crc = (table[(crc ^ (data[i] as number)) & 255] as number) ^ (crc >>> 8);
  }
  return ~crc >>> 0;
}

let crc64Tables: { readonly high: Int32Array; readonly low: Int32Array } | undefined;

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

/** A CRC-64 as its two 32-bit halves, since JavaScript's bit operations know no more. */
export interface Crc64 {
  readonly high: number;
  readonly low: number;
}

/** The CRC-64/NVME of nothing. */
export const CRC64_START: Crc64 = { high: 0, low: 0 };

/** The CRC-64/NVME of `previous` bytes followed by `data`; halves are unsigned. */
export function crc64nvme(data: Uint8Array, previous: Crc64 = CRC64_START): Crc64 {
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
