import type { Change, ChangeGuard, Keep } from '../engine/change-guard.ts';
import type { Plan } from './plan.ts';
import { changeKey, hasChanged, type PlannedChange, plannedChange } from './planned-change.ts';

/** Why a change is not made although the run came to it, or did not come to it. */
export type LeftWhy = 'changed' | 'new' | 'missing';

/** A change that was chosen, or would have been, and is left undone. */
export interface Left {
  readonly path: string;
  readonly why: LeftWhy;
}

/** Lets a run change exactly what was chosen of a plan. */
export interface PlanApplication {
  readonly guard: ChangeGuard;
  /** What was left undone so far because it is no longer as it was shown. */
  readonly left: readonly Left[];
  /** What was chosen and never came up. Directories are not among it: whether they are empty shows only at the end. */
  missing(): readonly Left[];
}

/** The guard of a run that applies a plan: allows chosen changes that are still the same; `onLeft` gets the others. */
export function applyPlan(
  plan: Plan,
  isChosen: (change: PlannedChange) => boolean,
  onLeft: (left: Left) => void,
  keeps: ReadonlyMap<PlannedChange, Keep> = new Map(),
): PlanApplication {
  const left: Left[] = [];
  const cameUp = new Set<string>();
  /** The copy and the deletion of a rename: a run makes them if the rename fails. */
  const ofRenames = new Set<string>();
  const leave = (change: PlannedChange, why: LeftWhy) => {
    const one = { path: change.path, why };
    left.push(one);
    onLeft(one);
    return false;
  };
  const allows = (change: Change): boolean => {
    if (change.isBackup === true || change.follows === true) return true;
    const now = plannedChange(change);
    const key = changeKey(change);
    const shown = plan.get(key);
    const isRepeated = cameUp.has(key);
    cameUp.add(key);
    if (shown === undefined) {
      if (ofRenames.has(stepKey(now))) return true;
      return now.kind !== 'remove-dir' && !isRepeated && leave(now, 'new');
    }
    if (!isChosen(shown)) return false;
    if (hasChanged(shown, now)) return !isRepeated && leave(now, 'changed');
    if (now.kind === 'rename') {
      ofRenames.add(stepKey({ ...now, kind: 'copy' }));
      ofRenames.add(stepKey({ ...now, kind: 'delete', path: change.about }));
    }
    return true;
  };
  const keep = (change: Change) => {
    const shown = plan.get(changeKey(change));
    return shown && keeps.get(shown);
  };
  return {
    guard: { flag: '--review', answersAtOnce: true, isSilent: true, allows, keep },
    left,
    missing() {
      const never: Left[] = [];
      for (const [key, change] of plan) {
        if (change.isDir || cameUp.has(key) || !isChosen(change)) continue;
        never.push({ path: change.path, why: 'missing' });
      }
      return never;
    },
  };
}

function stepKey({ kind, path, toPath }: PlannedChange): string {
  return `${kind}\0${toPath}\0${path}`;
}
