import { compareNames } from '../../core/name-order.ts';
import type { Entry } from '../../core/remote.ts';
import type { Print } from '../../core/same-content.ts';
import { type Action, isBackup, type Sides } from '../../engine/action.ts';
import type { Choosing, Collecting, Keep } from '../../engine/consent.ts';
import { nothingSeen, type SeenDest, seeMore } from './afterwards.ts';
import { changeKey, hasPrint, type PlannedChange, plannedChange } from './planned-change.ts';

/** Everything a run would change, in the order in which it was found. */
export type Plan = ReadonlyMap<string, PlannedChange>;

/** The changes of a plan, sorted by path. */
export const byPath = (plan: Plan): readonly PlannedChange[] =>
  [...plan.values()].sort((a, b) => compareNames(a.path, b.path));

/** A change that was chosen, or would have been, and is left undone: the run came to it, or did not come to it. */
export interface Left {
  readonly path: string;
  readonly why: 'changed' | 'new' | 'missing';
}

/** What was chosen of a plan. */
export interface PlanChoice {
  readonly plan: Plan;
  /** What is to be done of it. */
  readonly chosen: ReadonlySet<PlannedChange>;
  /** What was decided about conflicts of `bisync`. */
  readonly keeps?: ReadonlyMap<PlannedChange, Keep>;
}

/** How a run is planned. */
export interface PlanRules {
  /** What deletions are called, where all the run does is delete. */
  readonly deletesOnly?: string | undefined;
  /** Shows the plan; absent: it is only collected. */
  readonly choose?: (mayRetry: boolean) => Promise<ChosenPlan | 'again' | 'end'>;
  /** Nothing will be changed after the plan. */
  readonly readOnly?: boolean;
  readonly onListed?: () => void;
}

/** The plan of a run that collects what it would change, and allows nothing. */
export class CollectedPlan implements Collecting {
  /** What the walk has seen of the destination; absent without a walk in one direction. */
  seen: SeenDest | undefined;
  readonly choose: Collecting['choose'];
  readonly made: Promise<void> | undefined;
  readonly #rules: PlanRules;
  readonly #changes = new Map<string, PlannedChange>();
  /** The files that the plan deletes. */
  readonly #gone = new Set<string>();
  #chosen: ChosenPlan | undefined;

  constructor(rules: PlanRules = {}) {
    this.#rules = rules;
    const { choose } = rules;
    if (choose === undefined) return;
    const begun = Promise.withResolvers<void>();
    this.made = begun.promise;
    this.choose = async (mayRetry) => {
      const next = await choose(mayRetry);
      if (typeof next === 'string') return next;
      this.#chosen = next;
      begun.resolve();
      return next;
    };
  }

  /** What was chosen of it, once that is so: nothing is collected any more. */
  get chosen(): ChosenPlan | undefined {
    return this.#chosen;
  }

  /** What was recorded. */
  get changes(): Plan {
    return this.#changes;
  }

  get isReadOnly(): boolean {
    return this.#rules.readOnly === true || this.choose === undefined;
  }

  /** The run is about to start again: what was collected of it is forgotten. */
  forget(): void {
    this.seen = undefined;
    this.#changes.clear();
    this.#gone.clear();
  }

  saw({ source, dest }: Sides, page: readonly Entry[], isAll: boolean): void {
    this.seen = seeMore(this.seen ?? nothingSeen(source, dest), page, isAll);
  }

  listed(): void {
    this.#rules.onListed?.();
  }

  isTaken(path: string): boolean {
    return this.#gone.has(path);
  }

  allows(action: Action): boolean {
    // A change that asks here would never be made.
    if (this.#chosen !== undefined)
      throw new Error('bug: a change asks the plan, and not its choice');
    if (isBackup(action)) return true;
    if (action.do === 'set-dir') return false;
    const change = plannedChange(action);
    const isDeletion = change.kind === 'delete';
    const reason = (isDeletion ? this.#rules.deletesOnly : undefined) ?? change.reason;
    this.#changes.set(changeKey(change), { ...change, reason });
    if (isDeletion) this.#gone.add(change.path);
    return false;
  }
}

/** How the choice of a plan is made. */
export interface ChoiceRules {
  /** The run that has planned it makes it, too: what each change is about is looked at once more. */
  readonly hasWaited?: boolean;
  /** Receives what is left because it is not as it was shown. */
  readonly onLeft?: (left: Left) => void;
}

/** What was chosen of a plan: allows exactly that, as long as it still is what was shown. */
export class ChosenPlan implements Choosing {
  /** What was left undone so far because it is no longer as it was shown. */
  readonly left: Left[] = [];
  readonly hasWaited: boolean;
  readonly #choice: PlanChoice;
  readonly #onLeft: ((left: Left) => void) | undefined;
  readonly #cameUp = new Set<string>();
  /** What may follow from the changes that came up, by its key; `dropped`: it must not. */
  readonly #steps = new Map<string, Step | 'dropped'>();
  /** The renames that came up, by their new paths. */
  readonly #renames = new Map<string, PlannedChange>();
  readonly #leftPaths = new Set<string>();

  constructor(choice: PlanChoice, { hasWaited = false, onLeft }: ChoiceRules = {}) {
    this.#choice = choice;
    this.hasWaited = hasWaited;
    this.#onLeft = onLeft;
  }

  leave(action: Action): void {
    const now = plannedChange(action);
    // Nothing follows from a rename that is left.
    for (const [step] of stepsOf(this.#renames.get(now.path))) this.#steps.set(step, 'dropped');
    this.#leave({ path: now.path, why: 'changed' });
  }

  allows(action: Action): boolean {
    return isBackup(action) || action.do === 'set-dir' || this.#allowsChange(action);
  }

  keep(action: Action): Keep | undefined {
    const { plan, keeps } = this.#choice;
    const shown = plan.get(changeKey(plannedChange(action)));
    return shown && keeps?.get(shown);
  }

  /** Whether no change came up: both sides are as the plan wants them, or something else has changed. */
  get isIdle(): boolean {
    return this.#cameUp.size === 0;
  }

  /** What was chosen and never came up. Directories are not among it: whether they are empty shows only at the end. */
  missing(): readonly Left[] {
    const never = [...this.#choice.chosen].filter(
      (change) =>
        !change.isDir && !this.#cameUp.has(changeKey(change)) && !this.#leftPaths.has(change.path),
    );
    return never.map(({ path }) => ({ path, why: 'missing' }));
  }

  #allowsChange(action: Action): boolean {
    const { plan, chosen } = this.#choice;
    const leave = (why: Left['why']) => {
      if (!isRepeated) this.#leave({ path: now.path, why });
      return false;
    };
    const now = plannedChange(action);
    const key = changeKey(now);
    const shown = plan.get(key);
    const isRepeated = this.#cameUp.has(key);
    this.#cameUp.add(key);
    if (shown === undefined) {
      const step = this.#steps.get(stepKey(now));
      if (step === undefined) return now.kind !== 'remove-dir' && leave('new');
      if (step === 'dropped') return false;
      return hasPrint(step.print, now[step.of]) || leave('changed');
    }
    if (!chosen.has(shown)) {
      if (shown.kind === 'rename')
        for (const [step] of stepsOf(shown)) this.#steps.set(step, 'dropped');
      return false;
    }
    const isSame = hasPrint(shown.source, now.source) && hasPrint(shown.dest, now.dest);
    // `--ignore-times` would transfer again what the plan has transferred.
    if (!isSame && isMade(shown, now)) return !this.#cameUp.delete(key);
    if (shown.kind !== now.kind || !isSame) return leave('changed');
    for (const [step, of] of stepsOf(shown)) this.#steps.set(step, of);
    if (shown.kind === 'rename') this.#renames.set(shown.path, shown);
    return true;
  }

  #leave(left: Left): void {
    if (this.#leftPaths.has(left.path)) return;
    this.#leftPaths.add(left.path);
    this.left.push(left);
    this.#onLeft?.(left);
  }
}

/** Whether a transfer is made already: the destination has a file of the size and time of the source. */
function isMade({ kind, source: shown }: PlannedChange, { source, dest }: PlannedChange): boolean {
  const isTransfer = kind === 'copy' || kind === 'update' || kind === 'move';
  const isEqual = dest?.size === source?.size && dest?.modTime === source?.modTime;
  return isTransfer && source?.modTime !== undefined && isEqual && hasPrint(shown, source);
}

/** A change that may follow from one that was chosen, and the file that must still be what was shown with that. */
interface Step {
  readonly of: 'source' | 'dest';
  readonly print: Print | undefined;
}

/** What completes a change, or stands in for it: a rename becomes a copy and a deletion, a move deletes its source. */
function stepsOf(shown: PlannedChange | undefined): readonly (readonly [string, Step])[] {
  if (shown === undefined) return [];
  const { kind, path, from = path, source, dest } = shown;
  const ofSource: Step = { of: 'source', print: source };
  if (kind === 'rename')
    return [
      [stepKey({ ...shown, kind: 'copy' }), ofSource],
      [stepKey({ ...shown, kind: 'time' }), ofSource],
      [stepKey({ ...shown, kind: 'delete', path: from }), { of: 'dest', print: dest }],
    ];
  if (kind !== 'copy' && kind !== 'update' && kind !== 'move') return [];
  return [[stepKey({ ...shown, kind: 'delete', path: from, side: 'source' }), ofSource]];
}

function stepKey({ kind, path, side, toPath }: PlannedChange): string {
  return `${kind}\0${side}\0${toPath}\0${path}`;
}
