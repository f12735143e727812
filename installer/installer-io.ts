import type { Readable } from 'node:stream';
import type { Clock } from '../src/core/context.ts';
import type { ServiceControl } from './services/systemctl.ts';
import type { TextOutput } from './show/text-view.ts';

/** The process as the installer sees it. */
export interface InstallerIo {
  /** The words after the program's name. */
  readonly argv: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: TextOutput;
  readonly stderr: TextOutput;
  /** Aborted by Ctrl-C and the like, with a `SyncerError` as reason. */
  readonly signal: AbortSignal;
  readonly clock?: Clock;
  /** The service manager of the system in a root; the machine's own unless a test brings one. */
  readonly services?: (root: string) => Promise<ServiceControl>;
}
