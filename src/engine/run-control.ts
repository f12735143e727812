import { abortable, linkedAbort } from '../core/context.ts';
import { SyncerError } from '../core/errors.ts';

/** The pauses of a run: each file and each chunk looks here. */
interface Pauses {
  /** Resolved when the current pause ends; `undefined` if there is none. */
  current: PromiseWithResolvers<void> | undefined;
  /** How many have begun. */
  begun: number;
}

/** What a person does to a run while it goes on, as the engine sees it. */
export interface RunControl {
  /** Resolves when a transfer may begin or go on; `undefined`: at once. Rejects with the signal's reason. */
  ready(signal: AbortSignal): Promise<void> | undefined;
  readonly pauses: Readonly<Pauses>;
  /** Aborted, with `stopped` as reason, when nothing new may begin; what runs is finished. */
  readonly stopping: AbortSignal;
  readonly slots: TransferSlots;
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
  const pauses: Pauses = { current: undefined, begun: 0 };
  let awake: NodeJS.Timeout | undefined;
  let heeding = 0;
  /** Waits for the end of the pause, and of one that may follow it at once. */
  const untilReady = async (signal: AbortSignal) => {
    signal.throwIfAborted();
    while (pauses.current !== undefined) await abortable(pauses.current.promise, signal);
  };
  const goOn = () => {
    clearInterval(awake);
    pauses.current?.resolve();
    pauses.current = undefined;
  };
  return {
    slots: new TransferSlots(),
    stopping: stopping.signal,
    get isPaused() {
      return pauses.current !== undefined;
    },
    pauses,
    ready: (signal) => (pauses.current === undefined ? undefined : untilReady(signal)),
    enter() {
      heeding++;
      return () => void heeding--;
    },
    pause() {
      if (stopping.signal.aborted || pauses.current !== undefined) return;
      pauses.current = Promise.withResolvers();
      pauses.begun++;
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
    slots: control.slots,
    stopping: linkedAbort(control.stopping, signal).signal,
    pauses: control.pauses,
    ready: (asked) => control.ready(asked),
    enter,
  };
}

/** A pool of transfers with a variable width. */
interface Joined {
  /** Its width by its own rule. */
  width(): number;
  /** Starts waiting tasks that now have a slot. */
  wake(): void;
}

/** The number of parallel transfers, if the user changes it during the run; the pools of a run share it. */
export class TransferSlots {
  readonly #pools = new Set<Joined>();
  #wanted: number | undefined;
  #running = 0;

  /** The user's number; `undefined`: every pool has its own rule. */
  get wanted(): number | undefined {
    return this.#wanted;
  }

  /** The current limit: the user's number, or else the largest width of the pools. 0 before there is one. */
  get width(): number {
    return this.#wanted ?? Math.max(0, ...[...this.#pools].map((pool) => pool.width()));
  }

  /** Sets the number, at least 1. Running transfers continue. */
  set(number: number): void {
    this.#wanted = Math.max(1, number);
    this.#wakeAll();
  }

  /** Whether one more may start, if a number was set. */
  hasRoom(): boolean {
    return this.#wanted === undefined || this.#running < this.#wanted;
  }

  began(): void {
    this.#running++;
  }

  ended(): void {
    this.#running--;
    if (this.#wanted !== undefined) this.#wakeAll();
  }

  /** Adds a pool; the returned function removes it. */
  join(pool: Joined): () => void {
    this.#pools.add(pool);
    return () => this.#pools.delete(pool);
  }

  #wakeAll(): void {
    for (const pool of this.#pools) pool.wake();
  }
}
