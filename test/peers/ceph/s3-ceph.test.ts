import { describe } from 'vitest';
import { OP } from '../../contract/contract-world.ts';
import {
  describeRemote,
  type Expectations,
  type OpenedRemote,
} from '../../contract/remote-contract.ts';
import { openS3 } from '../../support/open-s3.ts';

/** Where the server answers; set by `npm test`, which starts it where Ceph's packages can be had. */
const endpoint = process.env['S3_TEST_ENDPOINT'];

const EXPECTED: Expectations = {
  lacks: [
    'moveFrom',
    'moveDirFrom',
    'setDirModTime',
    'about',
    'directories',
    'tellsMissing',
    'setTier',
  ],
  skipped: 29,
};

/** A remote in a bucket of its own, which is gone afterwards. */
async function openInBucket(
  bucket: string,
  dir: string,
  more: Readonly<Record<string, string>> = {},
): Promise<OpenedRemote> {
  const server = {
    endpoint: endpoint ?? '',
    accessKeyId: process.env['S3_TEST_ACCESS_KEY'] ?? '',
    secretAccessKey: process.env['S3_TEST_SECRET_KEY'] ?? '',
  };
  const options = { provider: 'Ceph', ...more };
  const { remote: whole } = await openS3(server, bucket, { options });
  const { remote } = await openS3(server, `${bucket}${dir}`, { options });
  await whole.makeDir('', OP);
  const cleanup = async () => {
    await whole.can.purge?.('', OP);
    await whole.close();
  };
  return { remote, cleanup };
}

describe.skipIf(endpoint === undefined)('a server that others wrote: Ceph', () => {
  describeRemote('s3', () => openInBucket('contract-whole', ''), EXPECTED);

  describeRemote(
    's3 below a prefix, everything in parts, small pages',
    () =>
      openInBucket('contract-prefix', '/some/prefix', {
        upload_cutoff: '0',
        copy_cutoff: '5Mi',
        list_chunk: '7',
      }),
    EXPECTED,
  );
});
