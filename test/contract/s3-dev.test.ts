import { openAt } from '/tmp/s3try.ts';
import { describeRemote } from './remote-contract.ts';

const ep = process.env['DEV_S3'] ?? '';
const keys = process.env['DEV_S3_KEYS']?.split(':');
for (const [name, root, extra] of [
  ['s3', 'contract-1', {}],
  [
    's3 below a prefix, small pages, small parts',
    'contract-2/some/prefix',
    { list_chunk: '7', upload_cutoff: '0', list_version: '1' },
  ],
] as const) {
  describeRemote(
    name,
    async () => {
      const remote = await openAt(ep, root, extra, keys);
      const bucket = await openAt(ep, root.split('/')[0]!, {}, keys);
      await remote.makeDir('', { signal: new AbortController().signal });
      return {
        remote,
        cleanup: async () => {
          await bucket.can.purge!('', { signal: new AbortController().signal });
          await bucket.close();
        },
      };
    },
    { lacks: ['moveDirFrom', 'about', 'directories', 'tellsMissing'], skipped: 16 },
  );
}
