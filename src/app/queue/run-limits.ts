import type { Redis } from 'ioredis';
import type { Context } from '../../core/context.ts';
import type { Emit } from '../../core/events.ts';
import type { Bandwidth } from '../../engine/run.ts';
import { bandwidthAt, parseBandwidth } from '../../kit/bandwidth-timetable.ts';
import { limitKey } from '../../queue/run-keys.ts';
import type { QueueLimits } from '../../queue/run-spec.ts';
import { SharedLimit } from '../../queue/shared-limit.ts';
import { SharedSlowdown } from '../../queue/shared-slowdown.ts';

/** What the limits of a run are made with. */
interface SharedBy {
  readonly redis: Pick<Redis, 'eval'>;
  readonly run: string;
  /** The name of this worker in the run. */
  readonly worker: string;
  readonly context: Pick<Context, 'clock' | 'emit'>;
}

/** The limits of a run at one of its workers: all workers together keep them. */
export interface WorkerLimits {
  /** `--bwlimit`; absent without one. */
  readonly bandwidth?: Bandwidth;
  /** For `Context.requestGate`: `--tpslimit`, and what servers ask for. */
  takeRequest(signal: AbortSignal): Promise<void>;
  /** For `Context.emit`: passes events on, and notices servers that ask to slow down. */
  readonly emit: Emit;
  /** What servers have lowered all workers to, in requests a second; `undefined`: nothing. */
  loweredTo(): number | undefined;
  /** Ends the exchange with other workers. */
  end(): void;
}

/** How often workers exchange what servers ask for, in milliseconds. */
const EXCHANGE_MS = 1_000;

/** The limits of a run. Throws `usage` for an invalid bandwidth. */
export function runLimits(limits: QueueLimits, by: SharedBy): WorkerLimits {
  const { redis, run, worker, context } = by;
  const { clock } = context;
  const key = (name: string) => limitKey(run, name);
  const shared = { redis, worker, clock };
  const { bandwidth, requestsPerSecond } = limits;
  const requests =
    requestsPerSecond === undefined
      ? undefined
      : new SharedLimit({ ...shared, key: key('requests'), rate: requestsPerSecond });
  const slowdown = new SharedSlowdown({ ...shared, key: key('slow') });
  // A queue that is away changes nothing.
  const timer = setInterval(() => void slowdown.exchange().catch(() => {}), EXCHANGE_MS).unref();
  return {
    ...(bandwidth === undefined ? {} : { bandwidth: sharedBandwidth(bandwidth, shared, key) }),
    async takeRequest(signal) {
      await requests?.take(1, signal);
      await slowdown.take(signal);
    },
    emit(event) {
      if (event.type === 'wait' && event.why === 'throttled') slowdown.throttled();
      context.emit(event);
    },
    loweredTo: () => slowdown.limit,
    end: () => clearInterval(timer),
  };
}

/** As `--bwlimit` of one process: one rate is for all bytes, two are for uploads and downloads. */
function sharedBandwidth(
  text: string,
  shared: Omit<ConstructorParameters<typeof SharedLimit>[0], 'key' | 'rate'>,
  key: (name: string) => string,
): Bandwidth {
  const timetable = parseBandwidth(text);
  const limits = new Map<string, SharedLimit>();
  const limitOf = (name: string, rate: number) => {
    const limit = limits.get(name) ?? new SharedLimit({ ...shared, key: key(name), rate });
    limits.set(name, limit);
    limit.setRate(rate);
    return limit;
  };
  const take: Bandwidth['take'] = async (bytes, route, signal) => {
    const { upload, download } = bandwidthAt(timetable, new Date(shared.clock.now()));
    if (upload === download) {
      if (upload !== undefined) await limitOf('bytes', upload).take(bytes, signal);
      return;
    }
    if (route.up && upload !== undefined) await limitOf('upload', upload).take(bytes, signal);
    if (route.down && download !== undefined) {
      await limitOf('download', download).take(bytes, signal);
    }
  };
  return { take, isLimited: () => true };
}
