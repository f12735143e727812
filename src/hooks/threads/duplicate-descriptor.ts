import { loadLibc } from '../../core/libc.ts';

const F_DUPFD_CLOEXEC = 1030;

/** Gives another descriptor of the same open file, which commands do not inherit; `undefined` where there are no more. */
export type DuplicateDescriptor = (fd: number) => number | undefined;

/** Finds the function; `undefined` where the C library cannot be reached. */
export async function loadDuplicate(): Promise<DuplicateDescriptor | undefined> {
  if (process.platform !== 'linux') return undefined;
  try {
    const fcntl = (await loadLibc()).func('fcntl', 'int', ['int', 'int', 'int']);
    return (fd) => {
      const copy = Number(fcntl(fd, F_DUPFD_CLOEXEC, 0));
      return copy < 0 ? undefined : copy;
    };
  } catch {
    return undefined;
  }
}
