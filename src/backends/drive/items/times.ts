import { type ModTime, modTimeToMs } from '../../../core/mod-time.ts';

/** A modification time as the service takes it: to the millisecond, what is finer is cut. */
export function timesOf(
  modTime: ModTime | undefined,
): { readonly lastModifiedDateTime: string } | undefined {
  if (modTime === undefined) return undefined;
  return { lastModifiedDateTime: new Date(modTimeToMs(modTime)).toISOString() };
}
