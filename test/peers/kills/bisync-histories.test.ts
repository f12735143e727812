import { spawn, spawnSync } from 'node:child_process';
import { appendFile, mkdtemp, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import type { Remote } from '../../../src/core/remote.ts';
import type { Fault } from '../../servers/fault.ts';
import { startTestGraph, type TestGraph } from '../../servers/graph/start-graph.ts';
import { startTestS3, type TestS3 } from '../../servers/test-s3.ts';
import { pick, playHistory, type Random } from '../../support/bisync-history.ts';
import { configureDrive } from '../../support/graph-world.ts';
import { openDrive } from '../../support/open-drive.ts';
import { OP, openS3 } from '../../support/open-s3.ts';
import { randomFrom } from '../../support/random-from.ts';
import { section } from '../../support/s3-world.ts';
import { newFolder, openLocal } from '../../unit/backends/local/local-world.ts';

/** Histories of each pair, and the seed of the first. */
const SEEDS = Number(process.env['BISYNC_SEEDS'] ?? 1);
const FIRST = Number(process.env['BISYNC_SEED'] ?? 1);
const ROUNDS = 4;
const program = resolve(import.meta.dirname, '../../../dist/syncer.js');

/** A module that kills the process before it changes a directory, or sends something, for the nth time. */
const KILLER = `
import fs from 'node:fs';
import net from 'node:net';
import { syncBuiltinESMExports } from 'node:module';
let left = Number(process.env.KILL_AT);
const counted = (object, name) => {
  const real = object[name];
  object[name] = function (...args) {
    if (left-- <= 0) process.kill(process.pid, 'SIGKILL');
    return real.apply(this, args);
  };
};
for (const name of ['renameSync', 'unlinkSync', 'mkdirSync', 'rmdirSync', 'writeSync']) counted(fs, name);
for (const name of ['rename', 'unlink', 'mkdir', 'rmdir']) counted(fs.promises, name);
counted(net.Socket.prototype, 'write');
syncBuiltinESMExports();
`;
const KILLING = `--import data:text/javascript,${encodeURIComponent(KILLER)}`;

let s3: TestS3;
let graph: TestGraph;
let home: string;
let env: NodeJS.ProcessEnv;
let count = 0;

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'syncer-histories-'));
  [s3, graph] = await Promise.all([startTestS3(), startTestGraph()]);
  const config = join(home, 'syncer.conf');
  env = { PATH: process.env['PATH'], HOME: home, ...(await configureDrive(config, graph)) };
  await appendFile(config, section(s3, 's'));
});
afterAll(async () => {
  await Promise.all([s3.stop(), graph.stop(), rm(home, { recursive: true })]);
});

/** A side: how a command line names it, and the remote through which users change it. */
interface SideOfTest {
  readonly name: string;
  readonly remote: Remote;
}

const KINDS = {
  async disk(): Promise<SideOfTest> {
    const { remote, dir } = openLocal();
    return { name: dir, remote };
  },
  async bucket(): Promise<SideOfTest> {
    const root = `histories/${++count}`;
    const { remote } = await openS3(s3, root);
    await remote.makeDir('', OP);
    return { name: `s:${root}`, remote };
  },
  async drive(): Promise<SideOfTest> {
    const root = `histories/${++count}`;
    const { remote } = await openDrive(graph, root);
    await remote.makeDir('', OP);
    return { name: `d:${root}`, remote };
  },
};

/** Runs the program; `null` if it was killed. */
function syncer(words: readonly string[], more: NodeJS.ProcessEnv = {}) {
  return new Promise<{ code: number | null; stderr: string }>((done) => {
    const child = spawn(process.execPath, [program, ...words], { env: { ...env, ...more } });
    let stderr = '';
    child.stderr.on('data', (chunk) => {
      stderr += chunk;
    });
    child.once('close', (code) => done({ code, stderr }));
  });
}

/** Disturbs a run. Resolves to what it did. */
type Disturb = (
  random: Random,
  run: (more: NodeJS.ProcessEnv) => Promise<unknown>,
) => Promise<string>;

let kills = 0;

const kill: Disturb = async (random, run) => {
  const at = random(100);
  const isKilled = (await run({ NODE_OPTIONS: KILLING, KILL_AT: `${at}` })) === 'killed';
  if (isKilled) kills++;
  return isKilled ? `killed at ${at}` : `came to its end before ${at}`;
};

async function play(
  seed: number,
  [a, b]: readonly [SideOfTest, SideOfTest],
  [isApart, padding]: readonly [boolean, number],
  disturb: Disturb,
): Promise<void> {
  await playHistory(seed, ROUNDS, async (random) => {
    const log: string[] = [];
    const rule = pick(random, ['none', 'newer', 'older', 'path1', 'path2']);
    const flags = ['--force', '-v', '--retries=1', '--low-level-retries=1'];
    const words = ['bisync', a.name, b.name, `--conflict-resolve=${rule}`, ...flags];
    const run = async (more: NodeJS.ProcessEnv) => {
      const { code, stderr } = await syncer(words, more);
      const told = stderr.split('\n').filter((line) => /path[12]|Copied|Deleted|ERROR/.test(line));
      log.push(...told);
      if (code === null) return 'killed';
      return code === 0 ? undefined : (told.at(-1) ?? `exit code ${code}`);
    };
    return {
      ...{ sides: [a.remote, b.remote], isApart, padding, log },
      mayCollide: () => false,
      quiet: () => run({}),
      async disturbed(random) {
        log.push(await disturb(random, run));
      },
    };
  });
}

const pairs = [
  ['disk', 'disk'],
  ['disk', 'bucket'],
  ['disk', 'drive'],
  ['bucket', 'bucket'],
  ['bucket', 'drive'],
  ['drive', 'drive'],
] as const;

test.each(pairs)(
  'no content is lost by kills: %s and %s',
  { timeout: 60_000 + SEEDS * 120_000 },
  async (first, second) => {
    for (let seed = FIRST; seed < FIRST + SEEDS; seed++) {
      const sides = [await KINDS[first](), await KINDS[second]()] as const;
      const isApart = first === 'bucket' && second === 'bucket';
      await play(seed, sides, [isApart, 0], kill);
    }
  },
);

test('runs were killed', () => {
  expect(kills).toBeGreaterThan(0);
});

const FAULTS: readonly Fault[] = [
  { status: 500 },
  { status: 503, code: 'SlowDown', retryAfter: 0 },
  { status: 429, retryAfter: 0 },
  { status: 403, code: 'QuotaExceeded' },
  { status: 507, code: 'quotaLimitReached' },
  ...(['before', 'after', 'in-body'] as const).map((reset) => ({ reset, afterBytes: 3 })),
  { truncate: true, afterBytes: 5 },
];

let faults = 0;

test.each(pairs.slice(1))(
  'no content is lost by servers that fail: %s and %s',
  { timeout: 60_000 + SEEDS * 120_000 },
  async (first, second) => {
    for (let seed = FIRST; seed < FIRST + SEEDS; seed++) {
      const sides = [await KINDS[first](), await KINDS[second]()] as const;
      const isApart = first === 'bucket' && second === 'bucket';
      await play(seed, sides, [isApart, 0], async (random, run) => {
        const [share, ofFaults] = [3 + random(12), randomFrom(1 + random(1_000_000))];
        const kinds = [FAULTS, [pick(random, FAULTS)]][random(2)] as readonly Fault[];
        const rule = () => {
          if (ofFaults(share) > 0) return undefined;
          faults++;
          return pick(ofFaults, kinds);
        };
        s3.setFaults(rule);
        graph.setFaults(rule);
        const told = await run({});
        s3.setFaults(undefined);
        graph.setFaults(undefined);
        return `one of ${share} requests fails: ${told}`;
      });
    }
  },
);

test('requests failed', () => {
  expect(faults).toBeGreaterThan(0);
});

const mayMount = process.getuid?.() === 0 && spawnSync('mount', ['--version']).status === 0;

/** A file system in memory, and how its size is changed, in bytes. */
function smallDisk() {
  const dir = newFolder();
  const mount = (options: string) =>
    spawnSync('mount', ['-t', 'tmpfs', '-o', options, 'syncer', dir]).status === 0;
  if (!mount('size=16m')) return undefined;
  onTestFinished(() => void spawnSync('umount', ['-l', dir]));
  const resize = (size: number) => spawnSync('mount', ['-o', `remount,size=${size}`, dir]);
  return { dir, resize };
}

test.skipIf(!mayMount).each(['disk', 'bucket', 'drive'] as const)(
  'no content is lost by a full disk: %s',
  { timeout: 60_000 + SEEDS * 120_000 },
  async (other) => {
    for (let seed = FIRST; seed < FIRST + SEEDS; seed++) {
      const disk = smallDisk();
      if (disk === undefined) return;
      const { dir, resize } = disk;
      const full = { name: dir, remote: openLocal({}, dir).remote };
      const sides = [await KINDS[other](), full] as const;
      await play(seed, sides, [false, 10_000], async (random, run) => {
        const { blocks, bfree, bsize } = await statfs(dir);
        resize((blocks - bfree + random(4)) * bsize);
        const told = await run({});
        resize(16 * 1024 ** 2);
        return `full disk: ${told}`;
      });
    }
  },
);
