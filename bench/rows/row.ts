import type { Workplace } from '../workplace.ts';

/** One line of the table: a piece of work that both programs do. */
export interface Row {
  readonly name: string;
  /** Needs an S3 server. */
  readonly onS3: boolean;
  /** Needs the bench's own server: latency, synthetic objects. */
  readonly ownServer?: boolean;
  /** Milliseconds after which the server answers. */
  readonly latencyMs?: number;
  /** Brings source and destination into the state in which the work begins; runs before every measured run. */
  readonly prepare?: (place: Workplace) => Promise<void>;
  /** Forget what a program has remembered about objects before it runs: it meets them for the first time. */
  readonly forget?: boolean;
  /** The arguments, the same for both programs. */
  readonly args: (place: Workplace) => readonly string[];
  readonly repeat?: number;
}
