import { mkdir, mkdtemp, open, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { obscure } from '../src/config/obscure.ts';
import { measure } from './measure.ts';
import { type BenchServer, startBenchServer } from './server/bench-server.ts';

/** The folder in which everything happens, and how it is brought into the state a row begins with. */
export type Workplace = Awaited<ReturnType<typeof openWorkplace>>;

/** Makes the folder and starts the server; `program` fills and empties buckets. */
export async function openWorkplace(folder: string | undefined, program: readonly string[]) {
  const root = await mkdtemp(join(folder ?? (await memoryFolder()), 'syncer-bench-'));
  await mkdir(join(root, 'buckets'));
  const server = await startBenchServer(join(root, 'buckets'));
  const config = join(root, 'remotes.conf');
  await writeFile(config, section('bench', server) + cryptSection(join(root, 'encrypted')));
  /** The programs' environment. */
  const env: Readonly<Record<string, string>> = {
    ...{ HOME: root, XDG_CACHE_HOME: join(root, 'cache') },
    ...{ SYNCER_CONFIG: config, RCLONE_CONFIG: config },
    ...{ AWS_ACCESS_KEY_ID: server.accessKeyId, AWS_SECRET_ACCESS_KEY: server.secretAccessKey },
    AWS_REGION: 'us-east-1',
    // Above it, rclone 1.75 sorts a listing on disk, and then requests each of its objects.
    RCLONE_LIST_CUTOFF: '10000000',
  };
  const run = (...args: string[]) =>
    measure({ command: [...program, ...args], env, figures: join(root, 'figures') });
  const emptied = async (bucket: string) => {
    await run('mkdir', bucket);
    await run('delete', bucket);
  };
  /**
   * Makes a source: `small-N` holds N files of 4 KB, `spread-N` two in each folder, `tree-N` a hundred in each, of holes
   * alone, `large-N` one of N MB.
   */
  const makeSource = (name: string) => makeFiles(join(root, name), name);
  return {
    root,
    env,
    server,
    /** Makes an empty folder of a name. */
    async empty(name: string) {
      await rm(join(root, name), { recursive: true, force: true });
      await mkdir(join(root, name));
    },
    makeSource,
    /** Makes a folder hold the same as a source. */
    async fill(name: string, source: string) {
      await makeSource(source);
      await run('sync', join(root, source), join(root, name));
    },
    emptyBucket: () => emptied('bench:bench-work'),
    emptyOther: () => emptied('bench:bench-other'),
    /** Makes a bucket hold the same as a source, which is made too. */
    async fillBucket(source: string, bucket = 'bench:bench-work', ...flags: readonly string[]) {
      await makeSource(source);
      await run('mkdir', bucket);
      await run('sync', join(root, source), bucket, '--transfers', '32', ...flags);
    },
    emptyCrypt: () => rm(join(root, 'encrypted'), { recursive: true, force: true }),
    /** Makes the encrypted remote hold the same as a source. */
    async fillCrypt(source: string) {
      await makeSource(source);
      await run('sync', join(root, source), 'crypt:');
    },
    /** Drops what syncer keeps about objects between two runs. */
    async forget() {
      for (const end of ['', '-wal', '-shm'])
        await rm(join(root, 'cache', 'syncer', `cache.db${end}`), { force: true });
    },
    /** Ends the server too. */
    async remove() {
      await server.stop();
      await rm(root, { recursive: true, force: true });
    },
  };
}

function section(name: string, server: BenchServer): string {
  return `[${name}]
type = s3
provider = Other
endpoint = ${server.endpoint}
access_key_id = ${server.accessKeyId}
secret_access_key = ${server.secretAccessKey}

`;
}

/** A remote that syncer opens through rclone. */
function cryptSection(folder: string): string {
  return `[crypt]
type = crypt
remote = ${folder}
password = ${obscure('a password')}

`;
}

async function memoryFolder(): Promise<string> {
  const isThere = await stat('/dev/shm').then(
    (found) => found.isDirectory(),
    () => false,
  );
  return isThere ? '/dev/shm' : tmpdir();
}

const DAY_S = 86_400;

/** How long files are whose name begins with these words, in bytes. */
const SMALL = 4096;
const MEDIUM = 2 * 1024 ** 2;

/** Files of a size whose content is not all the same, in folders of a thousand, written a while ago. */
async function makeFiles(dir: string, name: string): Promise<void> {
  if (await stat(dir).catch(() => undefined)) return;
  const [kind, count = '1'] = name.split('-');
  const old = Date.now() / 1000 - DAY_S;
  await mkdir(dir);
  if (kind === 'large') return makeLarge(join(dir, 'large.bin'), Number(count), old);
  if (kind === 'tree') return makeTree(dir, Number(count), old);
  const perFolder = kind === 'spread' ? 2 : 1000;
  for (let i = 0; i < Number(count); i++) {
    const folder = join(dir, `folder-${String(Math.floor(i / perFolder)).padStart(3, '0')}`);
    if (i % perFolder === 0) await mkdir(folder);
    const path = join(folder, `file-${String(i).padStart(6, '0')}.txt`);
    await writeFile(path, Buffer.alloc(kind === 'medium' ? MEDIUM : SMALL, `${i} `));
    await utimes(path, old, old);
  }
}

/** Folders of a hundred files, of which each tenth holds nine others, and each hundredth nine of those. */
async function makeTree(dir: string, count: number, timeS: number): Promise<void> {
  let path = [dir];
  for (let i = 0; i < count; i++) {
    const folder = Math.floor(i / 100);
    if (i % 100 === 0) {
      const depth = folder % 100 === 0 ? 1 : folder % 10 === 0 ? 2 : 3;
      path = [...path.slice(0, depth), `folder-${folder}`];
      await mkdir(join(...path));
    }
    const file = await open(join(...path, `file-${String(i).padStart(6, '0')}.txt`), 'w');
    await file.truncate(i);
    await file.utimes(timeS, timeS);
    await file.close();
  }
}

async function makeLarge(path: string, megabytes: number, timeS: number): Promise<void> {
  const file = await open(path, 'w');
  const block = Buffer.alloc(1024 ** 2);
  for (let i = 0; i < megabytes; i++) await file.write(block.fill(`${i} large `));
  await file.utimes(timeS, timeS);
  await file.close();
}
