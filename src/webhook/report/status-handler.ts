import { harmlessJson } from '../../core/shown-text.ts';
import { textAnswer } from '../http/answer.ts';
import type { Activity, RequestHandler } from '../http/connection.ts';
import { DURATION_BOUNDS, type HookCount, type HookRuns } from '../run/hook-runs.ts';
import type { HookStore } from '../server/hook-store.ts';

/** What can be told of a server. */
export interface StatusSources {
  readonly runs: HookRuns;
  readonly store: HookStore;
  readonly activity: Activity;
  readonly startedMs: number;
}

export type StatusPage = 'healthz' | 'metrics' | 'status';

async function answerWith(page: StatusPage, { runs, store, activity, startedMs }: StatusSources) {
  if (page === 'healthz') {
    // A server that is about to stop is no longer healthy.
    return activity.stopping ? textAnswer(503, 'stopping\n') : textAnswer(200, 'ok\n');
  }
  const server: ServerFigures = {
    hooksLoaded: store.size,
    reloadsOk: store.reloads.ok,
    reloadsFailed: store.reloads.failed,
    busy: activity.busy,
    startedMs,
    memoryBytes: process.memoryUsage.rss(),
  };
  if (page === 'metrics') {
    const text = metricsText(runs.counters.hooks, server);
    const type = ['Content-Type', 'text/plain; version=0.0.4; charset=utf-8'] as const;
    return textAnswer(200, text, [type]);
  }
  const status = { server, hooks: store.hooks.map(({ id }) => id), runs: runs.ledger.list() };
  const type = ['Content-Type', 'application/json'] as const;
  return textAnswer(200, `${harmlessJson(JSON.stringify(status, undefined, 2))}\n`, [type]);
}

/** A handler that answers some pages about the server, and has `handle` answer everything else. */
export function withStatusPages(
  handle: RequestHandler,
  pages: readonly StatusPage[],
  sources: StatusSources,
): RequestHandler {
  if (pages.length === 0) return handle;
  return (request) => {
    const path = request.head.target.split('?', 1)[0] ?? '';
    const page = pages.find((name) => path === `/${name}`);
    return page === undefined ? handle(request) : answerWith(page, sources);
  };
}

/** What the counters of a server show, besides those of its hooks. */
export interface ServerFigures {
  readonly hooksLoaded: number;
  readonly reloadsOk: number;
  readonly reloadsFailed: number;
  /** Open requests. */
  readonly busy: number;
  readonly startedMs: number;
  /** Resident memory, in bytes. */
  readonly memoryBytes: number;
}

type Sample = readonly [labels: Readonly<Record<string, string>>, value: number, part?: string];

/** All counters in Prometheus' text format. */
export function metricsText(hooks: ReadonlyMap<string, HookCount>, server: ServerFigures): string {
  const ofHooks = (samples: (hook: string, count: HookCount) => Sample[]) =>
    [...hooks].flatMap(([hook, count]) => samples(hook, count));
  const answers = ofHooks((hook, count) =>
    [...count.answers].map(([status, n]) => [{ hook, status: `${status}` }, n]),
  );
  const ended = ofHooks((hook, count) =>
    [...count.ended].map(([result, n]) => [{ hook, result }, n]),
  );
  const bounds = [...DURATION_BOUNDS.map(String), '+Inf'];
  const durations = ofHooks((hook, { durations: { classes, sum } }) => {
    let total = 0;
    const buckets = bounds.map((le, i): Sample => {
      total += classes[i] ?? 0;
      return [{ hook, le }, total, '_bucket'];
    });
    return [...buckets, [{ hook }, sum, '_sum'], [{ hook }, total, '_count']];
  });
  const reloads: Sample[] = [
    [{ result: 'ok' }, server.reloadsOk],
    [{ result: 'failed' }, server.reloadsFailed],
  ];
  const running = ofHooks((hook, count) => [[{ hook }, count.running]]);
  const waiting = ofHooks((hook, count) => [[{ hook }, count.waiting]]);
  const help = 'Answers of hooks by status; hook "" for unknown ids.';
  return [
    family('webhook_requests_total', 'counter', help, answers),
    family('webhook_runs_total', 'counter', 'Finished runs and refused requests by result.', ended),
    family('webhook_runs_running', 'gauge', 'Running commands.', running),
    family('webhook_runs_waiting', 'gauge', 'Queued runs.', waiting),
    family('webhook_run_duration_seconds', 'histogram', 'Duration of commands.', durations),
    family('webhook_hooks', 'gauge', 'Loaded hooks.', server.hooksLoaded),
    family('webhook_reloads_total', 'counter', 'Reloads of hook files by result.', reloads),
    family('webhook_requests_busy', 'gauge', 'Open requests.', server.busy),
    family(
      'process_start_time_seconds',
      'gauge',
      'Start time in seconds since 1970.',
      server.startedMs / 1000,
    ),
    family(
      'process_resident_memory_bytes',
      'gauge',
      'Resident memory in bytes.',
      server.memoryBytes,
    ),
  ].join('');
}

function family(name: string, type: string, help: string, values: readonly Sample[] | number) {
  const samples: readonly Sample[] = typeof values === 'number' ? [[{}, values]] : values;
  const lines = samples.map(([labels, value, part = '']) => {
    const pairs = Object.entries(labels).map(([key, text]) => {
      const escaped = text.toWellFormed().replace(/[\\"]/g, '\\$&').replace(/\n/g, '\\n');
      return `${key}="${escaped}"`;
    });
    return `${name}${part}${pairs.length === 0 ? '' : `{${pairs.join(',')}}`} ${value}\n`;
  });
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('')}`;
}
