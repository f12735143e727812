import type { Workplace } from '../workplace.ts';
import type { Row } from './row.ts';

/** Where the S3 rows work: a bucket that each of them begins with. */
const BUCKET = 'bench:bench-work';
const OTHER = 'bench:bench-other';
/** Buckets of one large object that syncer uploaded: with its CRC-32, and with its MD5 alone. */
const WITH_CRC32 = 'bench:bench-crc32';
const WITH_MD5 = 'bench:bench-md5';

type Prepare = (place: Workplace) => Promise<void>;

const withSource =
  (name: string): Prepare =>
  (place) =>
    place.makeSource(name);

/** The source lies on disk and in the bucket, the same. */
const onBothSides =
  (name: string): Prepare =>
  (place) =>
    place.fillBucket(name);

const emptyBucket =
  (name: string): Prepare =>
  async (place) => {
    await place.makeSource(name);
    await place.emptyBucket();
  };

const download =
  (name: string): Prepare =>
  async (place) => {
    await place.fillBucket(name);
    await place.empty('out');
  };

const serverCopy =
  (name: string): Prepare =>
  async (place) => {
    await place.fillBucket(name);
    await place.emptyOther();
  };

/** The rows about many small files, for a number of them. */
function smallFiles(count: number): Row[] {
  const name = `small-${count}`;
  const many = `${count.toLocaleString('en')} × 4 KB`;
  const equal = `${count.toLocaleString('en')} equal files`;
  return [
    {
      name: `upload, ${many}`,
      prepare: emptyBucket(name),
      args: ({ root }: Workplace) => ['copy', `${root}/${name}`, BUCKET],
    },
    {
      name: `download, ${many}`,
      prepare: download(name),
      args: ({ root }: Workplace) => ['copy', BUCKET, `${root}/out`],
    },
    ...equalFiles(name, equal),
    {
      name: `check, ${equal}`,
      prepare: onBothSides(name),
      args: ({ root }: Workplace) => ['check', `${root}/${name}`, BUCKET],
    },
    {
      name: `delete, ${many}`,
      prepare: onBothSides(name),
      args: () => ['delete', BUCKET],
    },
    {
      name: `server-side copy, ${many}`,
      prepare: serverCopy(name),
      args: () => ['copy', BUCKET, OTHER],
    },
  ].map((row) => ({ ...row, onS3: true }));
}

function equalFiles(name: string, equal: string): Omit<Row, 'onS3'>[] {
  const args = ({ root }: Workplace) => ['sync', `${root}/${name}`, BUCKET];
  return [
    { name: `sync, ${equal}, first run`, prepare: onBothSides(name), forget: true, args },
    { name: `sync, ${equal}, second run`, prepare: onBothSides(name), args },
  ];
}

function largeDownload(bucket: string, ...flags: readonly string[]): Prepare {
  return async (place) => {
    await place.fillBucket('large-1024', bucket, ...flags);
    await place.empty('out');
  };
}

const LARGE: readonly Row[] = [
  {
    name: 'upload, one file of 1 GB',
    onS3: true,
    prepare: emptyBucket('large-1024'),
    args: ({ root }) => ['copy', `${root}/large-1024`, BUCKET],
  },
  {
    name: 'download, one file of 1 GB',
    onS3: true,
    prepare: largeDownload(WITH_CRC32),
    args: ({ root }) => ['copy', WITH_CRC32, `${root}/out`],
  },
  {
    name: 'download, one file of 1 GB, no CRC-32',
    onS3: true,
    prepare: largeDownload(WITH_MD5, '--s3-use-data-integrity-protections=false'),
    args: ({ root }) => ['copy', WITH_MD5, `${root}/out`],
  },
];

const HUNDRED_THOUSAND: readonly Row[] = equalFiles('small-100000', '100,000 equal files').map(
  (row) => ({ ...row, onS3: true }),
);

const million = (command: string, ...args: string[]): Row => ({
  name: `${command}, 1,000,000 equal objects`,
  onS3: true,
  ownServer: true,
  prepare: withSource('small-1'),
  args: () => [...command.split(' '), ...args],
});

/** Listings of objects that only the bench's server knows. */
const MILLION: readonly Row[] = [
  million('check --size-only', 'bench:synthetic-1000000', 'bench:synthetic-1000000-too'),
  million('sync --size-only', 'bench:synthetic-1000000', 'bench:synthetic-1000000-too'),
  million('size', 'bench:synthetic-1000000'),
  million('ls', 'bench:synthetic-1000000'),
];

const LATENCY_MS = 20;

/** Everything between disk and S3; then the same on a store that answers late. */
export const S3_ROWS: readonly Row[] = [
  ...smallFiles(10_000),
  ...LARGE,
  ...HUNDRED_THOUSAND,
  ...MILLION,
  ...[...smallFiles(2_000), ...LARGE].map((row) => ({
    ...row,
    name: `${row.name}, ${LATENCY_MS} ms`,
    latencyMs: LATENCY_MS,
    ownServer: true,
  })),
];
