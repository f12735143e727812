import { harmlessJson } from '../../core/shown-text.ts';
import { type HookAnswer, textAnswer } from '../http/answer.ts';
import type { Activity, RequestHandler } from '../http/connection.ts';
import { DURATION_BOUNDS, type HookCount } from '../run/hook-counters.ts';
import type { HookRuns } from '../run/hook-runs.ts';
import type { HookStore } from '../server/hook-store.ts';

/** What can be told of a server. */
export interface StatusSources {
  readonly runs: HookRuns;
  readonly store: HookStore;
  readonly activity: Activity;
  readonly startedMs: number;
}

/** Pages about the server. */
export type StatusPage = 'healthz' | 'metrics' | 'status';

async function answerWith(
  page: StatusPage,
  { runs, store, activity, startedMs }: StatusSources,
): Promise<HookAnswer> {
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

/** A handler for an address that serves nothing but pages about the server. */
export function statusHandler(sources: StatusSources): RequestHandler {
  const notFound = async () => textAnswer(404, '404 page not found\n');
  return withStatusPages(notFound, ['healthz', 'metrics', 'status'], sources);
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

type Sample = readonly [labels: Readonly<Record<string, string>>, value: number];

/** All counters in Prometheus' text format. */
export function metricsText(hooks: ReadonlyMap<string, HookCount>, server: ServerFigures): string {
  const counts = [...hooks];
  const answers = counts.flatMap(([hook, count]) =>
    [...count.answers].map(([status, n]): Sample => [{ hook, status: `${status}` }, n]),
  );
  const ended = counts.flatMap(([hook, count]) =>
    [...count.ended].map(([result, n]): Sample => [{ hook, result }, n]),
  );
  const running = counts.map(([hook, count]): Sample => [{ hook }, count.running]);
  const waiting = counts.map(([hook, count]): Sample => [{ hook }, count.waiting]);
  const reloads: Sample[] = [
    [{ result: 'ok' }, server.reloadsOk],
    [{ result: 'failed' }, server.reloadsFailed],
  ];
  const started = server.startedMs / 1000;
  const counter = (name: string, help: string, samples: readonly Sample[]) =>
    family(name, 'counter', help, samples);
  const gauge = (name: string, help: string, samples: readonly Sample[]) =>
    family(name, 'gauge', help, samples);
  const help = 'Answers of hooks by status; hook "" for unknown ids.';
  return [
    counter('webhook_requests_total', help, answers),
    counter('webhook_runs_total', 'Finished runs and refused requests by result.', ended),
    gauge('webhook_runs_running', 'Running commands.', running),
    gauge('webhook_runs_waiting', 'Queued runs.', waiting),
    durations(hooks),
    gauge('webhook_hooks', 'Loaded hooks.', [[{}, server.hooksLoaded]]),
    counter('webhook_reloads_total', 'Reloads of hook files by result.', reloads),
    gauge('webhook_requests_busy', 'Open requests.', [[{}, server.busy]]),
    gauge('process_start_time_seconds', 'Start time in seconds since 1970.', [[{}, started]]),
    gauge('process_resident_memory_bytes', 'Resident memory in bytes.', [[{}, server.memoryBytes]]),
  ].join('');
}

function family(name: string, type: string, help: string, samples: readonly Sample[]): string {
  const lines = samples.map(([labels, value]) => sample(name, labels, value));
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('')}`;
}

function sample(name: string, labels: Sample[0], value: number): string {
  const pairs = Object.entries(labels).map(([key, text]) => {
    const escaped = text.toWellFormed().replace(/[\\"]/g, '\\$&').replace(/\n/g, '\\n');
    return `${key}="${escaped}"`;
  });
  return `${name}${pairs.length === 0 ? '' : `{${pairs.join(',')}}`} ${value}\n`;
}

function durations(hooks: ReadonlyMap<string, HookCount>): string {
  const name = 'webhook_run_duration_seconds';
  const bounds = [...DURATION_BOUNDS.map(String), '+Inf'];
  const lines = [...hooks].flatMap(([hook, { durations }]) => {
    let total = 0;
    const buckets = bounds.map((le, i) => {
      total += durations.classes[i] ?? 0;
      return sample(`${name}_bucket`, { hook, le }, total);
    });
    const sum = sample(`${name}_sum`, { hook }, durations.sum);
    return [...buckets, sum, sample(`${name}_count`, { hook }, total)];
  });
  return `# HELP ${name} Duration of commands.\n# TYPE ${name} histogram\n${lines.join('')}`;
}
