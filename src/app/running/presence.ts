import type { RunSteering } from '../../sync/run-control.ts';
import type { RunReport } from '../log/run-report.ts';
import type { SteeredBandwidth } from '../remotes/rate-limits.ts';

/** Runs that are shorter are not listed, in milliseconds. */
const LONG_MS = 1_000;

/** What the list of running runs shows and steers of a run. */
export interface PresentRun {
  readonly id: string;
  /** The name of its command. */
  readonly command: string;
  /** When it began, in milliseconds since the epoch. */
  readonly startedMs: number;
  /** The words of the command line without secrets. */
  readonly words: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly report: RunReport;
  readonly steering: RunSteering;
  readonly canSteer: boolean;
  readonly bandwidth: SteeredBandwidth | undefined;
}

/** A run that others can see. */
export interface Presence {
  /** The run is over, with this exit code. */
  end(exit: number): Promise<void>;
}

/** Puts a run on the list of running runs when it has lasted for a second. */
export function startPresence(run: PresentRun): Presence {
  let entered: Promise<Presence | undefined> | undefined;
  const timer = setTimeout(() => {
    entered = import('./enter-presence.ts').then(({ enterPresence }) => enterPresence(run));
  }, LONG_MS).unref();
  return {
    async end(exit) {
      clearTimeout(timer);
      await (await entered)?.end(exit);
    },
  };
}
