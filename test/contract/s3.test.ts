import { startTestS3 } from '../servers/test-s3.ts';
import { ALL } from '../support/in-part.ts';
import { openS3 } from '../support/open-s3.ts';
import { OP } from './contract-world.ts';
import { describeRemote, type Expectations, type OpenedRemote } from './remote-contract.ts';

const EXPECTED: Expectations = {
  lacks: ['moveFrom', 'moveDirFrom', 'setDirModTime', 'about', 'directories', 'tellsMissing'],
  skipped: 28,
};

async function openAt(root: string, options: Record<string, string> = {}): Promise<OpenedRemote> {
  const s3 = await startTestS3();
  const { remote } = await openS3(s3, root, { options: { provider: 'Scaleway', ...options } });
  await remote.makeDir('', OP);
  return { remote, cleanup: () => s3.stop() };
}

describeRemote('s3', () => openAt('bucket', { list_chunk: '100' }), {
  ...EXPECTED,
  pageSize: 100,
});

if (ALL)
  describeRemote(
    's3 with checksums and trailers',
    () => openAt('bucket', { use_data_integrity_protections: 'true' }),
    EXPECTED,
  );

describeRemote(
  's3 below a prefix, everything in parts, small pages of version 1',
  () =>
    openAt('bucket/some/prefix', {
      upload_cutoff: '0',
      copy_cutoff: '5Mi',
      list_chunk: '7',
      list_version: '1',
    }),
  { ...EXPECTED, pageSize: 7 },
);
