import { nameToBytes } from '../core/name-bytes.ts';

/** How much of a final name, in bytes, a temporary one shows; the whole must fit into 255. */
const SHOWN_BYTES = 100;

/** The beginning of a name that a temporary name for it shows: no more than 100 bytes, and no half characters. */
export function shortName(name: string): string {
  // No unit of a string takes more than three bytes.
  if (name.length * 3 <= SHOWN_BYTES) return name;
  let short = name;
  while (nameToBytes(short).length > SHOWN_BYTES) short = short.slice(0, -1);
  const last = short.charCodeAt(short.length - 1);
  return last < 0xd800 || last > 0xdbff ? short : short.slice(0, -1);
}
