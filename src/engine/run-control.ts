import { abortable, linkedAbort } from '../core/abort.ts';
import { SyncerError } from '../core/errors.ts';
import { createTransferPlaces, type TransferPlaces } from './transfer-places.ts';

/** What a person does to a run while it goes on, as the engine sees it. */
export interface RunControl {
  /** Resolves when a transfer may begin or go on; `undefined`: at once. Rejects with the signal's reason. */
  ready(signal: AbortSignal): Promise<void> | undefined;
  /** How many pauses have begun. */
  readonly pauses: number;
  /** Aborted, with `stopped` as reason, when nothing new may begin; what runs is finished. */
  readonly stopping: AbortSignal;
  readonly places: TransferPlaces;
  /** Work that heeds `stopping` begins; the returned function marks its end. */
  enter(): () => void;
}

/** The same for the reader of the keys. */
export interface RunSteering extends RunControl {
  readonly isPaused: boolean;
  pause(): void;
  goOn(): void;
  /** Lets running transfers finish and starts no new ones. Ends a pause. */
  stop(): void;
}

/** @param end ends the run at once: for work that cannot be stopped in any other way. */
export function createRunControl(end: (reason: SyncerError) => void): RunSteering {
  const stopping = new AbortController();
  let paused: PromiseWithResolvers<void> | undefined;
  let awake: NodeJS.Timeout | undefined;
  let heeding = 0;
  let pauses = 0;
  /** Waits for the end of the pause, and of one that may follow it at once. */
  const untilReady = async (signal: AbortSignal) => {
    signal.throwIfAborted();
    while (paused !== undefined) await abortable(paused.promise, signal);
  };
  const goOn = () => {
    clearInterval(awake);
    paused?.resolve();
    paused = undefined;
  };
  return {
    places: createTransferPlaces(),
    stopping: stopping.signal,
    get isPaused() {
      return paused !== undefined;
    },
    get pauses() {
      return pauses;
    },
    ready: (signal) => (paused === undefined ? undefined : untilReady(signal)),
    enter() {
      heeding++;
      return () => void heeding--;
    },
    pause() {
      if (stopping.signal.aborted || paused !== undefined) return;
      paused = Promise.withResolvers();
      pauses++;
      // Nothing else may keep the process alive until the end of the pause.
      awake = setInterval(() => {}, 60_000);
    },
    goOn,
    stop() {
      const reason = new SyncerError('stopped', 'stopped by the user before completion', {
        advice: 'run the same command again to continue',
      });
      goOn();
      if (heeding > 0) stopping.abort(reason);
      else end(reason);
    },
  };
}

/** A control that this signal stops, too. */
export function stoppedBy(
  control: RunControl,
  signal: AbortSignal,
  enter: RunControl['enter'] = () => control.enter(),
): RunControl {
  return {
    places: control.places,
    stopping: linkedAbort(control.stopping, signal).signal,
    get pauses() {
      return control.pauses;
    },
    ready: (asked) => control.ready(asked),
    enter,
  };
}
