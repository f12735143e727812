import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writeTree } from './file-tree.ts';
import { startRedis, type TestRedis } from './redis-server.ts';
import type { Ended, Running } from './run-syncer.ts';
import { makeS3World, type S3World, section } from './s3-world.ts';

/** Of random faults and of moments at which something is killed; more with `SYNCER_TEST_SEEDS`. */
export const QUEUE_SEEDS: readonly number[] = Array.from(
  { length: Number(process.env['SYNCER_TEST_SEEDS'] ?? 1) },
  (_, i) => i + 1,
);

/** A world with a queue; `lake:bucket/a` is the source, and `copy:bucket/b` the destination. */
export interface QueueWorld extends S3World {
  readonly redis: TestRedis;
  /** Sections of a configuration in which these keys of `lake` are others. */
  sections(more?: Readonly<Record<string, string>>): string;
  /** Makes a side hold these objects besides those it has. */
  fill(side: 'a' | 'b', objects: Readonly<Record<string, string>>): Promise<void>;
  /** The contents of a side by key. */
  contents(side: 'a' | 'b'): Promise<Record<string, string>>;
  /** Starts a worker with two ranges at a time, that sends at most 150 requests a second; `url`: another way to the queue. */
  worker(flags?: readonly string[], env?: Readonly<Record<string, string>>, url?: string): Running;
  /** Starts `sync --queue --no-work` from `a` to `b`. */
  sync(flags?: readonly string[], env?: Readonly<Record<string, string>>): Running;
  /** Kills the programs that a worker has started, which ends their leases. */
  killChildren(worker: Pick<Running, 'pid'>): Promise<void>;
  /** The log of the sync and of workers that were started here, for messages of failed tests. */
  logs(): string;
}

/** Makes one. A test removes it when it is done, which ends all that was started. */
export async function makeQueueWorld(): Promise<QueueWorld> {
  const [world, redis] = await Promise.all([
    makeS3World(),
    startRedis({ appendOnly: true, tcp: true }),
  ]);
  const PAGES = { list_chunk: '20', no_check_bucket: 'true' };
  const sections = (more: Readonly<Record<string, string>> = {}) =>
    section(world.s3, 'lake', { ...PAGES, ...more }) + section(world.s3, 'copy', PAGES);
  await writeFile(world.config, sections());
  const started: Running[] = [];
  const start = (args: readonly string[], env: Readonly<Record<string, string>> = {}) => {
    const running = world.start(args, { env });
    started.push(running);
    return running;
  };
  const folder = (side: 'a' | 'b') => join(world.bucket, side);
  await Promise.all([mkdir(folder('a')), mkdir(folder('b'))]);
  return {
    ...world,
    redis,
    sections,
    fill: (side, objects) => writeTree(folder(side), objects),
    async contents(side) {
      // Without objects the server has no folder.
      await mkdir(folder(side), { recursive: true });
      const names = await readdir(folder(side), { recursive: true, withFileTypes: true });
      const files = names
        .filter((one) => one.isFile())
        .map((one) => join(one.parentPath, one.name));
      const texts = await Promise.all(files.map((file) => readFile(file, 'utf8')));
      return Object.fromEntries(
        files.map((file, i) => [file.slice(folder(side).length + 1), texts[i] ?? '']),
      );
    },
    worker: (flags = [], env = {}, url = redis.url) =>
      start(['worker', url, '--slots', '2', '--tpslimit', '150', ...flags], env),
    sync: (flags = [], env = {}) =>
      start(
        [
          ...['sync', 'lake:bucket/a', 'copy:bucket/b', '--queue', redis.url, '--no-work'],
          ...['--retries', '2', ...flags],
        ],
        env,
      ),
    async killChildren(worker) {
      killAll(await childrenOf(worker), 'SIGKILL');
    },
    logs: () => started.map(({ seen }) => seen.stderr).join('\n--\n'),
    async remove() {
      for (const one of started) await killTree(one, 'SIGKILL');
      await Promise.all(started.map(({ ended }) => ended));
      await redis.stop();
      await world.remove();
    },
  };
}

/** Sends a signal to a worker and to the programs that it has started. */
export async function killTree(worker: Pick<Running, 'pid'>, signal: NodeJS.Signals) {
  const children = await childrenOf(worker);
  killAll([worker.pid, ...children], signal);
}

async function childrenOf({ pid }: Pick<Running, 'pid'>): Promise<readonly number[]> {
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '');
  return children.split(' ').map(Number);
}

function killAll(pids: readonly number[], signal: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      if (pid > 0) process.kill(pid, signal);
    } catch {
      // It has ended.
    }
  }
}

/** Objects `PREFIX0001` and so on, with contents that have their number. */
export function objectsNamed(prefix: string, from: number, to: number): Record<string, string> {
  return Object.fromEntries(
    Array.from({ length: to - from }, (_, i) => [
      `${prefix}${String(from + i).padStart(4, '0')}`,
      `${prefix} ${from + i}`,
    ]),
  );
}

/** How a sync ended, for `expect`, with the logs if it did not end as it should. */
export function outcome({ code }: Ended, world: QueueWorld, wanted: number): unknown {
  return code === wanted ? code : `exit ${code}: ${world.logs()}`;
}
