import {
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  rm,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startTestGraph } from '../servers/graph/start-graph.ts';
import { startTestS3 } from '../servers/test-s3.ts';
import { configureDrive } from './graph-world.ts';
import { type EndedInProcess, runInProcess } from './run-in-process.ts';
import { section } from './s3-world.ts';

/** The types of storage on which runs are undone. */
export const UNDO_STORAGES = [
  'local',
  'S3 without versions',
  'S3 with versions',
  'personal drive',
  'business drive',
] as const;

/** One of `UNDO_STORAGES`. */
export type UndoStorage = (typeof UNDO_STORAGES)[number];

/** A place for one trial: a folder, and two directories of the storage beside each other. */
export interface UndoPlace {
  /** A folder on the disk, for sources. */
  readonly dir: string;
  readonly at: string;
  readonly beside: string;
  /** Of the program with a history of its own, also in another process. */
  readonly env: NodeJS.ProcessEnv;
  /** Runs the program with a history of its own. */
  run(...words: string[]): Promise<EndedInProcess>;
  /** As `run`; also returns the ID of the run if it changed something. */
  change(...words: string[]): Promise<EndedInProcess & { readonly id: string | undefined }>;
  /** Everything in the sources and in both directories: a line each with content, time and metadata. */
  held(): Promise<readonly string[]>;
  remove(): Promise<void>;
}

/** A storage with places for trials. */
export interface UndoWorld {
  place(): Promise<UndoPlace>;
  stop(): Promise<void>;
}

/** Starts what a storage needs. */
export async function makeUndoWorld(storage: UndoStorage): Promise<UndoWorld> {
  const base = await mkdtemp(join(tmpdir(), 'syncer-undo-'));
  const server = await startServer(storage, base);
  let count = 0;
  return {
    async place() {
      const dir = join(base, `${++count}`);
      await mkdir(dir);
      const state = join(dir, 'state');
      const env = { HOME: base, XDG_STATE_HOME: state, ...server.env };
      const [at, beside] = await server.newPlace(count, dir, (...words) =>
        runInProcess(words, env),
      );
      const ids = (): Promise<readonly string[]> =>
        readdir(join(state, 'syncer/runs')).catch(() => []);
      const run = (...words: string[]) => runInProcess(words, env);
      return {
        ...{ dir, at, beside, env, run },
        async change(...words) {
          const before = await ids();
          const ended = await run(...words);
          return { ...ended, id: (await ids()).find((id) => !before.includes(id)) };
        },
        async held() {
          const found = await Promise.all([
            // Whether a server keeps its files in them is tried with files in its directories.
            diskLines(join(dir, 'new'), storage === 'local'),
            ...[at, beside].map((spec) =>
              spec.startsWith('/') ? diskLines(spec, true) : remoteLines(spec, run),
            ),
          ]);
          return found.flat();
        },
        remove: () => rm(dir, { recursive: true, force: true }),
      };
    },
    async stop() {
      await server.stop();
      await rm(base, { recursive: true, force: true });
    },
  };
}

interface Server {
  readonly env: NodeJS.ProcessEnv;
  newPlace(
    n: number,
    dir: string,
    run: (...words: string[]) => Promise<EndedInProcess>,
  ): Promise<readonly [at: string, beside: string]>;
  stop(): Promise<void>;
}

async function startServer(storage: UndoStorage, base: string): Promise<Server> {
  const config = join(base, 'syncer.conf');
  const env = { SYNCER_CONFIG: config };
  switch (storage) {
    case 'local':
      await writeFile(config, '');
      return {
        env,
        newPlace: async (_n, dir) => [join(dir, 'at'), join(dir, 'beside')],
        stop: async () => {},
      };
    case 'S3 without versions':
    case 'S3 with versions': {
      const s3 = await startTestS3();
      await writeFile(config, section(s3, 's'));
      return {
        env,
        async newPlace(n, _dir, run) {
          await run('mkdir', `s:bucket${n}`);
          if (storage === 'S3 with versions')
            await run('backend', 'versioning', `s:bucket${n}`, 'Enabled');
          return [`s:bucket${n}/at`, `s:bucket${n}/beside`];
        },
        stop: () => s3.stop(),
      };
    }
    case 'personal drive':
    case 'business drive': {
      const type = storage === 'personal drive' ? 'personal' : 'business';
      const graph = await startTestGraph({ drives: [{ type }] });
      const drive = await configureDrive(config, graph);
      return {
        env: { ...env, ...drive },
        newPlace: async (n) => [`d:${n}/at`, `d:${n}/beside`],
        stop: () => graph.stop(),
      };
    }
  }
}

/** What is on a disk below `root`, without the trash: a line each with content, time and mode. */
async function diskLines(root: string, withDirTimes = true): Promise<readonly string[]> {
  const lines: string[] = [];
  const visit = async (path: string): Promise<void> => {
    const status = await lstat(path, { bigint: true }).catch(() => undefined);
    if (status === undefined) return;
    const time = `${status.mtimeNs} ${(status.mode & 0o7777n).toString(8)}`;
    if (status.isSymbolicLink()) lines.push(`${path} -> ${await readlink(path)}`);
    else if (status.isFile()) lines.push(`${path} ${time} ${await readFile(path, 'utf8')}`);
    else {
      lines.push(`${path}/ ${withDirTimes ? time : ''}`);
      for (const name of (await readdir(path)).sort())
        if (name !== '.syncer-trash') await visit(join(path, name));
    }
  };
  await visit(root);
  return lines;
}

async function remoteLines(
  spec: string,
  run: (...words: string[]) => Promise<EndedInProcess>,
): Promise<readonly string[]> {
  const flags = ['-R', '-M', '--hash', '--no-index', '--no-hash-cache'];
  const { code, stdout, stderr } = await run('lsjson', spec, ...flags);
  if (code === 3) return [];
  if (code !== 0) throw new Error(stderr);
  const entries = JSON.parse(stdout) as readonly Record<string, unknown>[];
  return entries
    .map(({ ID: _id, Metadata: metadata, ...entry }) => {
      const kept = Object.entries((metadata ?? {}) as object).filter(
        ([key]) => !OF_SERVER.has(key),
      );
      return `${spec} ${JSON.stringify({ ...entry, metadata: Object.fromEntries(kept) })}`;
    })
    .sort();
}

/** Metadata that the server sets with each change. */
const OF_SERVER = new Set(['id', 'btime', 'utime', 'etag']);
