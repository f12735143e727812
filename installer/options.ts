/** What the installer works with: the flags, read and completed. Paths are those inside `root`. */
export interface InstallerOptions {
  /** The system that is worked on: `/`, or the folder that holds another one; absolute. */
  readonly root: string;
  /** The specification's `<work_dir>`, absolute. */
  readonly workDir: string;
  /** Whether the user named it; uninstalling otherwise also looks where the hook file points. */
  readonly workDirGiven: boolean;
  readonly program: string;
  readonly hooks: string;
  readonly unitDir: string;
  readonly port: number;
  /** Absent: a random one. */
  readonly token: string | undefined;
  readonly version: string;
  /** Without a slash at the end. */
  readonly releaseUrl: string;
  readonly mirrorUrl: string | undefined;
  /** The program to install, a file of the running system; absent: a release. */
  readonly source: string | undefined;
  /** A file of the running system. */
  readonly archive: string | undefined;
  /** A file of the running system with further certificate authorities, in PEM. */
  readonly caCert: string | undefined;
  /** Lower-case hexadecimal. */
  readonly sha256: string | undefined;
  /** The machine's architecture as `uname -m` names it. */
  readonly machine: string;
  readonly hardened: boolean;
  /** As systemd reads it. */
  readonly restartDelay: string;
  readonly timeouts: Timeouts;
}

/** How long things may take, in milliseconds. */
export interface Timeouts {
  readonly connectMs: number;
  /** The whole connectivity test. */
  readonly testMs: number;
  /** Without a byte during the download. */
  readonly stallMs: number;
  /** From the start of the service to its answer. */
  readonly startMs: number;
}
