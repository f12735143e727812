import { encodingOf, fromStandardPath, toStandardPath } from '../../names/name-encoding.ts';

/**
 * Characters that no name of the kernel has: a slash, and the names `.` and `..`; no backend supports a zero byte
 * either.
 */
const KERNEL = encodingOf(['Slash', 'Dot']);

/** A name from the kernel in the form of paths, with look-alikes for control characters. */
export function nameFromKernel(name: string): string {
  return toStandardPath(KERNEL, name);
}

/** A name as programs on the mount see it: with real control characters. */
export function nameToKernel(name: string): string {
  return fromStandardPath(KERNEL, name);
}
