import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startS3Server } from '../../src/serve/s3/s3-server.ts';
import { countHops, type Hops, medianHops } from './hops.ts';

/** A transfer that is traced: what is there before it, its command, and the functions it begins and ends with. */
interface TracedTransfer {
  readonly name: string;
  /** Files below the source `A` and the bucket, with their contents. */
  readonly files: Readonly<Record<string, string>>;
  readonly args: readonly string[];
  readonly first: string;
  readonly last: string;
}

const KEY = { accessKeyId: 'key', secretAccessKey: 'secret' };
const COPY = { first: '#execute:', last: '#logCopied:' };
const TRANSFERS: readonly TracedTransfer[] = [
  {
    name: 'a new file of 6 bytes to S3',
    files: { 'A/f': 'hello\n' },
    args: ['sync', 'A', 's:bucket/dest'],
    ...COPY,
  },
  {
    name: 'an update with `--backup-dir`',
    files: { 'A/f': 'hello\n', 'store/bucket/dest/f': 'older content\n' },
    args: ['sync', 'A', 's:bucket/dest', '--backup-dir', 's:bucket/old'],
    ...COPY,
  },
  {
    name: 'a deletion by `sync`',
    files: { 'A/f': 'hello\n', 'store/bucket/dest/f': 'hello\n', 'store/bucket/dest/g': 'extra\n' },
    args: ['sync', 'A', 's:bucket/dest'],
    first: 'engine/delete-files.ts#deleteFiles:',
    last: 'run/journal/journal-file.ts#done:',
  },
  {
    name: 'a download',
    files: { 'store/bucket/dest/f': 'hello\n' },
    args: ['sync', 's:bucket/dest', 'A'],
    ...COPY,
  },
  {
    name: 'a copy in the store',
    files: { 'store/bucket/dest/f': 'hello\n' },
    args: ['sync', 's:bucket/dest', 's:bucket/copy'],
    ...COPY,
  },
];

/** The hops of each transfer, the median of `rounds` runs, each with a server and directories of its own; `program` is a checkout. */
export async function traceTransfers(
  program: string,
  rounds: number,
): Promise<readonly { readonly name: string; readonly hops: Hops }[]> {
  const traced: { name: string; hops: Hops }[] = [];
  for (const transfer of TRANSFERS) {
    const runs: Hops[] = [];
    for (let round = 0; round < rounds; round++) runs.push(await traceOnce(program, transfer));
    traced.push({ name: transfer.name, hops: medianHops(runs) });
  }
  return traced;
}

async function traceOnce(program: string, transfer: TracedTransfer): Promise<Hops> {
  const dir = await mkdtemp(join(tmpdir(), 'syncer-house-'));
  try {
    await mkdir(join(dir, 'A'));
    for (const [path, content] of Object.entries(transfer.files)) {
      await mkdir(join(dir, path, '..'), { recursive: true });
      await writeFile(join(dir, path), content);
      await utimes(join(dir, path), 1_700_000_000, 1_700_000_000);
    }
    const root = join(dir, 'store');
    await mkdir(join(root, 'bucket'), { recursive: true });
    const server = await startS3Server({ root, authKeys: [KEY] });
    try {
      const config = join(dir, 'syncer.conf');
      await writeFile(config, remote(server.endpoint));
      const trace = join(dir, 'trace');
      const hook = join(program, 'scripts/house/trace-hook.ts');
      const words = ['--import', hook, join(program, 'src/main.ts'), ...transfer.args];
      await promisify(execFile)(
        process.execPath,
        ['--disable-warning=ExperimentalWarning', ...words, '--config', config],
        {
          cwd: dir,
          env: {
            ...{ PATH: process.env['PATH'], HOME: dir, TMPDIR: dir },
            ...{ HOUSE_ROOT: program, HOUSE_TRACE: trace },
          },
        },
      );
      return countHops(await readFile(trace, 'utf8'), transfer.first, transfer.last);
    } finally {
      await server.close();
    }
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

function remote(endpoint: string): string {
  return `[s]
type = s3
provider = Other
access_key_id = ${KEY.accessKeyId}
secret_access_key = ${KEY.secretAccessKey}
endpoint = ${endpoint}
`;
}
