const F_DUPFD_CLOEXEC = 1030;

/** Gives another descriptor of the same open file, which commands do not inherit; `undefined` where there are no more. */
export type DuplicateDescriptor = (fd: number) => number | undefined;

/** What is used of koffi. */
interface Koffi {
  load(library: null): {
    func(
      name: string,
      result: string,
      parameters: readonly string[],
    ): (...args: number[]) => number;
  };
}

/** Finds the function; `undefined` where the C library cannot be reached. */
export async function loadDuplicate(): Promise<DuplicateDescriptor | undefined> {
  if (process.platform !== 'linux') return undefined;
  try {
    // Not a literal: bundlers must leave a package with native parts where it is.
    const name = 'koffi';
    const { default: koffi } = (await import(name)) as { default: Koffi };
    const fcntl = koffi.load(null).func('fcntl', 'int', ['int', 'int', 'int']);
    return (fd) => {
      const copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);
      return copy < 0 ? undefined : copy;
    };
  } catch {
    return undefined;
  }
}
