import { setTimeout as sleep } from 'node:timers/promises';
import type { Case } from './case.ts';
import { makeCase } from './make-case.ts';
import { openPlaces } from './places.ts';
import { type Failure, runCase } from './run-case.ts';
import { shrink } from './shrink.ts';

/** What a process that runs trials is told. */
export interface WorkerOrder {
  /** An empty folder of its own. */
  readonly folder: string;
  /** Trials have the numbers `first`, `first + step` and so on. */
  readonly seed: number;
  readonly first: number;
  readonly step: number;
  /** When it stops, in milliseconds since the epoch. */
  readonly until: number;
  /** No trial has this number or a higher one. */
  readonly end: number;
  /** A failure counts only where the same trial fails twice. */
  readonly twice: boolean;
  /** Only this one. */
  readonly only?: Case;
}

export type WorkerNews =
  | { readonly begun: Case }
  | { readonly passed: true }
  | { readonly failed: Failure; readonly trial: number };

/** How long a trial may take, in milliseconds; how long is spent on a smaller one. */
const LIMIT_MS = 180_000;
const SHRINK_MS = 40_000;

/** Runs trials until its time is over, and tells how each of them went. */
export async function work(order: WorkerOrder, tell: (news: WorkerNews) => void): Promise<void> {
  const places = await openPlaces(order.folder);
  const run = (trial: Case): Promise<Failure | undefined> => {
    tell({ begun: trial });
    const late = sleep(LIMIT_MS, undefined, { ref: false }).then(() => {
      return { trial, faults: [`not done after ${LIMIT_MS / 1000} seconds`], output: '' };
    });
    const done = runCase(places, trial).catch((thrown) => {
      return { trial, faults: [`the trial: ${thrown}`], output: `${thrown.stack}` };
    });
    return Promise.race([done, late]);
  };
  for (
    let trial = order.first;
    Date.now() < order.until && trial < order.end;
    trial += order.step
  ) {
    const made = order.only ?? makeCase(order.seed * 1_000_003 + trial);
    let failure = await run(made);
    if (failure !== undefined && order.twice) failure = await run(made);
    if (failure === undefined) tell({ passed: true });
    else {
      const smallest = await shrink(failure, run, performance.now() + SHRINK_MS);
      tell({ failed: smallest, trial });
    }
    if (order.only !== undefined) break;
  }
  await places.stop();
}
