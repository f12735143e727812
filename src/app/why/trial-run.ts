import type { SyncerError } from '../../core/errors.ts';
import type { LogEvent, SyncerEvent } from '../../core/events.ts';
import type { FileEntry } from '../../core/remote.ts';
import type { Action } from '../../engine/action.ts';
import type { SyncPlan } from '../../engine/file-work.ts';
import type { Outcomes } from '../../engine/outcomes.ts';
import type { RunSetup } from '../../engine/run.ts';
import { attemptSync } from '../../engine/sync.ts';
import { type Filter, onlyPath } from '../../filter/filter.ts';
import type { Plan } from '../../review/plan-guard.ts';
import { PlanGuard } from '../../review/plan-guard.ts';
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
  const guard = new PlanGuard();
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
      guard,
      outcomes,
    },
    plan,
  );
  const changes = changesOf(guard.plan, [path, pair.dest?.path ?? path]);
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
  let found: TrialRename | undefined;
  const allows = (action: Action) => {
    if (action.do !== 'rename' || action.source === undefined) return false;
    const { path: from, source } = action;
    if ([source.path, from].includes(path)) found = { from, to: source.path };
    return false;
  };
  const context = { ...setup.context, emit: () => {} };
  await attemptSync(
    { ...setup, context, guard: { flag: '--review', isSilent: true, plans: true, allows } },
    plan,
  );
  return found;
}

function changesOf(plan: Plan, paths: readonly string[]): PlannedChange[] {
  return [...plan.values()].filter(({ path }) => paths.includes(path));
}
