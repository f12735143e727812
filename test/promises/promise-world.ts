import { mkdirSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect } from 'vitest';
import { itemsIn, pathNames } from '../servers/graph/drive-item.ts';
import { startTestGraph, type TestGraph } from '../servers/graph/start-graph.ts';
import { startTestS3, type TestS3 } from '../servers/test-s3.ts';
import { readTree, type Tree, writeTree } from '../support/file-tree.ts';
import { configureDrive } from '../support/graph-world.ts';
import {
  type Ended,
  makeSyncerWorld,
  type Running,
  type SyncerWorld,
} from '../support/run-syncer.ts';
import { section } from '../support/s3-world.ts';

/** The types of storage that a promise is kept on. */
export const STORAGES = ['a disk', 'S3', 'a drive'] as const;

/** One of `STORAGES`. */
export type Storage = (typeof STORAGES)[number];

/** A directory on one of the storages, read and written behind the program's back. */
export interface Place {
  /** Its name on a command line. */
  readonly at: string;
  /** Writes files: `path` → content, or content and second of the modification time. */
  put(files: Tree): Promise<void>;
  /** Its files: `path` → `content@second`, without those that syncer keeps for itself. */
  files(): Promise<Record<string, string>>;
  /** Its files: `path` → content. */
  contents(): Promise<Record<string, string>>;
}

/** What the tests of a file share: a world of the program, an S3 server and a drive, and places on them. */
export interface PromiseWorld {
  readonly dir: string;
  readonly s3: TestS3;
  readonly graph: TestGraph;
  readonly config: string;
  /** An empty place of its own. */
  place(storage: Storage): Place;
  /** Runs the program with words, in a text separated by spaces, in which `@` is the directory of the tests. */
  syncer(line: string, options?: RunChoice): Promise<Ended>;
  /** Starts a process for it, as for a test that ends it before its time. */
  start(line: string, options?: RunChoice): Running;
  /** Runs the program, which must end with 0. */
  done(line: string): Promise<Ended>;
}

type RunChoice = Parameters<SyncerWorld['start']>[1];

/** Starts the servers before the tests of the file, and ends them. */
export function promiseWorld(): PromiseWorld {
  let world: SyncerWorld;
  let s3: TestS3;
  let graph: TestGraph;
  let env: Record<string, string> = {};
  let count = 0;
  beforeAll(async () => {
    [world, s3, graph] = await Promise.all([makeSyncerWorld(), startTestS3(), startTestGraph()]);
    const drive = await configureDrive(world.config, graph);
    await writeFile(world.config, section(s3, 's'), { flag: 'a' });
    env = { SYNCER_CA_CERT: drive.SYNCER_CA_CERT };
  });
  afterAll(async () => {
    await Promise.all([world?.remove(), s3?.stop(), graph?.stop()]);
  });
  const words = (line: string) =>
    line.split(' ').map((word) => word.replace(/^@/, `${world.dir}/`));
  const withEnv = (options: RunChoice = {}) => ({ ...options, env: { ...env, ...options.env } });
  const syncer = (line: string, options?: RunChoice) => world.run(words(line), withEnv(options));
  const onDisk = (at: string, dir: string): Place => ({
    at,
    put: (files) => writeTree(dir, files),
    files: async () => filesOf(await readTree(dir)),
    contents: async () => contentsOf(filesOf(await readTree(dir))),
  });
  return {
    get dir() {
      return world.dir;
    },
    get config() {
      return world.config;
    },
    get s3() {
      return s3;
    },
    get graph() {
      return graph;
    },
    place(storage) {
      const name = `place${++count}`;
      switch (storage) {
        case 'a disk':
          return onDisk(join(world.dir, name), join(world.dir, name));
        case 'S3':
          // The server keeps each object as a file, with the time that the object has. In a bucket of many directories it
          // does not look for each listing whether others have changed them: each place has its own.
          mkdirSync(join(s3.root, `b-${name}`));
          return onDisk(`s:b-${name}/${name}`, join(s3.root, `b-${name}`, name));
        case 'a drive': {
          const files = async () => driveFiles(graph, name);
          return {
            at: `d:${name}`,
            put: async (tree) => putOnDrive(graph, name, tree),
            files,
            contents: async () => contentsOf(await files()),
          };
        }
      }
    },
    start: (line, options) => world.start(words(line), withEnv(options)),
    syncer,
    async done(line) {
      const ended = await syncer(line);
      expect(ended.code, ended.stderr).toBe(0);
      return ended;
    },
  };
}

/** Every pair of a source and a destination of which one is a disk, and one pair for each other storage. */
export const WAYS: readonly (readonly [from: Storage, to: Storage])[] = [
  ['a disk', 'a disk'],
  ['a disk', 'S3'],
  ['S3', 'a disk'],
  ['S3', 'S3'],
  ['a disk', 'a drive'],
  ['a drive', 'a disk'],
  ['a drive', 'S3'],
];

function filesOf(tree: Record<string, string> | undefined): Record<string, string> {
  const own = /(^|\/)\.syncer-(trash|s3)(\/|$)/;
  const found = Object.entries(tree ?? {});
  return Object.fromEntries(found.filter(([path]) => !path.endsWith('/') && !own.test(path)));
}

function contentsOf(files: Record<string, string>): Record<string, string> {
  const found = Object.entries(files);
  return Object.fromEntries(found.map(([path, file]) => [path, file.replace(/@\d+$/, '')]));
}

function putOnDrive({ drive }: TestGraph, name: string, tree: Tree): void {
  drive.mkdir(name);
  for (const [path, file] of Object.entries(tree)) {
    const [content, second] = typeof file === 'string' ? [file, 1_000_000_000] : file;
    drive.put(`${name}/${path}`, content, new Date(second * 1000));
  }
}

function driveFiles({ drive }: TestGraph, name: string): Record<string, string> {
  const root = drive.find(name);
  if (root === undefined) return {};
  const files: Record<string, string> = {};
  for (const item of itemsIn(root)) {
    if (item.content === undefined) continue;
    const path = pathNames(item).slice(1).join('/');
    const second = Math.floor(item.modified / 1000);
    files[path] = `${Buffer.concat(item.content.pieces)}@${second}`;
  }
  return filesOf(files);
}
