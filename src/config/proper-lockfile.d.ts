/** The used part of the package, which has no types. */
declare module 'proper-lockfile' {
  interface LockOptions {
    /** After how many milliseconds without a sign of life a lock is stale; at least 2000. */
    readonly stale: number;
    /** Whether the file must exist, and symbolic links are followed. */
    readonly realpath: boolean;
    /** Called when another process has taken the lock. */
    readonly onCompromised: (error: Error) => void;
  }
  const lockfile: {
    /** Locks `file` by creating the directory `file.lock`; resolves to the release function. */
    lock(file: string, options: LockOptions): Promise<() => Promise<void>>;
  };

  export = lockfile;
}
