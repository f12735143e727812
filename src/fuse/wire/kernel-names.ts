import { encodingOf, fromStandardPath, toStandardPath } from '../../kit/name-encoding.ts';

/** What no name of the kernel's can hold: a slash, and the names `.` and `..`; a zero byte no store can hold either. */
const KERNEL = encodingOf(['Slash', 'Dot']);

/**
 * A name that the kernel asks for as paths have it: control characters have look-alikes there, while a program finds the
 * file by the name that it gave it.
 */
export function nameFromKernel(name: string): string {
  return toStandardPath(KERNEL, name);
}

/** A name as programs on the mount see it: control characters are themselves. */
export function nameToKernel(name: string): string {
  return fromStandardPath(KERNEL, name);
}
