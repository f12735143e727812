import type { ChildProcess } from 'node:child_process';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { remoteLines, startServer } from './demo/local-server.ts';
import { openScreen } from './demo/screen.ts';
import { Stage } from './demo/stage.ts';

/**
 * `npm run demo:workers`: one sync between two buckets, shared by three workers on this machine, one of which is killed
 * while it copies. Starts a Redis, an S3 server and the workers in a folder that is gone afterwards, and proves that
 * both buckets are equal.
 */
const root = resolve(import.meta.dirname, '..');
const program = [process.execPath, process.argv[2] ?? join(root, 'dist/syncer.js')];
const screen = openScreen(process.stdout, process.env);
const stage = await Stage.open();

/** Objects of the source and their size in bytes, and objects that only the destination has. */
const [OBJECTS, SIZE, EXTRA] = [1_200, 32 * 1024, 100];

await stage.play(play);

async function play(): Promise<void> {
  screen.heading('Build');
  await stage.run([process.execPath, join(root, 'scripts/build.ts')]);

  screen.heading('A queue: Redis on a Unix socket');
  const queue = await startRedis();

  screen.heading('An S3 server with two buckets');
  await writeBuckets();
  const endpoint = await startServer(stage, program);
  await writeConfig(endpoint);
  screen.say(`lake:data has ${OBJECTS} objects, copy:copies has ${EXTRA} others`);

  screen.heading('Three workers');
  const words = ['worker', queue, '--allow', 'lake:data -> copy:copies', '--bwlimit', '2M'];
  screen.command(`syncer ${words.join(' ')}    # three times`);
  const workers = [1, 2, 3].map(() => stage.start([...program, ...words], () => {}));

  screen.heading('One sync, which only watches them');
  const sync = ['sync', 'lake:data', 'copy:copies', '--queue', queue, '--no-work', '--stats', '2s'];
  screen.command(`syncer ${sync.join(' ')}`);
  const running = stage.run([...program, ...sync], () => {});
  running.catch(() => {});
  await copied(OBJECTS / 10, running);

  screen.heading('One of the workers is killed');
  await kill(workers[0]);
  await running;

  screen.heading('Prove that both buckets are equal');
  const check = ['check', 'lake:data', 'copy:copies', '--download'];
  screen.command(`syncer ${check.join(' ')}`);
  await stage.run([...program, ...check]);
  screen.good('every object was copied, and extra objects were deleted');
}

async function startRedis(): Promise<string> {
  const socket = join(stage.folder, 'redis.sock');
  const words = ['--port', '0', '--unixsocket', socket, '--dir', stage.folder, '--save', ''];
  const settings = ['--appendonly', 'yes', '--logfile', join(stage.folder, 'redis.log')];
  screen.command('redis-server --port 0 --unixsocket redis.sock --appendonly yes');
  const server = stage.start(['redis-server', ...words, ...settings]);
  let failure: string | undefined;
  server.once('error', () => {
    failure = 'redis-server is not installed; run: apt-get install redis-server';
  });
  server.once('exit', (code) => {
    failure ??= `redis-server ended (exit ${code})`;
  });
  while (!(await answers(socket))) {
    if (failure !== undefined) throw new Error(failure);
    await sleep(20);
  }
  return `unix:${socket}`;
}

function answers(socket: string): Promise<boolean> {
  return new Promise((done) => {
    const link = connect(socket, () => {
      link.destroy();
      done(true);
    });
    link.once('error', () => done(false));
  });
}

async function writeBuckets(): Promise<void> {
  const files = [
    ...Array.from({ length: OBJECTS }, (_, i) => `data/${i % 30}/object-${i}`),
    ...Array.from({ length: EXTRA }, (_, i) => `copies/${i % 30}/extra-${i}`),
  ];
  for (const path of files) {
    const target = join(stage.folder, 'store', path);
    await mkdir(resolve(target, '..'), { recursive: true });
    await writeFile(target, Buffer.alloc(SIZE, `${path}\n`));
  }
}

async function writeConfig(endpoint: string): Promise<void> {
  const text = ['lake', 'copy'].flatMap((name) => remoteLines(name, endpoint)).join('\n');
  await writeFile(join(stage.folder, 'syncer.conf'), `${text}\n`, { mode: 0o600 });
}

/** Waits until this many objects were copied. */
async function copied(count: number, running: Promise<void>): Promise<void> {
  let hasEnded = false;
  const end = () => {
    hasEnded = true;
  };
  running.then(end, end);
  for (;;) {
    const names = await readdir(join(stage.folder, 'store/copies'), { recursive: true });
    if (names.filter((name) => name.includes('/object-')).length >= count) return;
    if (hasEnded) throw new Error('the run ended before a worker was killed');
    await sleep(100);
  }
}

/** Kills a worker with the programs it has started, as a power cut. */
async function kill(worker: ChildProcess | undefined): Promise<void> {
  const pid = worker?.pid ?? 0;
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '');
  const pids = [pid, ...children.trim().split(' ').map(Number)].filter((one) => one > 0);
  screen.command(`kill -9 ${pids.join(' ')}`);
  for (const one of pids) process.kill(one, 'SIGKILL');
}
