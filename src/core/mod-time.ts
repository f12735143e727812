/**
 * Nanoseconds since 1970-01-01T00:00:00Z. A `bigint`, because a number of milliseconds cannot hold the nanoseconds of
 * Linux file systems and rclone's S3 metadata.
 */
export type ModTime = bigint;

const NS_PER_MS = 1_000_000n;
const NS_PER_SECOND = 1_000_000_000n;

/** Nanoseconds from milliseconds since the epoch, as `Date.now()` and `Date.parse` give them. */
export function modTimeFromMs(ms: number): ModTime {
  const whole = Math.floor(ms);
  if (whole === ms) return BigInt(whole) * NS_PER_MS;
  return BigInt(whole) * NS_PER_MS + BigInt(Math.round((ms - whole) * 1e6));
}

/** Milliseconds since the epoch, rounded down. */
export function modTimeToMs(time: ModTime): number {
  return Number(floorDiv(time, NS_PER_MS));
}

/** The earliest second in which a call of `tookMs` with a response at `toldAt` (server's clock) can have written. */
export function writtenSince(toldAt: ModTime | undefined, tookMs: number): ModTime | undefined {
  if (toldAt === undefined) return undefined;
  return modTimeFromMs(Math.floor((modTimeToMs(toldAt) - Math.max(0, tookMs)) / 1000) * 1000);
}

/** Whole seconds and the remaining nanoseconds (0 to 999,999,999), also for times before 1970. */
export function splitModTime(time: ModTime): { seconds: number; nanoseconds: number } {
  const seconds = floorDiv(time, NS_PER_SECOND);
  return { seconds: Number(seconds), nanoseconds: Number(time - seconds * NS_PER_SECOND) };
}

/** Joins what `splitModTime` parts. */
export function joinModTime(seconds: number, nanoseconds: number): ModTime {
  return BigInt(seconds) * NS_PER_SECOND + BigInt(nanoseconds);
}

/** Seconds with up to nine decimals and no trailing zeros (`1700000000.5`), as rclone keeps times in S3 metadata. */
export function formatDecimalSeconds(time: ModTime): string {
  const sign = time < 0n ? '-' : '';
  const magnitude = time < 0n ? -time : time;
  const decimals = String(magnitude % NS_PER_SECOND).padStart(9, '0');
  const fraction = decimals.replace(/0+$/, '');
  const whole = `${sign}${magnitude / NS_PER_SECOND}`;
  return fraction === '' ? whole : `${whole}.${fraction}`;
}

/** Reads the format of `formatDecimalSeconds`; decimals past the ninth are cut. `undefined` for other text. */
export function parseDecimalSeconds(text: string): ModTime | undefined {
  const match = /^([+-]?)(\d{1,15})(?:\.(\d*))?$/.exec(text.trim());
  if (match === null) return undefined;
  const [, sign, whole = '0', fraction = ''] = match;
  const magnitude = BigInt(whole) * NS_PER_SECOND + BigInt(fraction.slice(0, 9).padEnd(9, '0'));
  return sign === '-' ? -magnitude : magnitude;
}

/** Whether two times differ by less than `windowNs`, as rclone compares them (`--modify-window`). */
export function sameModTime(a: ModTime, b: ModTime, windowNs: bigint): boolean {
  const difference = a - b;
  return difference < windowNs && difference > -windowNs;
}

function floorDiv(a: bigint, b: bigint): bigint {
  const quotient = a / b;
  return a % b < 0n ? quotient - 1n : quotient;
}
