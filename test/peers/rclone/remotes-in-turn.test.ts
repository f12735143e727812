import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestS3, type TestS3 } from '../../servers/test-s3.ts';
import { readTree, writeTree } from '../../support/file-tree.ts';
import { type GraphWorld, makeGraphWorld } from '../../support/graph-world.ts';
import { randomFrom } from '../../support/random-from.ts';
import { isRcloneNow, PROVIDER } from '../../support/rclone.ts';
import { runInProcess } from '../../support/run-in-process.ts';
import { section } from '../../support/s3-world.ts';

/**
 * Random commands on one remote, each by syncer or by rclone, and the same commands on a second remote, all by rclone.
 * After each the two programs list the first remote in the same way, and both remotes and disks hold the same.
 *
 * Environment: SEEDS walks on each kind of remote, from SEED, of STEPS commands each.
 */
const { SEED = '1', SEEDS = '1', STEPS = '15' } = process.env;

/** The remote that is used in turn, and the one that rclone alone uses. */
const KINDS: Readonly<Record<string, readonly [string, string]>> = {
  'a business drive': ['drive0:walk', 'drive1:walk'],
  'a personal drive': ['drive2:walk', 'drive3:walk'],
  'a bucket': ['s:turns', 's:alone'],
};

const HASHES = { d: 'quickxor', s: 'md5' } as const;
const DIRS = ['', 'd', 'd/e', 'odd: d?', 'Ünï', 'd/e/f'];
const NAMES = ['a.txt', 'b', 'we:ird?.txt', ' lead', 'ünï ☃.txt', '#1%+&', 'c.tar.gz', 'end.'];
const FLAGS = [
  ...[[], [], [], ['-c'], ['-u'], ['--size-only'], ['--ignore-existing'], ['--ignore-times']],
  ...[['--create-empty-src-dirs'], ['-M'], ['--track-renames'], ['--no-traverse']],
  ...[
    ['--include', '*.txt'],
    ['--exclude', '/d/**'],
    ['--max-depth', '1'],
    ['--min-size', '3B'],
  ],
  ...[['--suffix', '.old', '--suffix-keep-extension'], ['--fast-list'], ['--check-first']],
  ...[['--immutable'], ['--delete-before'], ['--name-transform', 'suffix=_s']],
];

/** A command: `L/x` is `x` on the disk of a remote, `R/x` is `x` in it. */
interface Step {
  readonly words: readonly string[];
  readonly input?: string;
}

/** A file that appears on the disk before a command. */
type NewFile = readonly [path: string, content: string, second: number];

type Dice = (below: number) => number;

function pick<T>(dice: Dice, from: readonly T[]): T {
  return from[dice(from.length)] as T;
}

const dirOf = (dice: Dice) => pick(dice, DIRS);
const pathOf = (dice: Dice) => [dirOf(dice), pick(dice, NAMES)].filter(Boolean).join('/');
const sideOf = (dice: Dice) => pick(dice, ['L', 'R', 'R'] as const);

function newFile(dice: Dice): NewFile {
  const content = 'abcdefgh'.slice(0, dice(8)).repeat(dice(6) === 0 ? 60_000 : 1);
  return [pathOf(dice), content, 1_000_000_000 + dice(5) * 1000];
}

/** The files of a disk and of a remote. */
interface Known {
  readonly L: readonly string[];
  readonly R: readonly string[];
}

function makeStep(dice: Dice, known: Known, hash: string): Step {
  const [from, to] = pick(dice, [
    ['L', 'R'],
    ['L', 'R'],
    ['R', 'L'],
    ['R', 'R'],
    ['R', 'R'],
  ] as const);
  const there = (side: 'L' | 'R') =>
    known[side].length > 0 && dice(8) > 0 ? pick(dice, known[side]) : pathOf(dice);
  const side = sideOf(dice);
  const dir = dirOf(dice);
  const trees = [`${from}/${dir}`, `${to}/${dice(2) === 0 ? dir : dirOf(dice)}`];
  const files = [`${from}/${there(from)}`, `${to}/${dice(2) === 0 ? there(to) : pathOf(dice)}`];
  const flags = pick(dice, FLAGS);
  const within = `${side}/${dir}`;
  const one = `${side}/${there(side)}`;
  // rclone makes the directory of the destination before it finds that there is nothing to move.
  const held = known[from].some((path) => dir === '' || path.startsWith(`${dir}/`));
  const move = held ? 'move' : 'copy';
  const moveto = known[from].includes(files[0]?.slice(2) ?? '') ? 'moveto' : 'copyto';
  const steps: readonly (readonly string[])[] = [
    ['copy', ...trees, ...flags],
    ['copy', ...trees, ...flags],
    ['copy', ...trees, '--no-check-dest'],
    ['sync', ...trees, ...flags],
    [move, ...trees, ...flags],
    [move, ...trees, '--delete-empty-src-dirs'],
    ['copyto', ...files, ...flags],
    [moveto, ...files, ...flags],
    ['copy', ...trees, '--backup-dir', `${to}/bak${dice(3)}`],
    ['mkdir', within],
    ['rmdir', within],
    ['rmdirs', within, '--leave-root'],
    ['delete', within, ...pick(dice, [['--include', '*.txt'], ['--rmdirs'], []])],
    ['deletefile', one],
    ['purge', `R/${pick(dice, DIRS.slice(1))}`],
    ['touch', one, '-t', `201${dice(9)}-01-02T03:04:05`],
    ['touch', one, '-C', '-t', '2005-01-02'],
    ['rcat', one],
    ['check', ...trees, '--checksum', '--combined', '-'],
    ['lsf', within, '-R', '--files-only', '--format', 'ps'],
    ['hashsum', hash, within],
    ['cat', one],
    ['size', within, '--json'],
  ];
  const words = pick(dice, steps);
  return words[0] === 'rcat' ? { words, input: 'x'.repeat(dice(9)) } : { words };
}

let world: GraphWorld;
let s3: TestS3;

beforeAll(async () => {
  const drives = ['business', 'business', 'personal', 'personal'] as const;
  [world, s3] = await Promise.all([
    makeGraphWorld({ drives: drives.map((type) => ({ type })) }),
    startTestS3(),
  ]);
  await appendFile(world.config, section(s3, 's', PROVIDER));
});
afterAll(() => Promise.all([world.remove(), s3.stop()]));

/** Runs a command by one of the programs on a remote and its disk. */
async function run(who: 'syncer' | 'rclone', remote: string, { words, input = '' }: Step) {
  const disk = diskOf(remote);
  const argv = words.map((word) => word.replace(/^L\//, `${disk}/`).replace(/^R\//, `${remote}/`));
  if (who === 'rclone') {
    const { code, stdout, stderr } = await world.rclone(argv, input);
    return { code, stdout: stdout.toString(), stderr };
  }
  const { graphUrl } = world.graph;
  const env = { SYNCER_CONFIG: world.config, HOME: world.dir, TZ: 'UTC' };
  const url = ['--onedrive-graph-url', graphUrl, '--retries', '1'];
  return runInProcess([...argv, ...url], env, { input });
}

const diskOf = (remote: string) => join(world.dir, remote.replaceAll(':', ''));

interface Listed {
  readonly Path: string;
  readonly ModTime: string;
  readonly IsDir: boolean;
  readonly Hashes?: Readonly<Record<string, string>>;
  readonly Metadata?: Readonly<Record<string, string>>;
}

/** All that a remote holds, sorted. */
async function list(who: 'syncer' | 'rclone', remote: string): Promise<Listed[]> {
  const { code, stdout, stderr } = await run(who, remote, {
    words: ['lsjson', '-R', '--hash', '-M', 'R/'],
  });
  expect([code, stderr], `lsjson by ${who}`).toEqual([0, '']);
  const entries: Listed[] = JSON.parse(stdout);
  const isDrive = remote.startsWith('drive');
  return entries
    .map((entry) => (isDrive ? entry : withoutMeant(entry)))
    .sort((a, b) => (a.Path < b.Path ? -1 : 1));
}

/** Without what docs/rclone.md lists for S3: times of prefixes, the standard tier. */
function withoutMeant({ Metadata: { tier: _, ...Metadata } = {}, ...entry }: Listed): Listed {
  return { ...entry, Metadata, ModTime: entry.IsDir ? 'any' : entry.ModTime };
}

/** What two remotes that took the same commands have in common: no ids, and no times of their own. */
function common(entries: readonly Listed[], begun: number) {
  return entries.map(({ Path, ModTime, IsDir, Hashes }) => {
    const time = Date.parse(ModTime);
    return [Path, IsDir, Hashes, time > begun ? 'now' : ModTime];
  });
}

/** What a disk holds, with `now` for the times of what was written by the test. */
async function disk(remote: string, begun: number) {
  const found = Object.entries((await readTree(diskOf(remote))) ?? {});
  return found
    .map(([path, text]) => {
      const [, content, second] = /^(.*)@(\d+)$/s.exec(text) ?? ['', text, '0'];
      return [path, content, Number(second) * 1000 < begun ? second : 'now'];
    })
    .sort();
}

describe.skipIf(!isRcloneNow).each(Object.entries(KINDS))('%s', (kind, pair) => {
  const seeds = Array.from({ length: Number(SEEDS) }, (_, at) => Number(SEED) + at);

  test.each(seeds)(
    'is used in turn by syncer and rclone, seed %i',
    { timeout: 300_000 },
    async (seed) => {
      const dice = randomFrom(seed * 7919 + kind.length);
      const [turns, alone] = pair.map((each) => `${each}${seed}`) as [string, string];
      const begun = Math.floor(Date.now() / 1000 - 5) * 1000;
      const done: string[] = [];
      let stored: readonly Listed[] = [];
      await run('rclone', turns, { words: ['mkdir', 'R/'] });
      await run('rclone', alone, { words: ['mkdir', 'R/'] });
      for (let step = 0; step < Number(STEPS); step++) {
        for (let more = dice(4); more > 0; more--) {
          const [path, content, second] = newFile(dice);
          const file = { [path]: [content, second] } as const;
          await Promise.all([turns, alone].map((each) => writeTree(diskOf(each), file)));
        }
        const onDisk = Object.keys((await readTree(diskOf(turns))) ?? {});
        const known = {
          L: onDisk.filter((path) => !path.endsWith('/')).sort(),
          R: stored.filter(({ IsDir }) => !IsDir).map(({ Path }) => Path),
        };
        const command = makeStep(dice, known, HASHES[turns.startsWith('s') ? 's' : 'd']);
        const who = dice(3) === 0 ? 'rclone' : 'syncer';
        done.push(`${who}: ${JSON.stringify(command)}`);
        const ended = await run(who, turns, command);
        const expected = await run('rclone', alone, command);
        const because = `${done.join('\n')}\n${ended.stderr}\n-- rclone:\n${expected.stderr}`;
        const said = (stdout: string) => stdout.split('\n').sort();
        expect([ended.code, said(ended.stdout)], because).toEqual([
          expected.code,
          said(expected.stdout),
        ]);
        const [ours, theirs, other] = [
          await list('syncer', turns),
          await list('rclone', turns),
          await list('rclone', alone),
        ];
        stored = theirs;
        expect(ours, because).toEqual(theirs);
        expect(common(theirs, begun), because).toEqual(common(other, begun));
        expect(await disk(turns, begun), because).toEqual(await disk(alone, begun));
      }
    },
  );
});
