import type { FlagValues } from '../command-line/parse-flags.ts';
import type { Activity } from '../http/connection.ts';
import type { HookRuns } from '../run/hook-runs.ts';
import type { HookStore } from '../server/hook-store.ts';
import type { StatusPage, StatusSources } from '../status/status-handler.ts';

/** The pages about the server that are answered beside the hooks. */
export function statusPages(flags: FlagValues): StatusPage[] {
  return (['healthz', 'metrics'] as const).filter((page) => flags[page]);
}

/** What the status pages show. */
export function statusSources(
  { counters, ledger }: HookRuns,
  store: HookStore,
  activity: Activity,
): StatusSources {
  const startedMs = Date.now();
  return {
    counters,
    ledger,
    hookIds: () => store.hooks.map(({ id }) => id),
    stopping: () => activity.stopping,
    figures: () => ({
      hooksLoaded: store.size,
      reloadsOk: store.reloads.ok,
      reloadsFailed: store.reloads.failed,
      busy: activity.busy,
      startedMs,
      memoryBytes: process.memoryUsage.rss(),
    }),
  };
}
