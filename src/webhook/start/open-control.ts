import { chmod } from 'node:fs/promises';
import type { Server } from 'node:net';
import { dirname } from 'node:path';
import { umask } from 'node:process';
import { makeFolder } from '../../files/make-folder.ts';
import type { ControlServices } from '../control/answer-control.ts';
import { serveControl, serverControlPath } from '../control/serve-control.ts';
import type { Activity } from '../http/connection.ts';
import { serveHttp, type TakeConnection } from '../http/serve-http.ts';
import type { HookRuns } from '../run/hook-runs.ts';
import type { HookStore } from '../server/hook-store.ts';
import { type StatusSources, statusHandler } from '../status/status-handler.ts';
import { listen } from './listen.ts';
import { listenAtPath } from './open-listeners.ts';

const MAX_PEERS = 64;

/** The path of a control socket that was asked for by its path or `auto`; `undefined` if there is none. */
export function controlPath(
  wanted: string,
  { env, getuid }: Pick<NodeJS.Process, 'env' | 'getuid'>,
): string | undefined {
  if (wanted === 'auto') return serverControlPath(env, getuid?.() ?? -1);
  return wanted === '' ? undefined : wanted;
}

/**
 * Opens the control socket, which only the user of the server may use. Rejects with an error for the log.
 *
 * @param wanted its path, or `auto`
 * @returns takes it away
 */
export async function openControl(
  wanted: string,
  process: Pick<NodeJS.Process, 'env' | 'getuid'>,
  services: Promise<ControlServices>,
): Promise<() => void> {
  const path = controlPath(wanted, process);
  if (path === undefined) {
    throw new Error(
      'error opening the control socket: neither RUNTIME_DIRECTORY nor XDG_RUNTIME_DIR is set; give its path',
    );
  }
  // No other user may connect before the mode of the socket is set.
  const before = umask(0o177);
  try {
    const take = services.then((found) => (socket: Parameters<typeof serveControl>[0]) => {
      serveControl(socket, found);
    });
    if (wanted === 'auto') await makeOwnFolder(dirname(path));
    const { close } = await listenAtPath({ path, maxConnections: MAX_PEERS }, take);
    await chmod(path, 0o600);
    return () => closeQuietly(close);
  } catch (thrown) {
    const why = (thrown as Error).message;
    throw new Error(`error opening the control socket: ${why}`, { cause: thrown });
  } finally {
    umask(before);
  }
}

function closeQuietly(close: () => void): void {
  try {
    close();
  } catch {
    // What stays is replaced by the next server.
  }
}

async function makeOwnFolder(folder: string): Promise<void> {
  const before = umask(0o077);
  try {
    await makeFolder(folder, 0o700);
  } finally {
    umask(before);
  }
}

const LIMITS = { maxHeadBytes: 64 << 10, headTimeoutMs: 10_000, idleTimeoutMs: 60_000 };
const MAX_CONNECTIONS = 100;

/** An address for pages about the server: what connects waits until it is opened. */
interface StatusAddress {
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
