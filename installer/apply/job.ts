import type { Clock } from '../../src/core/context.ts';
import type { ServiceControl } from '../machine/systemctl.ts';
import type { InstallerOptions } from '../read-options.ts';
import type { ReleaseClient } from '../release/download-archive.ts';

/** Events of the steps, for the display. */
export type JobEvent =
  | { readonly kind: 'step-begun' | 'step-failed'; readonly step: InstallStep }
  | { readonly kind: 'step-done'; readonly step: InstallStep; readonly result: string }
  | { readonly kind: 'progress'; readonly done: number; readonly total: number | undefined }
  | { readonly kind: 'undo-begun' }
  /** What was undone; or could not be, and why: in words. */
  | { readonly kind: 'undone'; readonly text: string };

export interface World {
  readonly options: InstallerOptions;
  readonly services: ServiceControl;
  readonly releases: ReleaseClient;
  readonly clock: Clock;
  readonly emit: (event: JobEvent) => void;
  /** Aborted by Ctrl-C and the like; its reason is a `SyncerError`. */
  readonly signal: AbortSignal;
}

/** A step's way back. Registered before the change is made, and harmless where it was not. */
export type Undo = (what: string, back: () => Promise<void>) => void;

/** What steps hand on to later ones. */
export interface JobState {
  archive?: Buffer;
  /** Put before the addresses of the release host. */
  prefix: string;
  /** The program that was placed takes a socket from systemd. */
  takesSocket: boolean;
  /** The unit that was restarted with the new program, and needs it again with the old one. */
  restarted?: string;
}

/** One thing to do. All paths are inside the root, but for that of an archive. */
export interface InstallStep {
  /** In words, as plans and progress show it. */
  readonly text: string;
  /** What it takes away. */
  readonly path?: string;
  /** Does it, and resolves to what came of it, for people; to nothing where that is clear. */
  run(world: World, state: JobState, undo: Undo): Promise<string> | Promise<void>;
}
