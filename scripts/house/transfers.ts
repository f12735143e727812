import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KEYS, remoteLines } from '../demo/local-server.ts';
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
    last: 'engine/perform.ts#count:',
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

/** The hops of each transfer, the median of `rounds` runs, each with a server and directories of its own. */
export async function traceTransfers(
  root: string,
  rounds: number,
): Promise<readonly { readonly name: string; readonly hops: Hops }[]> {
  const traced: { name: string; hops: Hops }[] = [];
  for (const transfer of TRANSFERS) {
    const runs: Hops[] = [];
    for (let round = 0; round < rounds; round++) runs.push(await traceOnce(root, transfer));
    traced.push({ name: transfer.name, hops: medianHops(runs) });
  }
  return traced;
}

async function traceOnce(root: string, transfer: TracedTransfer): Promise<Hops> {
  const dir = await mkdtemp(join(tmpdir(), 'syncer-house-'));
  const env = { PATH: process.env['PATH'], HOME: dir, HOUSE_ROOT: root, TMPDIR: dir };
  const main = join(root, 'src/main.ts');
  try {
    await mkdir(join(dir, 'A'));
    for (const [path, content] of Object.entries(transfer.files)) {
      await mkdir(join(dir, path, '..'), { recursive: true });
      await writeFile(join(dir, path), content);
      await utimes(join(dir, path), 1_700_000_000, 1_700_000_000);
    }
    await mkdir(join(dir, 'store/bucket'), { recursive: true });
    const server = spawn(
      process.execPath,
      [
        main,
        'serve',
        's3',
        'store',
        '--addr',
        '127.0.0.1:0',
        '--auth-key',
        `${KEYS.id},${KEYS.secret}`,
      ],
      { cwd: dir, env, stdio: ['ignore', 'ignore', 'pipe'] },
    );
    try {
      const endpoint = await new Promise<string>((resolve, reject) => {
        let seen = '';
        server.stderr.on('data', (data: Buffer) => {
          seen += data.toString();
          const address = /http:\/\/127\.0\.0\.1:\d+/.exec(seen)?.[0];
          if (address !== undefined) resolve(address);
        });
        server.once('exit', () => reject(new Error(`the server ended: ${seen}`)));
      });
      const config = join(dir, 'syncer.conf');
      await writeFile(config, `${remoteLines('s', endpoint).join('\n')}\n`);
      const trace = join(dir, 'trace');
      const hook = join(root, 'scripts/house/trace-hook.ts');
      await ended(
        spawn(
          process.execPath,
          [
            '--disable-warning=ExperimentalWarning',
            '--import',
            hook,
            main,
            ...transfer.args,
            '--config',
            config,
          ],
          {
            cwd: dir,
            env: { ...env, HOUSE_TRACE: trace },
            stdio: 'inherit',
          },
        ),
      );
      return countHops(await readFile(trace, 'utf8'), transfer.first, transfer.last);
    } finally {
      const gone = ended(server).catch(() => undefined);
      server.kill();
      await gone;
    }
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

function ended(child: ReturnType<typeof spawn>): Promise<void> {
  return new Promise((resolve, reject) => {
    child.once('exit', (code) => (code === 0 ? resolve() : reject(new Error(`exit code ${code}`))));
  });
}
