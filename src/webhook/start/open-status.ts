import type { Server } from 'node:net';
import type { Activity } from '../http/connection.ts';
import { serveHttp, type TakeConnection } from '../http/serve-http.ts';
import type { HookRuns } from '../run/hook-runs.ts';
import type { HookStore } from '../server/hook-store.ts';
import { type StatusSources, statusHandler } from '../status/status-handler.ts';
import { listen } from './listen.ts';
import { listenAtPath } from './open-listeners.ts';

const LIMITS = { maxHeadBytes: 64 << 10, headTimeoutMs: 10_000, idleTimeoutMs: 60_000 };
const MAX_CONNECTIONS = 100;

/** An address for pages about the server: what connects waits until it is opened. */
export interface StatusAddress {
  open(sources: StatusSources): void;
  close(): void;
}

/**
 * Listens at the address for pages about the server. Rejects with an error for the log.
 * @param address `ip:port`, `unix:/path`; empty: none
 */
export async function openStatus(address: string, activity: Activity): Promise<StatusAddress> {
  if (address === '') return { open: () => {}, close: () => {} };
  const { promise: ready, resolve } = Promise.withResolvers<TakeConnection>();
  const choice = { maxConnections: MAX_CONNECTIONS };
  const [, host = '', port = ''] = /^(.*):(\d+)$/.exec(address) ?? [];
  try {
    const close = address.startsWith('unix:')
      ? (await listenAtPath({ path: address.slice('unix:'.length), ...choice }, ready)).close
      : closer(
          await listen({ ip: host.replace(/^\[|\]$/g, ''), port: portIn(port), ...choice }, ready),
        );
    return {
      open: (sources) => resolve(serveHttp(statusHandler(sources), { ...LIMITS, activity })),
      close,
    };
  } catch (thrown) {
    const why = (thrown as Error).message;
    throw new Error(`error listening on -status ${address}: ${why}`, { cause: thrown });
  }
}

const closer = (server: Server) => () => void server.close();

function portIn(text: string): number {
  if (text !== '') return Number(text);
  throw new Error('it must be ip:port or unix:/path');
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
