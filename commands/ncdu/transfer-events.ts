import type { Emit } from '../../src/core/events.ts';
import { messageOf } from '../../src/shell/log/words.ts';
import type { TransferReport } from '../../src/size-tree/browser-effects.ts';

interface Running {
  readonly counts: boolean;
  readonly size: number;
  bytes: number;
}

/** Turns the events of a run into reports of a transfer in the browser; failures wait for what mends them. */
export function transferEvents(report: TransferReport) {
  const running = new Map<number, Running>();
  let failures: { readonly path: string; readonly message: string }[] = [];
  let told = 0;
  const emit: Emit = (event) => {
    switch (event.type) {
      case 'transfer-queued':
        report.found(event.files, event.bytes);
        return;
      case 'transfer-start': {
        const { id, kind, size } = event;
        running.set(id, { counts: kind !== 'check', size: Math.max(0, size), bytes: 0 });
        return;
      }
      case 'transfer-bytes':
        pass(running.get(event.id), event.bytes, report);
        return;
      case 'transfer-restart': {
        const one = running.get(event.id);
        pass(one, -(one?.bytes ?? 0), report);
        return;
      }
      case 'transfer-end': {
        const one = running.get(event.id);
        running.delete(event.id);
        if (one === undefined || !one.counts) return;
        if (event.error !== undefined) return pass({ ...one }, -one.bytes, report);
        pass(one, one.size - one.bytes, report);
        report.done(1);
        return;
      }
      case 'log':
        if (event.code === 'failed') {
          failures.push({ path: event.path ?? '', message: messageOf(event) });
        }
        return;
      case 'retry-run':
        failures = [];
    }
  };
  return {
    emit,
    /** Failures that stand: another attempt takes them back. */
    get failures() {
      return failures.length + told;
    },
    finish() {
      for (const { path, message } of failures) report.failed(path, message);
      told += failures.length;
      failures = [];
    },
  };
}

function pass(one: Running | undefined, bytes: number, report: TransferReport): void {
  if (one === undefined || !one.counts || bytes === 0) return;
  one.bytes += bytes;
  report.bytes(bytes);
}
