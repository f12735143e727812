import { parentPath } from '../core/remote-path.ts';
import type { Action } from '../engine/action.ts';
import type { AfterPlan, ChangeGuard, Keep } from '../engine/change-guard.ts';
import { changeKey, hasChanged, type PlannedChange, plannedChange } from './planned-change.ts';

/** Everything a run would change, in the order in which it was found. */
export type Plan = ReadonlyMap<string, PlannedChange>;

/** Why a change is not made although the run came to it, or did not come to it. */
export type LeftWhy = 'changed' | 'new' | 'missing';

/** A change that was chosen, or would have been, and is left undone. */
export interface Left {
  readonly path: string;
  readonly why: LeftWhy;
}

/** What was chosen of a plan. */
export interface PlanChoice {
  readonly plan: Plan;
  readonly isChosen: (change: PlannedChange) => boolean;
  /** What was decided about conflicts. */
  readonly keeps?: ReadonlyMap<PlannedChange, Keep>;
  /** Receives each change that is left because it is no longer what was shown. */
  readonly onLeft: (left: Left) => void;
}

/** How a run is planned. */
export interface PlanRules {
  /** What deletions are called, where all the run does is delete. */
  readonly deletesOnly?: string | undefined;
  /** Shows the plan; absent: it is only collected. */
  readonly choose?: (mayRetry: boolean) => Promise<AfterPlan>;
  /** Nothing will be changed after the plan. */
  readonly readOnly?: boolean;
  readonly onListed?: () => void;
}

/**
 * The guard of a run with a plan. First it collects what the run would change, and allows nothing; once there is a
 * choice, it allows exactly what was chosen, as long as that still is what was shown.
 */
export class PlanGuard implements ChangeGuard {
  readonly flag = '--review';
  readonly answersAtOnce = true;
  readonly isSilent = true;
  /** What was left undone so far because it is no longer as it was shown. */
  readonly left: Left[] = [];
  readonly choose: ChangeGuard['choose'];
  readonly made: Promise<void> | undefined;
  readonly readOnly: boolean;
  readonly #onListed: (() => void) | undefined;
  readonly #deletesOnly: string | undefined;
  readonly #plan = new Map<string, PlannedChange>();
  /** The files that the plan deletes. */
  readonly #gone = new Set<string>();
  readonly #cameUp = new Set<string>();
  /** The copy and the deletion of a rename: a run makes them if the rename fails. */
  readonly #ofRenames = new Set<string>();
  /** The earlier paths of what was renamed (`--fix-case`), by the path now. */
  readonly #renames = new Map<string, string>();
  readonly #approved = Promise.withResolvers<void>();
  #choice: PlanChoice | undefined;

  constructor({ deletesOnly, choose, readOnly = choose === undefined, onListed }: PlanRules = {}) {
    this.#deletesOnly = deletesOnly;
    this.#onListed = onListed;
    this.choose = choose;
    this.made = choose && this.#approved.promise;
    this.readOnly = readOnly;
  }

  /** What was collected. */
  get plan(): Plan {
    return this.#plan;
  }

  get plans(): boolean {
    return this.#choice === undefined;
  }

  get waits(): boolean {
    return this.choose !== undefined && !this.plans;
  }

  leave(action: Action): void {
    const one = { path: plannedChange(action).path, why: 'changed' } as const;
    this.left.push(one);
    this.#choice?.onLeft(one);
  }

  /** The run is about to start again: what was collected of it is forgotten. */
  forget(): void {
    if (!this.plans) return;
    this.#plan.clear();
    this.#gone.clear();
  }

  /** From now on what was chosen may be changed. */
  approve(choice: PlanChoice): void {
    this.#choice = choice;
    this.#approved.resolve();
  }

  listed(): void {
    this.#onListed?.();
  }

  isTaken(path: string): boolean {
    return this.plans && this.#gone.has(path);
  }

  allows(action: Action): boolean {
    const isBackup = action.do === 'rename' && action.isBackup === true;
    if (this.#choice !== undefined)
      return isBackup || action.do === 'set-dir' || this.#allowsChosen(action, this.#choice);
    if (!isBackup && action.do !== 'set-dir') this.#collect(plannedChange(action));
    return isBackup;
  }

  keep(action: Action): Keep | undefined {
    const shown = this.#choice?.plan.get(changeKey(plannedChange(action)));
    return shown && this.#choice?.keeps?.get(shown);
  }

  /** What was chosen and never came up. Directories are not among it: whether they are empty shows only at the end. */
  missing(): readonly Left[] {
    const { plan = new Map<string, PlannedChange>(), isChosen } = this.#choice ?? {};
    const never: Left[] = [];
    for (const [key, change] of plan) {
      if (change.isDir || this.#cameUp.has(key) || isChosen?.(change) !== true) continue;
      never.push({ path: change.path, why: 'missing' });
    }
    return never;
  }

  #collect(change: PlannedChange): void {
    const isDeletion = change.kind === 'delete';
    const reason = isDeletion ? (this.#deletesOnly ?? change.reason) : change.reason;
    this.#plan.set(changeKey(change), { ...change, reason });
    if (isDeletion) this.#gone.add(change.path);
  }

  /** The path at which something was shown that may have another name by now. */
  #pathBefore(path: string): string {
    for (let dir = path; dir !== ''; dir = parentPath(dir)) {
      const from = this.#renames.get(dir);
      if (from !== undefined) return from + path.slice(dir.length);
    }
    return path;
  }

  #allowsChosen(action: Action, { plan, isChosen, onLeft }: PlanChoice): boolean {
    const leave = ({ path }: PlannedChange, why: LeftWhy) => {
      const one = { path, why };
      this.left.push(one);
      onLeft(one);
      return false;
    };
    const now = plannedChange(action);
    const old = changeKey({ ...now, path: this.#pathBefore(now.path) });
    const key = plan.has(old) ? old : changeKey(now);
    const shown = plan.get(key);
    const isRepeated = this.#cameUp.has(key);
    this.#cameUp.add(key);
    if (shown === undefined) {
      if (this.#ofRenames.has(stepKey(now))) return true;
      return now.kind !== 'remove-dir' && !isRepeated && leave(now, 'new');
    }
    if (!isChosen(shown)) return false;
    if (hasChanged(shown, now)) return !isRepeated && leave(now, 'changed');
    if (now.kind === 'rename') {
      this.#renames.set(now.path, now.from ?? now.path);
      this.#ofRenames.add(stepKey({ ...now, kind: 'copy' }));
      this.#ofRenames.add(stepKey({ ...now, kind: 'delete', path: now.from ?? now.path }));
    }
    return true;
  }
}

function stepKey({ kind, path, toPath }: PlannedChange): string {
  return `${kind}\0${toPath}\0${path}`;
}
