import { timingSafeEqual } from 'node:crypto';
import { nameToBytes } from '../../core/name-bytes.ts';

/** Whether two texts are equal, in a time that tells nothing of where they differ. */
export function sameText(a: string, b: string): boolean {
  const left = nameToBytes(a);
  const right = nameToBytes(b);
  return left.length === right.length && timingSafeEqual(left, right);
}
