import { describe, test } from 'vitest';
import type { TransportOptions } from '../../src/backends/backend.ts';
import { open } from '../../src/backends/s3/open-s3.ts';
import { systemClock } from '../../src/core/context.ts';
import type { Remote } from '../../src/core/remote.ts';
import { OP } from './contract-world.ts';
import { describeRemote, type OpenedRemote } from './remote-contract.ts';

/** Where the server answers; set by `npm test`, which starts it where Ceph's packages can be had. */
const endpoint = process.env['S3_TEST_ENDPOINT'];

const transport: TransportOptions = {
  timeoutMs: 60_000,
  connectTimeoutMs: 10_000,
  lowLevelRetries: 10,
  insecureTls: false,
  userAgent: 'syncer-test',
  env: {},
};

function openAt(root: string, more: Readonly<Record<string, string>>): Promise<Remote> {
  const options = {
    provider: 'Ceph',
    endpoint: endpoint ?? '',
    access_key_id: process.env['S3_TEST_ACCESS_KEY'] ?? '',
    secret_access_key: process.env['S3_TEST_SECRET_KEY'] ?? '',
    ...more,
  };
  const context = { signal: OP.signal, clock: systemClock, emit: () => {} };
  return open({ name: 'ceph', root, options, context, transport });
}

/** A remote in a bucket of its own, which is gone afterwards. */
async function openInBucket(
  bucket: string,
  dir: string,
  more: Readonly<Record<string, string>>,
): Promise<OpenedRemote> {
  const whole = await openAt(bucket, more);
  await whole.makeDir('', OP);
  const cleanup = async () => {
    await whole.can.purge?.('', OP);
    await whole.close();
  };
  return { remote: await openAt(`${bucket}${dir}`, more), cleanup };
}

const EXPECTED = {
  lacks: ['moveDirFrom', 'about', 'directories', 'tellsMissing'],
  skipped: 18,
} as const;

if (endpoint === undefined) {
  describe('contract: s3 on Ceph', () => {
    test.skip('S3_TEST_ENDPOINT is not set: there is no Ceph server', () => {});
  });
} else {
  describeRemote('s3 on Ceph', () => openInBucket('contract-whole', '', {}), EXPECTED);
  describeRemote(
    's3 on Ceph below a prefix, in small pages and parts',
    () => openInBucket('contract-prefix', '/some/prefix', { list_chunk: '7', upload_cutoff: '0' }),
    EXPECTED,
  );
}
