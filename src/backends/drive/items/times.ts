import { type ModTime, modTimeToMs } from '../../../core/mod-time.ts';

/** The time of a file whose own was lost, so that no run takes it for another file of that size: 1 January 1980. */
export const NO_TIME: ModTime = 315_532_800_000_000_000n;

/** A modification time as the service takes it: to the millisecond, what is finer is cut. */
export function timesOf(
  modTime: ModTime | undefined,
): { readonly lastModifiedDateTime: string } | undefined {
  if (modTime === undefined) return undefined;
  return { lastModifiedDateTime: new Date(modTimeToMs(modTime)).toISOString() };
}
