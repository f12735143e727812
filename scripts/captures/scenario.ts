import type { CaptureWorld } from './capture-world.ts';

export interface Scenario {
  readonly name: string;
  readonly columns?: number;
  readonly rows?: number;
  /** What happens before, unseen. */
  prepare?(world: CaptureWorld): Promise<unknown>;
  /** The command line that opens the screen. */
  readonly command: string;
  /** The title of the window; the command where absent. */
  readonly title?: string;
  /** Leads to the screen and waits for it. */
  reach(world: CaptureWorld): Promise<unknown>;
}
