import { availableParallelism } from 'node:os';
import type { FlagValues } from '../command-line/parse-flags.ts';
import type { Hook } from '../file/hook.ts';
import { type Activity, MAX_THREADS } from '../http/activity.ts';
import {
  type ConnectionLimits,
  type RequestHandler,
  serveConnection,
} from '../http/serve-connection.ts';
import type { HookLog } from '../log/hook-log.ts';
import type { ServerOptions } from '../server/server-options.ts';
import { noteRefusal, type RunServices } from '../server/start-run.ts';
import type { StatusPage } from '../status/status-answer.ts';
import { AnsweringThreads } from './answering-threads.ts';
import { loadDuplicate } from './duplicate-descriptor.ts';
import { unpackRequest } from './packed-request.ts';
import { startWorker } from './start-worker.ts';

/** What threads need of the server. */
export interface ThreadServices {
  readonly limits: Omit<ConnectionLimits, 'mover'>;
  readonly activity: Activity;
  readonly options: ServerOptions;
  readonly hooks: () => readonly Hook[];
  readonly log: HookLog;
  readonly logDescriptor: number | undefined;
  readonly pages: readonly StatusPage[];
  readonly runs: RunServices;
  /** Answers a request in the main thread. */
  readonly handle: RequestHandler;
}

/**
 * Threads that answer requests beside the main one, none of them started yet. Absent where one thread does it all:
 * with `-threads 1`, and with TLS, whose connections cannot go from thread to thread.
 */
export function openThreads(
  flags: Pick<FlagValues, 'threads' | 'secure'>,
  services: ThreadServices,
): AnsweringThreads | undefined {
  const fixed = Math.min(MAX_THREADS, Math.max(0, flags.threads));
  const most = fixed || Math.min(MAX_THREADS, availableParallelism());
  if (most === 1 || flags.secure) return undefined;
  const { activity, options, hooks, log, logDescriptor, pages, runs, handle } = services;
  const { maxHeadBytes, headTimeoutMs, idleTimeoutMs } = services.limits;
  const threads: AnsweringThreads = new AnsweringThreads({
    ...{ fixed, most, activity, hooks, log, loadDuplicate, startWorker },
    thread: {
      ...{ options, logDescriptor, pages },
      limits: { maxHeadBytes, headTimeoutMs, idleTimeoutMs },
      keepsRequests: runs.ledger !== undefined,
      counts: runs.counters !== undefined,
    },
    serve: (socket, arrival) => void serveConnection(socket, handle, inMain, arrival),
    note: (message) => {
      const { type, hook } = message;
      if (type === 'answered') runs.counters?.answered(hook, message.status);
      else if (message.kept === undefined) runs.counters?.moved(hook, undefined, 'refused');
      else {
        const { request, explanation } = message.kept;
        noteRefusal({ id: hook }, unpackRequest(request), message.origin, runs, () => explanation);
      }
    },
  });
  const inMain = { ...services.limits, mover: threads };
  return threads;
}
