import type { Context } from '../../core/context.ts';
import type { RunSteering } from '../../engine/run-control.ts';
import type { ChangedPlaces } from '../../shell/command-line/command.ts';
import type { Stores } from '../../state/stores.ts';
import type { KnownWords } from '../history/note-run.ts';
import type { RunReport } from '../progress/run-report.ts';
import type { SteeredBandwidth } from '../remotes/rate-limits.ts';

/** Runs that are shorter are not listed, in milliseconds. */
const LONG_MS = 1_000;

/** What the list of running runs shows and steers of a run. */
export interface PresentRun extends KnownWords {
  readonly command: string;
  readonly env: NodeJS.ProcessEnv;
  readonly stores: Stores;
  readonly report: RunReport;
  readonly steering: RunSteering;
  readonly canSteer: boolean;
  readonly bandwidth: SteeredBandwidth | undefined;
  readonly context: Context;
  /** It changes its places alone; how long it waits for that, in milliseconds. */
  readonly lock: { readonly waitMs: number } | undefined;
}

/** Puts a run on the list of running runs when it has lasted for a second, or when it needs a lock. */
export function startPresence(run: PresentRun) {
  const load = async () => (await import('./enter-presence.ts')).enterPresence(run);
  let entered: ReturnType<typeof load> | undefined;
  let changed: ChangedPlaces | undefined;
  const enter = () => {
    clearTimeout(timer);
    entered ??= load();
    return entered;
  };
  const timer = setTimeout(() => {
    void enter().then((presence) => presence.note(changed));
  }, LONG_MS).unref();
  return {
    /**
     * Called before a run changes anything. With `--lock` it resolves when no other run changes these places. Rejects
     * with `locked`, and if that cannot be known.
     */
    async changes(places: ChangedPlaces) {
      changed = places;
      if (run.lock !== undefined) await (await enter()).lock(places, run.lock.waitMs);
      else if (entered !== undefined) void entered.then((presence) => presence.note(places));
    },
    /** The run is over, with this exit code. Resolves to whether it is on the list: its row is completed or deleted next. */
    async end(exit: number) {
      clearTimeout(timer);
      await (await entered)?.end(exit);
      return entered !== undefined;
    },
  };
}
