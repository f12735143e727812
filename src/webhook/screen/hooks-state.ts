import type { ScreenStep } from '../../screen/state-screen.ts';
import type { HookOverview, RunDetails } from '../control/control-protocol.ts';
import type { RunRecord } from '../run/run-record.ts';

/** A run that is open on the screen. */
export interface OpenRun {
  readonly id: string;
  /** What its command wrote, as far as it is known. */
  readonly output: string;
  readonly canRerun: boolean;
  /** Its headers and body; `undefined`: not known yet. */
  readonly request?: readonly string[];
  /** What is shown below what is known of it. */
  readonly below: 'output' | 'request';
  /** First line shown; `end`: the newest stay in sight. */
  readonly top: number | 'end';
}

/** What the screen of the hooks shows. */
export interface HooksState {
  readonly page: 'hooks' | 'runs' | 'run' | 'keys';
  /** Where the page of the keys was called. */
  readonly before: 'hooks' | 'runs' | 'run';
  readonly hooks: readonly HookOverview[];
  /** Newest first. */
  readonly runs: readonly RunRecord[];
  /** Those of one hook only; absent: of all. */
  readonly hook?: string;
  /** The hook that the cursor is on, by its place. */
  readonly hookAt: number;
  /** The run that the cursor is on, by its id: new ones come above it. */
  readonly runAt?: string;
  readonly open?: OpenRun;
  /** The run that would be run again. */
  readonly asked?: string;
  readonly message?: { readonly text: string; readonly bad: boolean };
  /** The server is there. */
  readonly connected: boolean;
}

/** Before anything is known. */
export const FIRST_STATE: HooksState = {
  ...{ page: 'hooks', before: 'hooks', hooks: [], runs: [], hookAt: 0, connected: true },
};

/** What is to be done besides showing. */
export type HooksEffect =
  | { readonly type: 'quit' }
  /** Follow what a run writes, and no other's any more. */
  | { readonly type: 'open'; readonly run: string }
  | { readonly type: 'close' }
  | { readonly type: 'rerun'; readonly run: string };

/** What happens besides keys. */
export type HooksEvent =
  | { readonly type: 'hooks'; readonly hooks: readonly HookOverview[] }
  | { readonly type: 'history'; readonly runs: readonly RunRecord[] }
  | { readonly type: 'run'; readonly run: RunRecord }
  | { readonly type: 'details'; readonly details: RunDetails }
  | { readonly type: 'output'; readonly run: string; readonly text: string }
  | { readonly type: 'rerun'; readonly run: RunRecord }
  | { readonly type: 'failed'; readonly message: string }
  | { readonly type: 'gone' };

/** What came of a key or an event. */
export type HooksStep = ScreenStep<HooksState, HooksEffect>;

/** The runs that are shown: all, or those of one hook. */
export function shownRuns({ runs, hook }: HooksState): readonly RunRecord[] {
  return hook === undefined ? runs : runs.filter((run) => run.hook === hook);
}

/** The place of the run that the cursor is on. */
export function runPlace(state: HooksState): number {
  const found = shownRuns(state).findIndex(({ id }) => id === state.runAt);
  return Math.max(0, found);
}
