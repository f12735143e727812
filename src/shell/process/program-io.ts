import type { Readable } from 'node:stream';
import type { OutputStream } from '../output/output.ts';

/** The process as the program sees it. */
export interface ProgramIo {
  /** The words after the program's name. */
  readonly argv: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly stdin: Readable;
  readonly stdout: OutputStream & {
    readonly isTTY?: boolean;
    readonly columns?: number;
    readonly rows?: number;
  };
  readonly stderr: {
    write(bytes: Uint8Array): unknown;
    on(event: 'error', listener: (error: Error) => void): unknown;
  };
  /** Aborted by Ctrl-C and SIGTERM, with a `SyncerError` as reason. */
  readonly signal: AbortSignal;
  /** Calls `listener` at each SIGUSR2, which switches the bandwidth limit. */
  readonly onToggle?: (listener: () => void) => unknown;
}
