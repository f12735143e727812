/** What syncer uses of the package, which brings no types of its own. */
declare module 'proper-lockfile' {
  interface LockOptions {
    /** After how many milliseconds without a sign of life a lock counts as left behind; at least 2000. */
    readonly stale: number;
    /** Whether the file must exist, and its symbolic links are followed. */
    readonly realpath: boolean;
    /** Called where somebody else took the lock away. */
    readonly onCompromised: (error: Error) => void;
  }
  const lockfile: {
    /** Locks `file` by making the directory `file.lock`; resolves to what releases it. */
    lock(file: string, options: LockOptions): Promise<() => Promise<void>>;
  };

  export = lockfile;
}
