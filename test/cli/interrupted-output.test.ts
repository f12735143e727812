import {
  type ChildProcessWithoutNullStreams,
  execFile,
  execFileSync,
  spawn,
} from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  constants,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  writeSync,
} from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readTree, writeTree } from '../support/file-tree.ts';
import { someOf } from '../support/in-part.ts';
import { leftovers } from '../support/leftovers.ts';
import { PROGRAM } from '../support/run-syncer.ts';
import { makeS3World, type S3World } from '../support/s3-world.ts';
import { waitFor } from '../support/wait-for.ts';

let world: S3World;
beforeEach(async () => {
  world = await makeS3World();
});
afterEach(() => world.remove());

const large = 'x'.repeat(12 * 1024 ** 2);

/** Starts the program with pipes of which the test can close its end. */
function start(words: readonly string[]): ChildProcessWithoutNullStreams {
  const env = { ...process.env, SYNCER_CONFIG: world.config };
  return spawn(process.execPath, [PROGRAM, ...words], { cwd: world.dir, env });
}

test('a reader of the log that goes away ends the run in order, as if it had not been there', async () => {
  await mkdir(join(world.dir, 'src'));
  for (let i = 0; i < 50; i++)
    await writeFile(join(world.dir, `src/${i}`), large.slice(0, 100_000));
  const child = start(['copy', 'src', 'dst', '-vv', '--bwlimit', '1M', '--transfers', '4']);
  child.stdout.resume();
  await waitFor(() => leftovers(world.dir).length > 0);
  child.stderr.destroy();
  expect(await once(child, 'close')).toEqual([null, 'SIGPIPE']);
  expect(leftovers(world.dir)).toEqual([]);
  for (const [path, content] of Object.entries((await readTree(join(world.dir, 'dst'))) ?? {})) {
    expect(content.replace(/@\d+$/, ''), path).toHaveLength(100_000);
  }
});

test('a reader that goes away ends a download', async () => {
  await writeTree(world.bucket, { large });
  const child = start(['cat', 'store:bucket/large', '-vv']);
  let stderr = '';
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  child.stdout.once('data', () => child.stdout.destroy());
  expect(await once(child, 'close')).toEqual([null, 'SIGPIPE']);
  expect(stderr).not.toContain('ERROR');
});

/** Standard output as a full pipe whose reader stands still. */
function fullPipe(): number {
  const path = join(world.dir, 'pipe');
  execFileSync('mkfifo', [path]);
  const pipe = openSync(path, 'r+');
  const filler = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK);
  try {
    for (;;) writeSync(filler, 'x'.repeat(4096));
  } catch {
    // It is full.
  } finally {
    closeSync(filler);
  }
  return pipe;
}

const WAITING = [
  ['SIGINT', 130, 'lsf store:bucket'],
  ['SIGTERM', 143, 'lsf store:bucket'],
  ['SIGTERM', 143, 'cat store:bucket/large'],
  ['SIGINT', 130, 'copy store:bucket dst --combined -'],
  ['SIGTERM', 143, 'config paths'],
] as const;

test.each(someOf(WAITING, 2))(
  '%s ends with %i what waits for a reader that stands still: %s',
  async (signal, code, line) => {
    await writeTree(world.bucket, { large });
    const pipe = fullPipe();
    const child = spawn(process.execPath, [PROGRAM, ...line.split(' ')], {
      cwd: world.dir,
      env: { ...process.env, SYNCER_CONFIG: world.config },
      stdio: ['ignore', pipe, 'ignore'],
    });
    const isWriting = () =>
      /pipe_write/.test(threadsOf(child.pid ?? 0)) || existsSync(join(world.dir, 'dst/large'));
    const ended = once(child, 'exit');
    await waitFor(isWriting, ended);
    child.kill(signal);
    expect(await ended).toEqual([code, null]);
    closeSync(pipe);
    expect(leftovers(world.dir)).toEqual([]);
  },
);

/** Where in the kernel the threads of a process wait. */
function threadsOf(pid: number): string {
  const tasks = `/proc/${pid}/task`;
  try {
    return readdirSync(tasks)
      .map((task) => readFileSync(join(tasks, task, 'wchan'), 'latin1'))
      .join(' ');
  } catch {
    return '';
  }
}

const CLOSED: readonly (readonly [what: string, closing: string])[] = [
  ['standard output', '>&-'],
  ['standard error', '2>&-'],
  ['standard input', '<&-'],
  ['all three', '>&- 2>&- <&-'],
];

test.each(someOf(CLOSED, 1))('%s that was never open stops nothing', async (_what, closing) => {
  await writeTree(join(world.dir, 'src'), { a: 'content of a', large });
  const through = ['sh', '-c', `exec "$@" ${closing}`, 'sh'];
  const { code } = await world.run(['sync', 'src', 'store:bucket', '-P', '-vv'], { through });
  expect(code).toBe(0);
  expect((await world.run(['check', 'src', 'store:bucket'])).code).toBe(0);
});

describe.skipIf(!existsSync('/dev/full'))('a disk without room', () => {
  /** Runs the program with these descriptors open on a device that is always full. */
  async function runFull(
    words: readonly string[],
    full: 1 | 2,
  ): Promise<[code: number, other: string]> {
    const fd = openSync('/dev/full', 'w');
    const env = { ...process.env, SYNCER_CONFIG: world.config };
    const child = spawn(process.execPath, [PROGRAM, ...words], {
      cwd: world.dir,
      env,
      stdio: ['ignore', full === 1 ? fd : 'pipe', full === 2 ? fd : 'pipe'],
    });
    closeSync(fd);
    let other = '';
    (full === 1 ? child.stderr : child.stdout)?.on('data', (chunk: Buffer) => {
      other += chunk;
    });
    const [code] = await once(child, 'close');
    return [code, other];
  }

  beforeEach(() => writeTree(join(world.dir, 'src'), { a: 'a', 'd/b': 'b' }));

  test.each([
    ['standard error', ['copy', 'src', 'dst', '-vv'], 2 as const],
    ['a log file', ['copy', 'src', 'dst', '-vv', '--log-file', '/dev/full'], 1 as const],
  ])('for the log in %s ends nothing', async (_, words, full) => {
    const [code, other] = await runFull(words, full);
    expect(code).toBe(0);
    expect(await readTree(join(world.dir, 'dst'))).toMatchObject({ 'd/b': expect.anything() });
    if (full === 1) expect(other).toContain('cannot write the log file /dev/full');
  });

  test.each([[['lsf', 'src']], [['cat', 'src']], [['version']]])(
    'for the output of %j is an error',
    async (words) => {
      const [code, other] = await runFull(words, 1);
      expect(code).toBe(1);
      expect(other).toMatch(
        /^(.* ERROR : Failed to \w+: )?cannot write to standard output: .*no space left.*\n$/,
      );
    },
  );
});

test('a reader that is gone before it is asked for the version ends it without a word', async () => {
  const child = start(['version']);
  child.stdout.destroy();
  let told = '';
  child.stderr.on('data', (chunk: Buffer) => {
    told += chunk;
  });
  expect(await once(child, 'close')).toEqual([null, 'SIGPIPE']);
  expect(told).toBe('');
});

test('a reader of standard error that begins late gets every line', async () => {
  const files = Array.from({ length: 3000 }, (_, n) => [`f${n}`, `${n}`] as const);
  await writeTree(join(world.dir, 'many'), Object.fromEntries(files));
  await writeTree(join(world.dir, 'none'), {});
  const script = '"$@" check many none 2>&1 >/dev/null | (sleep 1; cat)';
  const { stdout } = await promisify(execFile)(
    'sh',
    ['-c', script, 'sh', process.execPath, PROGRAM],
    { cwd: world.dir, env: { PATH: process.env['PATH'], HOME: world.dir }, maxBuffer: 1 << 24 },
  );
  const lines = stdout.split('\n').filter((line) => /: f\d+: file not in /.test(line));
  expect(lines).toHaveLength(files.length);
});
