import { encodingOf, fromStandardPath, toStandardPath } from '../../kit/name-encoding.ts';

/** What no name of the kernel's can hold: a slash, and the names `.` and `..`; a zero byte no store can hold either. */
const KERNEL = encodingOf(['Slash', 'Dot']);

/** A name from the kernel as paths have it, with look-alikes in place of control characters. */
export function nameFromKernel(name: string): string {
  return toStandardPath(KERNEL, name);
}

/** A name as programs on the mount see it: control characters are themselves. */
export function nameToKernel(name: string): string {
  return fromStandardPath(KERNEL, name);
}
