import { expect, test } from 'vitest';
import { metricsText } from '../../../src/webhook/report/status-handler.ts';
import { HookCounters } from '../../../src/webhook/run/hook-runs.ts';

const server = {
  ...{ hooksLoaded: 2, reloadsOk: 3, reloadsFailed: 1, busy: 4, startedMs: 1500, memoryBytes: 9 },
};

test('counts requests and runs by hook', () => {
  const counters = new HookCounters();
  for (const status of [200, 200, 500]) counters.answered('a "b"\n', status);
  counters.moved('a', undefined, 'waiting');
  counters.moved('a', 'waiting', 'running');
  counters.moved('a', undefined, 'waiting');
  counters.moved('a', undefined, 'waiting');
  counters.moved('a', 'waiting', 'running');
  counters.moved('a', 'running', 'done', 70);
  counters.moved('a', undefined, 'refused');
  const lines = metricsText(counters.hooks, server).split('\n');
  for (const line of [
    'webhook_requests_total{hook="a \\"b\\"\\n",status="200"} 2',
    'webhook_requests_total{hook="a \\"b\\"\\n",status="500"} 1',
    'webhook_runs_total{hook="a",result="done"} 1',
    'webhook_runs_total{hook="a",result="refused"} 1',
    'webhook_runs_running{hook="a"} 1',
    'webhook_runs_waiting{hook="a"} 1',
    'webhook_run_duration_seconds_bucket{hook="a",le="0.05"} 0',
    'webhook_run_duration_seconds_bucket{hook="a",le="0.1"} 1',
    'webhook_run_duration_seconds_bucket{hook="a",le="+Inf"} 1',
    'webhook_run_duration_seconds_sum{hook="a"} 0.07',
    'webhook_run_duration_seconds_count{hook="a"} 1',
    'webhook_hooks 2',
    'webhook_reloads_total{result="failed"} 1',
    'process_start_time_seconds 1.5',
  ]) {
    expect(lines).toContain(line);
  }
});

test('every family has a type, and every line is a comment or a sample', () => {
  const lines = metricsText(new Map(), server).trimEnd().split('\n');
  for (const line of lines)
    expect(line).toMatch(/^(# (HELP|TYPE) \w+ .+|\w+(\{.*\})? \d+(\.\d+)?)$/);
});
