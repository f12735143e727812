import type { Drive } from './drive.ts';
import type { DriveItem } from './drive-item.ts';
import type { ConflictBehavior } from './graph-call.ts';
import type { GraphFailure } from './graph-failure.ts';

/** A copy that the service makes by itself. */
export interface CopyJob {
  readonly id: string;
  readonly source: { readonly drive: Drive; readonly item: DriveItem };
  readonly target: { readonly drive: Drive; readonly folder: DriveItem; readonly name: string };
  readonly behavior: ConflictBehavior;
  /** Scheme and host where the client finds Graph. */
  readonly origin: string;
  /** How often it is still `inProgress`. */
  pollsLeft: number;
  /** The copy, or why there is none. */
  outcome: DriveItem | GraphFailure | undefined;
}
