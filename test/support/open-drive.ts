import type { OpenParams } from '../../src/backends/backend.ts';
import { open } from '../../src/backends/drive/open-drive.ts';
import type { TransportOptions } from '../../src/backends/http/network-options.ts';
import { proofObserver } from '../../src/caches/proof-observer.ts';
import type { Clock } from '../../src/core/context.ts';
import type { SyncerEvent } from '../../src/core/events.ts';
import { observed } from '../../src/core/observed.ts';
import type { Remote } from '../../src/core/remote.ts';
import type { TestGraph } from '../servers/graph/start-graph.ts';
import { OP } from './open-s3.ts';

/** A drive of a test, and what it told. */
export interface OpenedDrive {
  readonly remote: Remote;
  readonly events: SyncerEvent[];
}

/** What a test opens a drive with besides the server. */
export interface OpenDriveOptions {
  readonly options?: Readonly<Record<string, string>>;
  readonly transport?: Partial<TransportOptions>;
  readonly params?: Partial<OpenParams>;
  /** Waits between tries really pass; otherwise they take no time. */
  readonly waits?: boolean;
}

/** Opens the first drive of a test's server. What it waits for is told as events. */
export async function openDrive(
  graph: TestGraph,
  root = '',
  { options = {}, transport = {}, params = {}, waits = false }: OpenDriveOptions = {},
): Promise<OpenedDrive> {
  const events: SyncerEvent[] = [];
  const clock: Clock = {
    now: Date.now,
    monotonic: () => performance.now(),
    sleep: async (ms, signal) => {
      signal?.throwIfAborted();
      await new Promise((resolve) => setTimeout(resolve, waits ? ms : 0));
      signal?.throwIfAborted();
    },
  };
  const context = {
    signal: OP.signal,
    clock,
    emit: (event: SyncerEvent) => void events.push(event),
  };
  const remote = await open({
    name: 'test',
    root,
    options: { ...graph.section(), graph_url: graph.graphUrl, ...options },
    context,
    transport: {
      timeoutMs: 60_000,
      connectTimeoutMs: 10_000,
      lowLevelRetries: 5,
      insecureTls: false,
      userAgent: 'syncer-test',
      env: {},
      ...transport,
    },
    ...params,
  });
  const proofs = await proofObserver(remote, context, undefined);
  return { remote: observed(remote, [proofs], clock), events };
}
