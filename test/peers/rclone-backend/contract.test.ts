import { describe } from 'vitest';
import type { Feature } from '../../contract/contract-test.ts';
import { OP } from '../../contract/contract-world.ts';
import { describeRemote, type OpenedRemote } from '../../contract/remote-contract.ts';
import { startTestS3 } from '../../servers/test-s3.ts';
import { newerRclone, rcloneHome } from '../../support/open-rclone.ts';

const SECTIONS = (dir: string, secret: string) => `
[disk]
type = alias
remote = ${dir}/one

[crypt]
type = crypt
remote = ${dir}/one/crypt
password = ${secret}

[chunker]
type = chunker
remote = ${dir}/one/chunker
chunk_size = 1M
hash_type = md5

[compress]
type = compress
remote = ${dir}/one/compress

[hasher]
type = hasher
remote = ${dir}/one/hasher
hashes = md5,sha1

[union]
type = union
upstreams = ${dir}/two ${dir}/three

[combine]
type = combine
upstreams = some=${dir}/two other=${dir}/three
`;

const LACKS: readonly Feature[] = [
  ...(['publicLink', 'cleanUp', 'checksums', 'openedWithDetails', 'deletesAtOnce'] as const),
  ...(['listTreePage', 'purge', 'setTier', 'otherTiers', 'notUtf8'] as const),
];

async function openOn(spec: string, root: string): Promise<OpenedRemote> {
  const home = rcloneHome(SECTIONS);
  return { remote: await home.open(spec, root), cleanup: async () => home.remove() };
}

/** syncer speaks S3 itself; through rclone it stands for the object stores that it does not speak. */
async function openStore(): Promise<OpenedRemote> {
  const s3 = await startTestS3();
  const home = rcloneHome(
    () => `
[store]
type = s3
provider = Other
endpoint = ${s3.endpoint}
access_key_id = ${s3.accessKeyId}
secret_access_key = ${s3.secretAccessKey}
`,
  );
  const remote = await home.open('store:', 'bucket');
  await remote.makeDir('', OP);
  return {
    remote,
    async cleanup() {
      home.remove();
      await s3.stop();
    },
  };
}

const CASES: readonly (readonly [spec: string, root: string, lacks: Feature[], skipped: number])[] =
  [
    ['crypt:', '', ['hash', 'hashes', 'longNames'], 25],
    ['chunker:', 'some/root', ['longNames', 'ownMetadata'], 27],
    ['compress:', '', ['longNames', 'oddNames', 'oneKindPerName'], 28],
    ['hasher:', '', [], 20],
    ['union:', 'below', ['oneKindPerName'], 24],
    ['combine:', 'some', [], 20],
  ];

describe.skipIf(newerRclone === undefined)('remotes through rclone', () => {
  for (const [spec, root, lacks, skipped] of CASES) {
    const expected = { lacks: [...LACKS, ...lacks], skipped };
    describeRemote(`${spec}${root}`, () => openOn(spec, root), expected);
  }
  describeRemote('an object store', openStore, {
    lacks: [
      ...LACKS.filter((feature) => !['purge', 'cleanUp', 'publicLink'].includes(feature)),
      ...(['moveFrom', 'moveDirFrom', 'setDirModTime', 'about', 'directories'] as const),
    ],
    skipped: 37,
  });
});
