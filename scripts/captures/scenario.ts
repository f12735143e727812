import type { TmuxTerminal } from '../../test/support/start-tmux.ts';

/** How one screen is reached. */
export interface Scenario {
  readonly name: string;
  readonly columns?: number;
  readonly rows?: number;
  /** The command line that opens it. */
  readonly command: string;
  /** Leads to the screen and waits for it. */
  reach(terminal: TmuxTerminal): Promise<unknown>;
}
