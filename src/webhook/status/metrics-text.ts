import { DURATION_BOUNDS, type HookCount } from '../run/hook-counters.ts';

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

/** The type of the text below. */
export const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

type Sample = readonly [labels: Readonly<Record<string, string>>, value: number];

/** All counters in Prometheus' text format. */
export function metricsText(hooks: ReadonlyMap<string, HookCount>, server: ServerFigures): string {
  const each = (samples: (count: HookCount, hook: string) => Sample[]): Sample[] =>
    [...hooks].flatMap(([hook, count]) => samples(count, hook));
  return [
    family(
      'webhook_requests_total',
      'counter',
      'Answers of hooks by status; hook "" for unknown ids.',
      each(({ answers }, hook) =>
        [...answers].map(([status, n]) => [{ hook, status: `${status}` }, n]),
      ),
    ),
    family(
      'webhook_runs_total',
      'counter',
      'Finished runs and refused requests by result.',
      each(({ ended }, hook) => [...ended].map(([result, n]) => [{ hook, result }, n])),
    ),
    family(
      'webhook_runs_running',
      'gauge',
      'Running commands.',
      each(({ running }, hook) => [[{ hook }, running]]),
    ),
    family(
      'webhook_runs_waiting',
      'gauge',
      'Queued runs.',
      each(({ waiting }, hook) => [[{ hook }, waiting]]),
    ),
    durations(hooks),
    family('webhook_hooks', 'gauge', 'Loaded hooks.', [[{}, server.hooksLoaded]]),
    family('webhook_reloads_total', 'counter', 'Reloads of hook files by result.', [
      [{ result: 'ok' }, server.reloadsOk],
      [{ result: 'failed' }, server.reloadsFailed],
    ]),
    family('webhook_requests_busy', 'gauge', 'Open requests.', [[{}, server.busy]]),
    family('process_start_time_seconds', 'gauge', 'Start time in seconds since 1970.', [
      [{}, server.startedMs / 1000],
    ]),
    family('process_resident_memory_bytes', 'gauge', 'Resident memory in bytes.', [
      [{}, server.memoryBytes],
    ]),
  ].join('');
}

function family(name: string, type: string, help: string, samples: readonly Sample[]): string {
  const lines = samples.map(([labels, value]) => sample(name, labels, value));
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('')}`;
}

function sample(name: string, labels: Sample[0], value: number): string {
  const pairs = Object.entries(labels).map(([key, text]) => `${key}="${escapeLabel(text)}"`);
  return `${name}${pairs.length === 0 ? '' : `{${pairs.join(',')}}`} ${value}\n`;
}

function escapeLabel(text: string): string {
  return text.toWellFormed().replace(/\\/g, '\\\\').replace(/"/g, '\\"').replace(/\n/g, '\\n');
}

function durations(hooks: ReadonlyMap<string, HookCount>): string {
  const name = 'webhook_run_duration_seconds';
  const bounds = [...DURATION_BOUNDS.map(String), '+Inf'];
  const lines = [...hooks].flatMap(
    ([
      hook,
      {
        durations: { classes, sum },
      },
    ]) => {
      let total = 0;
      const buckets = bounds.map((le, i) => {
        total += classes[i] ?? 0;
        return sample(`${name}_bucket`, { hook, le }, total);
      });
      return [
        ...buckets,
        sample(`${name}_sum`, { hook }, sum),
        sample(`${name}_count`, { hook }, total),
      ];
    },
  );
  return `# HELP ${name} Duration of commands.\n# TYPE ${name} histogram\n${lines.join('')}`;
}
