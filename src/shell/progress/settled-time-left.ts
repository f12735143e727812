/** When a run is expected to end, smoothed so that what is shown does not jump. */
export interface SettledEnd {
  /** On the run's clock, in milliseconds; `undefined` while it cannot be told. */
  endMs: number | undefined;
  /** How many guesses in a row there were. */
  told: number;
  /** How often nothing could be told in a row. */
  silent: number;
}

/** The first guesses of a run are wild: nothing is shown before this many. */
const FIRST_SHOWN = 3;

/** A guess that is missing for this many seconds is dropped. */
const FORGOTTEN_AFTER = 5;

/** How much of the way to a new guess the expected end goes, where both are near and where they are far apart. */
const NEAR_STEP = 0.15;
const FAR_STEP = 0.5;

/** Guesses whose ratio is beyond this are far apart. */
const FAR = 1.5;

/** Nothing is known yet. */
export function startSettling(): SettledEnd {
  return { endMs: undefined, told: 0, silent: 0 };
}

/** Takes the guess of this second: how many seconds the run will still take, `undefined` where that is not known. */
export function settleEnd(end: SettledEnd, secondsLeft: number | undefined, nowMs: number): void {
  if (secondsLeft === undefined) {
    if (++end.silent < FORGOTTEN_AFTER) return;
    end.endMs = undefined;
    end.told = 0;
    return;
  }
  end.silent = 0;
  end.told++;
  const guess = nowMs + secondsLeft * 1000;
  if (end.endMs === undefined || end.told <= FIRST_SHOWN) {
    end.endMs = guess;
    return;
  }
  const left = Math.max(1, (end.endMs - nowMs) / 1000);
  const ratio = (secondsLeft + 1) / (left + 1);
  end.endMs += (guess - end.endMs) * (ratio > FAR || ratio < 1 / FAR ? FAR_STEP : NEAR_STEP);
}

/** How long it will still take, in whole seconds, the coarser the longer; `undefined` while that cannot be told. */
export function settledSecondsLeft(end: SettledEnd, nowMs: number): number | undefined {
  if (end.endMs === undefined || end.told < FIRST_SHOWN) return undefined;
  const seconds = Math.max(0, Math.round((end.endMs - nowMs) / 1000));
  const step = seconds < 60 ? 1 : seconds < 600 ? 5 : seconds < 3600 ? 30 : 60;
  return Math.round(seconds / step) * step;
}
