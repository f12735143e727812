const BILLION = 1_000_000_000;

/** A point in time in the kernel's form. */
export interface TimeParts {
  /** Whole seconds since the epoch, rounded down. */
  readonly seconds: number;
  /** Nanoseconds after them. */
  readonly nanos: number;
}

/**
 * Splits nanoseconds since the epoch without dividing large numbers: a rounded quotient gives the seconds, and the
 * rest is exact in the low 32 bits.
 */
export function timeParts(time: bigint): TimeParts {
  const seconds = Math.floor(Number(time) / BILLION);
  const nanos = (Number(BigInt.asIntN(32, time)) - Math.imul(seconds, BILLION)) >>> 0;
  if (nanos < BILLION) return { seconds, nanos };
  // Rounding gave one second too many (the rest is negative) or one too few.
  return nanos > 0x7fff_ffff
    ? { seconds: seconds - 1, nanos: (nanos + BILLION) >>> 0 }
    : { seconds: seconds + 1, nanos: nanos - BILLION };
}

/** Nanoseconds since the epoch. */
export function timeFromParts(seconds: bigint, nanos: number): bigint {
  return seconds * 1_000_000_000n + BigInt(nanos);
}
