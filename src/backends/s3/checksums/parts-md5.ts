import type { PartsMd5 } from '../../../core/remote.ts';

const MIB = 1024 * 1024;

const PARTS_ETAG = /^([0-9a-f]{32})-(\d{1,5})$/i;

/**
 * What the ETag of an upload in parts tells: S3, and what follows it, makes it the MD5 of the parts' MD5s, with the number
 * of parts behind it. How long they are it does not tell; clients take whole MiB, and the number leaves little choice.
 * `undefined` where it leaves too much.
 */
export function partsMd5(etag: string | undefined, size: number): PartsMd5 | undefined {
  const [, digest, count] = PARTS_ETAG.exec(etag ?? '') ?? [];
  if (digest === undefined) return undefined;
  const partLength = likelyPartLength(size, Number(count));
  return partLength === undefined ? undefined : { partLength, digest: digest.toLowerCase() };
}

/** The one length in whole MiB that makes so many parts, or among several the one power of two. */
function likelyPartLength(size: number, count: number): number | undefined {
  if (size <= 0 || count < 1) return undefined;
  if (count === 1) return size;
  const least = Math.ceil(size / count / MIB);
  const most = Math.ceil(size / (count - 1) / MIB) - 1;
  if (least > most) return undefined;
  if (least === most) return least * MIB;
  const powers = [];
  for (let power = 1; power <= most; power *= 2) if (power >= least) powers.push(power);
  const [only] = powers;
  return powers.length === 1 && only !== undefined ? only * MIB : undefined;
}
