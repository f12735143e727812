/**
 * How long a server asks to wait (`Retry-After`), in milliseconds: seconds or a date. `undefined` where it does not say,
 * or says what cannot be read.
 */
export function retryAfterMs(header: string | undefined, nowMs: number): number | undefined {
  if (header === undefined) return undefined;
  if (/^\d+(\.\d+)?$/.test(header)) return Number(header) * 1000;
  const ms = Date.parse(header) - nowMs;
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}
