import type { SyncerError } from '../../core/errors.ts';
import type { LogEvent, SyncerEvent } from '../../core/events.ts';
import type { FileEntry } from '../../core/remote.ts';
import type { Change } from '../../engine/change-guard.ts';
import type { SyncPlan } from '../../engine/file-work.ts';
import type { Outcomes } from '../../engine/outcomes.ts';
import type { RunSetup } from '../../engine/run.ts';
import { attemptSync } from '../../engine/sync.ts';
import { type Filter, onlyPath } from '../../filter/filter.ts';
import type { Plan } from '../../review/plan.ts';
import { startPlanner } from '../../review/plan.ts';
import type { PlannedChange } from '../../review/planned-change.ts';

/** What a run would do with one path. */
export interface TrialRun {
  /** The entries that were compared, with the facts that were requested for it. */
  readonly source: FileEntry | undefined;
  readonly dest: FileEntry | undefined;
  readonly changes: readonly PlannedChange[];
  /** What was logged about the path. */
  readonly logged: readonly LogEvent[];
  readonly error: SyncerError | undefined;
}

/** Runs the engine for one path without changing anything: it lists the directories above it, and no others. */
export async function trialRun(
  setup: Pick<RunSetup, 'context' | 'useServerModTime'> & { readonly filter: Filter },
  plan: SyncPlan,
  path: string,
): Promise<TrialRun> {
  const planner = startPlanner();
  const logged: LogEvent[] = [];
  const pair: { source?: FileEntry; dest?: FileEntry } = {};
  const outcomes: Outcomes = {
    compared: (_, found) => void Object.assign(pair, found),
    stays() {},
    arrived() {},
    gone() {},
    failed() {},
    dirs() {},
  };
  const emit = (event: SyncerEvent) => {
    if (event.type === 'log' && event.path === path) logged.push(event);
  };
  const { error } = await attemptSync(
    {
      ...setup,
      context: { ...setup.context, emit, verbose: true },
      filter: onlyPath(setup.filter, path),
      guard: planner.guard,
      outcomes,
    },
    plan,
  );
  const changes = changesOf(planner.plan, [path, pair.dest?.path ?? path]);
  return { source: pair.source, dest: pair.dest, changes, logged, error };
}

/** A file that `--track-renames` renames at the destination. */
export interface TrialRename {
  readonly from: string;
  readonly to: string;
}

/**
 * The rename from or to a path, without changing anything. Lists both trees: every new file and every extra one counts.
 * `undefined`: there is none, or it could not be determined.
 */
export async function trialRename(
  setup: Pick<RunSetup, 'context' | 'useServerModTime'> & { readonly filter: Filter },
  plan: SyncPlan,
  path: string,
): Promise<TrialRename | undefined> {
  const { guard } = startPlanner();
  let found: TrialRename | undefined;
  const allows = ({ action, source, dest }: Change) => {
    const isRename = action === 'move' && source !== undefined && dest !== undefined;
    if (isRename && [source.path, dest.path].includes(path)) {
      found = { from: dest.path, to: source.path };
    }
    return false;
  };
  const context = { ...setup.context, emit: () => {} };
  await attemptSync({ ...setup, context, guard: { ...guard, allows } }, plan);
  return found;
}

function changesOf(plan: Plan, paths: readonly string[]): PlannedChange[] {
  return [...plan.values()].filter(({ path }) => paths.includes(path));
}
