import type { RunHandles, RunServices } from '../../../../src/run/presence/enter-presence.ts';
import { startProgress } from '../../../../src/shell/progress/progress-state.ts';
import type { RunEntry } from '../../../../src/state/runs.ts';

/** An entry of a run. */
export function runEntry(about: Partial<RunEntry> = {}): RunEntry {
  return {
    ...{ id: '20261121-113012-7k3f', mark: 'x-1-1', pid: 1, host: 'h', startedMs: 5 },
    ...{ words: ['copy', 'a', 'b'], dir: '/w' },
    ...about,
  };
}

/** What was done to a run, and the run. */
export function fakeServices(about: Partial<RunServices> = {}) {
  const done: unknown[] = [];
  const stopping = new AbortController();
  let listener: Parameters<RunServices['listen']>[0] | undefined;
  let limit: number | undefined;
  let isPaused = false;
  const steering: RunHandles = {
    get isPaused() {
      return isPaused;
    },
    stopping: stopping.signal,
    places: { width: 4, set: (wanted) => void done.push(wanted) },
    pause() {
      isPaused = true;
    },
    goOn() {
      isPaused = false;
    },
    stop: () => stopping.abort(),
    endNow: () => void done.push('now'),
    limitTo(rate) {
      limit = rate;
    },
    limit: () => limit,
  };
  const services: RunServices = {
    ...{ id: '20261121-113012-7k3f', version: '1', command: 'copy', canSteer: true, steering },
    state: startProgress(0),
    nowMs: () => 7,
    hide: (text) => text.replaceAll('secret', '***'),
    listen(next) {
      listener = next;
      return () => {
        listener = undefined;
      };
    },
    ...about,
  };
  const tell: Parameters<RunServices['listen']>[0] = (news) => listener?.(news);
  return { services, done, tell, isListening: () => listener !== undefined };
}
