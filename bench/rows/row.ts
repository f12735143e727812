import type { Specialist } from '../peer.ts';
import type { Workplace } from '../workplace.ts';

/** The arguments of a program. */
export type Arguments = (place: Workplace) => readonly string[];

/** A piece of work that all programs do. */
export interface Row {
  readonly name: string;
  /** Milliseconds after which the server answers. */
  readonly latencyMs?: number;
  /** Brings source and destination into the state in which the work begins; runs before every measured run. */
  readonly prepare?: (place: Workplace) => Promise<void>;
  /** Forget what a program has remembered about objects before it runs: it meets them for the first time. */
  readonly forget?: boolean;
  /** The arguments of syncer and rclone. */
  readonly args: Arguments;
  /** The arguments of other programs that do the same work. */
  readonly others?: Partial<Record<Specialist, Arguments>>;
  /** Programs that have no such command, by the part of their name before `-`. */
  readonly without?: readonly string[];
  readonly repeat?: number;
}
