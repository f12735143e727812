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

/** Every capture of the docs. */
export const SCENARIOS: readonly Scenario[] = [
  {
    name: 'home',
    command: 'syncer',
    reach: (terminal) => terminal.waitFor('New remote'),
  },
  {
    name: 'home-actions',
    command: 'syncer',
    async reach(terminal) {
      await terminal.waitFor('New remote');
      await terminal.keys('Enter');
      await terminal.waitFor('Browse');
      await terminal.keys('s');
      await terminal.waitFor('makes another place equal');
      await terminal.type('backup:photos');
      await terminal.waitFor('sync photos: backup:photos');
    },
  },
];
