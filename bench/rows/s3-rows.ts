import type { Workplace } from '../workplace.ts';
import type { Arguments, Row } from './row.ts';

/** The bucket of the S3 rows, and another one. */
const BUCKET = 'bench:bench-work';
const OTHER = 'bench:bench-other';
/** The bucket as s5cmd writes it. */
const S5_BUCKET = 's3://bench-work';
/** Buckets of one large object that syncer uploaded: with its CRC-32, and with its MD5 alone. */
const WITH_CRC32 = 'bench:bench-crc32';
const WITH_MD5 = 'bench:bench-md5';

/** The arguments of s5cmd, after those that name the server. */
const s5cmd =
  (args: Arguments): Arguments =>
  (place) => ['--log', 'error', '--endpoint-url', place.server.endpoint, ...args(place)];

type Prepare = (place: Workplace) => Promise<void>;

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
      args: ({ root }) => ['copy', `${root}/${name}`, BUCKET],
      others: { s5cmd: s5cmd(({ root }) => ['cp', `${root}/${name}/`, `${S5_BUCKET}/`]) },
    },
    {
      name: `download, ${many}`,
      prepare: download(name),
      args: ({ root }) => ['copy', BUCKET, `${root}/out`],
      others: { s5cmd: s5cmd(({ root }) => ['cp', `${S5_BUCKET}/*`, `${root}/out/`]) },
    },
    ...equalFiles(name, equal),
    ...['first', 'second'].map(
      (run): Row => ({
        name: `check, ${equal}, ${run} run`,
        prepare: (place) => place.fillBucket(name),
        forget: run === 'first',
        args: ({ root }) => ['check', `${root}/${name}`, BUCKET],
      }),
    ),
    {
      name: `delete, ${many}`,
      prepare: (place) => place.fillBucket(name),
      args: () => ['delete', BUCKET],
      others: { s5cmd: s5cmd(() => ['rm', `${S5_BUCKET}/*`]) },
    },
    {
      name: `server-side copy, ${many}`,
      prepare: serverCopy(name),
      args: () => ['copy', BUCKET, OTHER],
    },
  ];
}

function equalFiles(name: string, equal: string): Row[] {
  const args: Arguments = ({ root }) => ['sync', `${root}/${name}`, BUCKET];
  return [
    {
      name: `sync, ${equal}, first run`,
      prepare: (place) => place.fillBucket(name),
      forget: true,
      args,
    },
    { name: `sync, ${equal}, second run`, prepare: (place) => place.fillBucket(name), args },
    {
      name: `sync --size-only, ${equal}`,
      prepare: (place) => place.fillBucket(name),
      args: (place) => [...args(place), '--size-only'],
      others: {
        s5cmd: s5cmd(({ root }) => ['sync', '--size-only', `${root}/${name}/`, `${S5_BUCKET}/`]),
      },
    },
    {
      name: `sync --checksum, ${equal}`,
      prepare: (place) => place.fillBucket(name),
      args: (place) => [...args(place), '--checksum'],
    },
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
    prepare: emptyBucket('large-1024'),
    args: ({ root }) => ['copy', `${root}/large-1024`, BUCKET],
    others: { s5cmd: s5cmd(({ root }) => ['cp', `${root}/large-1024/`, `${S5_BUCKET}/`]) },
  },
  {
    name: 'download, one file of 1 GB',
    prepare: largeDownload(WITH_CRC32),
    args: ({ root }) => ['copy', WITH_CRC32, `${root}/out`],
    others: { s5cmd: s5cmd(({ root }) => ['cp', 's3://bench-crc32/*', `${root}/out/`]) },
  },
  {
    name: 'download, one file of 1 GB, no CRC-32',
    prepare: largeDownload(WITH_MD5, '--s3-use-data-integrity-protections=false'),
    args: ({ root }) => ['copy', WITH_MD5, `${root}/out`],
  },
];

const SPREAD: Row = {
  name: 'sync --size-only, 2,000 equal files in 1,000 directories',
  prepare: (place) => place.fillBucket('spread-2000'),
  args: ({ root }) => ['sync', `${root}/spread-2000`, BUCKET, '--size-only'],
};

const million = (command: string, ...args: string[]): Row => ({
  name: `${command}, 1,000,000 equal objects`,
  prepare: (place) => place.makeSource('small-1'),
  args: () => [...command.split(' '), ...args],
});

/** Listings of objects that only the bench's server knows. */
const LISTED: readonly Row[] = [
  million('size', 'bench:synthetic-1000000'),
  million('ls', 'bench:synthetic-1000000'),
];
const MILLION: readonly Row[] = [
  million('check --size-only', 'bench:synthetic-1000000', 'bench:synthetic-1000000-too'),
  million('sync --size-only', 'bench:synthetic-1000000', 'bench:synthetic-1000000-too'),
  ...LISTED,
];

const LATENCY_MS = 20;

/** Everything between disk and S3; then the same on a store that answers late. */
export const S3_ROWS: readonly Row[] = [
  ...smallFiles(10_000),
  ...LARGE,
  SPREAD,
  ...equalFiles('small-100000', '100,000 equal files'),
  ...MILLION,
  ...[...smallFiles(2_000), SPREAD, ...LARGE, ...LISTED].map((row) => ({
    ...row,
    name: `${row.name}, ${LATENCY_MS} ms`,
    latencyMs: LATENCY_MS,
  })),
];
