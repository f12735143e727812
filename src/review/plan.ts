import type { Change, ChangeGuard } from '../engine/change-guard.ts';
import { changeKey, type PlannedChange, plannedChange } from './planned-change.ts';

/** Everything a run would change, in the order in which it was found. */
export type Plan = ReadonlyMap<string, PlannedChange>;

/** Collects what a run would change. */
export interface Planner {
  readonly plan: Plan;
  note(change: Change): void;
  /** The run is about to start again. */
  forget(): void;
  /** Allows nothing, logs nothing, and records everything. */
  readonly guard: ChangeGuard;
}

/** @param deletesOnly what deletions are called, where all the run does is delete */
export function startPlanner(deletesOnly?: string): Planner {
  const plan = new Map<string, PlannedChange>();
  const gone = new Set<string>();
  const note = (change: Change) => {
    const planned = plannedChange(change);
    const isPlainDelete = planned.kind === 'delete' && deletesOnly !== undefined;
    plan.set(changeKey(change), isPlainDelete ? { ...planned, reason: deletesOnly } : planned);
    if (planned.kind === 'delete') gone.add(change.about);
  };
  return {
    plan,
    note,
    forget() {
      plan.clear();
      gone.clear();
    },
    guard: {
      flag: '--review',
      answersAtOnce: true,
      isSilent: true,
      plans: true,
      isTaken: (path) => gone.has(path),
      allows(change) {
        if (change.isBackup === true) return true;
        if (change.follows === true) return false;
        note(change);
        return false;
      },
    },
  };
}
