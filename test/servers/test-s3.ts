import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openListeners } from '../../src/serve/listen/open-listeners.ts';
import type { AccessKey } from '../../src/serve/s3/auth/authenticate.ts';
import { openS3Service } from '../../src/serve/s3/s3-server.ts';
import type { FaultRule } from './fault.ts';
import { startFaultProxy } from './fault-proxy.ts';
import type { RequestLog } from './request-log.ts';

/** What a test's server is started with. */
export interface TestS3Options {
  /** What goes wrong from the first request on. */
  readonly faults?: FaultRule;
  /** Who may use it; one pair of keys where absent, anybody where empty. */
  readonly authKeys?: readonly AccessKey[];
  readonly region?: string;
  readonly readOnly?: boolean;
  /** Milliseconds since the epoch; the machine's clock where absent. */
  readonly now?: () => number;
  /** A folder to serve, which `stop` leaves alone; an empty one of its own where absent. */
  readonly root?: string;
}

/** An S3 server of a test's own: syncer's server with a proxy before it that counts requests and lets them fail. */
export interface TestS3 {
  /** Where clients send their requests: the proxy. */
  readonly endpoint: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly region: string;
  /** The folder that holds the buckets. */
  readonly root: string;
  /** Every request that came, with counts by operation. */
  readonly log: RequestLog;
  /** Changes what goes wrong; `undefined`: nothing. */
  setFaults(rule: FaultRule | undefined): void;
  /** Ends it and removes its folder. */
  stop(): Promise<void>;
}

const KEYS: readonly AccessKey[] = [
  { accessKeyId: 'test-access-key', secretAccessKey: 'test/secret+key' },
];

/** Starts a server on a free port. */
export async function startTestS3(options: TestS3Options = {}): Promise<TestS3> {
  const { authKeys = KEYS, region = 'us-east-1', readOnly = false, now = Date.now } = options;
  const base = await mkdtemp(join(tmpdir(), 'syncer-test-s3-'));
  const root = options.root ?? join(base, 'buckets');
  const host = '127.0.0.1';
  const service = await openS3Service({ root, authKeys, region, readOnly, now }, host);
  const server = await openListeners({ addresses: [{ host, port: 0 }] }, service.serve);
  const proxy = await startFaultProxy(server.urls.join(), options.faults, service.serve);
  return {
    endpoint: proxy.endpoint,
    accessKeyId: authKeys[0]?.accessKeyId ?? '',
    secretAccessKey: authKeys[0]?.secretAccessKey ?? '',
    region,
    root,
    log: proxy.log,
    setFaults: proxy.setFaults,
    async stop() {
      await proxy.close();
      await server.close(0);
      await service.close();
      await rm(base, { recursive: true, force: true });
    },
  };
}
