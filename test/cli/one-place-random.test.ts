import { execFileSync } from 'node:child_process';
import {
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestS3, type TestS3 } from '../servers/test-s3.ts';
import { type Forward, forwardTo } from '../support/forward-to.ts';
import { ALL } from '../support/in-part.ts';
import { canMount } from '../support/mount-disk.ts';
import { randomFrom } from '../support/random-from.ts';
import { runInProcess } from '../support/run-in-process.ts';
import { section } from '../support/s3-world.ts';

const ROUNDS = ALL ? 30 : 12;

/** Directories of a round's place, which any two names may mean. */
const DIRS = ['x', 'x/p', 'x/p/q', 'y', 'y/p', 'new'];

const FLAGS = [
  '--checksum',
  '--ignore-times',
  '--no-traverse',
  '--no-check-dest',
  '--copy-links',
  '--delete-before',
  '--delete-excluded',
  '--disable=Move,Copy,DirMove',
  '--track-renames',
  '--fast-list',
  '--create-empty-src-dirs',
];

let base: string;
let s3: TestS3;
let behind: Forward;

beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), 'syncer-test-place-'));
  s3 = await startTestS3();
  behind = await forwardTo(Number(new URL(s3.endpoint).port));
  const other = { ...s3, endpoint: behind.endpoint };
  const sections = [section(s3, 's'), section(s3, 't'), section(other, 'u')];
  await writeFile(join(base, 'syncer.conf'), sections.join(''));
});
afterAll(async () => {
  behind.close();
  await s3.stop();
  await rm(base, { recursive: true, force: true });
});

/** What all files below a folder hold. */
async function contentsIn(folder: string): Promise<Set<string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const files = entries.filter((entry) => entry.isFile());
  return new Set(
    await Promise.all(files.map((file) => readFile(join(file.parentPath, file.name), 'utf8'))),
  );
}

test.each(Array.from({ length: ROUNDS }, (_, seed) => seed))(
  'whatever two names mean, nothing of the source is lost: seed %i',
  async (seed) => {
    const random = randomFrom(seed);
    const pick = <T>(all: readonly T[]): T => all[random(all.length)] as T;
    const bucket = `round${seed}`;
    const root = join(s3.root, bucket);
    for (let n = 0; n < 12; n++) {
      const dir = pick(DIRS.slice(0, -1));
      // Names that are in all directories, and names that are in one.
      const name = dir.startsWith('y') && n % 2 === 0 ? `f${n - 1}` : `f${n}`;
      await mkdir(join(root, dir), { recursive: true });
      await writeFile(join(root, dir, name), `${seed} ${dir} ${n}`);
      await utimes(join(root, dir, name), n, n);
    }
    const names = [root, `s:${bucket}`, `t:${bucket}`, `u:${bucket}`, join(base, `link${seed}`)];
    await symlink(root, join(base, `link${seed}`));
    const bound = join(base, `bound${seed}`);
    if (canMount) {
      await mkdir(bound);
      execFileSync('mount', ['--bind', root, bound]);
      names.push(bound);
    }
    try {
      for (let run = 0; run < 3; run++) {
        const [from, to] = [pick(DIRS), pick(DIRS)];
        const command = pick(['move', 'move', 'sync', 'copy']);
        const flags = FLAGS.filter(() => random(100) < 15);
        if (random(5) === 0) flags.push('--backup-dir', join(pick(names), pick(DIRS)));
        if (random(5) === 0) flags.push('--exclude', `/${pick(['p', 'q'])}/**`);
        const line = [command, join(pick(names), from), join(pick(names), to), ...flags];
        const before = await contentsIn(join(root, from));
        // What a copy writes over is gone, also where it is the source's; so is what a sync may delete as a filter
        // keeps the source out of it.
        const isIn = to.startsWith(`${from}/`) && flags.includes('--exclude');
        const mayGo = command === 'copy' || (command === 'sync' && isIn);
        const over = mayGo ? await contentsIn(join(root, to)) : new Set<string>();
        const { code, stderr } = await runInProcess([...line, '--retries', '1'], {
          PATH: process.env['PATH'],
          HOME: base,
          SYNCER_CONFIG: join(base, 'syncer.conf'),
        });
        const after = await contentsIn(root);
        const lost = [...before].filter((content) => !after.has(content) && !over.has(content));
        expect({ lost, line, code, stderr }).toEqual({ lost: [], line, code, stderr });
      }
    } finally {
      if (canMount) execFileSync('umount', ['-l', bound]);
      await rm(join(base, `link${seed}`));
    }
  },
);
