import type { OpenParams } from '../../src/backends/backend.ts';
import type { TransportOptions } from '../../src/backends/http/network-options.ts';
import { open } from '../../src/backends/s3/s3-remote.ts';
import type { Clock } from '../../src/core/context.ts';
import type { SyncerEvent } from '../../src/core/events.ts';
import type { Op, Remote, WriteSource } from '../../src/core/remote.ts';
import type { UploadRecordsAccess } from '../../src/core/upload-records.ts';
import type { TestS3 } from '../servers/test-s3.ts';

/** A signal that is never aborted. */
export const OP: Op = { signal: new AbortController().signal };

/** An S3 remote of a test, and what it told. */
export interface OpenedS3 {
  readonly remote: Remote;
  readonly events: SyncerEvent[];
}

/** What a test opens a remote with besides the server. */
export interface OpenS3Options {
  readonly options?: Readonly<Record<string, string>>;
  readonly transport?: Partial<TransportOptions>;
  /** Now, in milliseconds; the machine's time where absent. */
  readonly now?: () => number;
  /** The time that durations are measured by, in milliseconds; the machine's where absent. */
  readonly monotonic?: () => number;
  /** Where records of unfinished uploads are; none where absent. */
  readonly uploads?: UploadRecordsAccess;
  /** What is noted of large objects and by probes; nothing where absent. */
  readonly noted?: Pick<OpenParams, 'pieces' | 'probes'>;
  /** What the remotes of a run share; nothing where absent. */
  readonly shared?: OpenParams['shared'];
}

/** Opens a remote on a test's server. Waits between tries take no time, but are told as events. */
export async function openS3(
  s3: Pick<TestS3, 'endpoint' | 'accessKeyId' | 'secretAccessKey'>,
  root: string,
  {
    options = {},
    transport = {},
    now = Date.now,
    monotonic,
    uploads,
    noted,
    shared,
  }: OpenS3Options = {},
): Promise<OpenedS3> {
  const events: SyncerEvent[] = [];
  const clock: Clock = {
    now,
    monotonic: monotonic ?? (() => performance.now()),
    sleep: async (_ms, signal) => signal?.throwIfAborted(),
  };
  const remote = await open({
    name: 'test',
    root,
    options: {
      provider: 'Other',
      endpoint: s3.endpoint,
      access_key_id: s3.accessKeyId,
      secret_access_key: s3.secretAccessKey,
      ...options,
    },
    ...(uploads === undefined ? {} : { uploads }),
    ...(shared === undefined ? {} : { shared }),
    ...noted,
    context: { signal: OP.signal, clock, emit: (event) => events.push(event) },
    transport: {
      timeoutMs: 60_000,
      connectTimeoutMs: 10_000,
      lowLevelRetries: 5,
      insecureTls: false,
      userAgent: 'syncer-test',
      env: {},
      ...transport,
    },
  });
  return { remote, events };
}

/** A source in memory that can be opened in ranges. */
export function sourceOf(path: string, content: string | Buffer): WriteSource {
  const bytes = Buffer.from(content);
  return {
    path,
    size: bytes.length,
    modTime: 1_700_000_000_123_456_789n,
    seekable: true,
    open: async (range) => {
      const from = range?.offset ?? 0;
      return bytes.subarray(from, range?.length === undefined ? undefined : from + range.length);
    },
  };
}
