import type { SyncerEvent } from '../../../../src/core/events.ts';
import { createRunControl } from '../../../../src/engine/run-control.ts';
import type { ServedRun } from '../../../../src/run/presence/enter-presence.ts';
import { ProgressState } from '../../../../src/shell/progress/progress-state.ts';
import type { RunEntry } from '../../../../src/state/runs.ts';

/** An entry of a run. */
export function runEntry(about: Partial<RunEntry> = {}): RunEntry {
  return {
    ...{ id: '20261121-113012-7k3f', mark: 'x-1-1', pid: 1, host: 'h', startedMs: 5 },
    ...{ words: ['copy', 'a', 'b'], dir: '/w' },
    ...about,
  };
}

/** A run on the list, and the listeners to its events. */
export function servedRun(about: Partial<ServedRun> = {}) {
  const listeners = new Set<(event: SyncerEvent) => void>();
  const steering = createRunControl(() => {});
  steering.enter();
  steering.slots.set(4);
  let limit: number | undefined;
  const run = {
    ...{ id: '20261121-113012-7k3f', command: 'copy', canSteer: true, ...about },
    steering,
    bandwidth: {
      limitTo(rate: number) {
        limit = rate;
      },
      limit: () => limit,
    },
    report: {
      state: new ProgressState(0),
      log: { hide: (text: string) => text.replaceAll('secret', '***'), shows: () => true },
      listen(listener: (event: SyncerEvent) => void) {
        listeners.add(listener);
        return () => void listeners.delete(listener);
      },
    },
    context: { clock: { monotonic: () => 7 } },
  } as unknown as ServedRun;
  const tell = (event: SyncerEvent) => {
    for (const listener of listeners) listener(event);
  };
  return { run, tell, isListening: () => listeners.size > 0 };
}
