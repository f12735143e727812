import type { ByteRange } from './range-set.ts';

/** Where downloaded bytes go, and what of a file is there already. */
export interface ByteSink {
  /** The first gap in these bytes; `undefined` where all are there. */
  gap(from: number, to: number): ByteRange | undefined;
  /** Takes bytes that were downloaded; those that are there already stay as they are. */
  put(offset: number, chunk: Uint8Array): Promise<void>;
  /** How far ahead of a reader may be fetched now, in bytes. */
  window(): number;
}
