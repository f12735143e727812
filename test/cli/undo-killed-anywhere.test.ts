import { mkdir, readdir, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { writeTree } from '../support/file-tree.ts';
import { makeSyncerWorld } from '../support/run-syncer.ts';
import { diskLines } from '../support/undo-world.ts';

/** Every how many writes a run is killed; 1: at each. */
const STEP = Number(process.env['KILL_STEP'] ?? 11);

/** A module that kills the process at a write to the journal: before it, in the middle, or after it. */
const KILLER = `
import fs from 'node:fs';
const [n, how] = process.env.KILL_AT.split(' ');
const { openSync, writeSync } = fs;
const journals = new Set();
let count = 0;
fs.openSync = (path, ...rest) => {
  const fd = openSync(path, ...rest);
  if (String(path).endsWith('journal.jsonl')) journals.add(fd);
  return fd;
};
fs.writeSync = (fd, bytes, ...rest) => {
  const dies = journals.has(fd) && ++count === Number(n);
  if (dies && how === 'before') process.kill(process.pid, 'SIGKILL');
  if (dies && how === 'torn') writeSync(fd, bytes.subarray(0, bytes.length / 2));
  if (dies && how === 'torn') process.kill(process.pid, 'SIGKILL');
  const written = writeSync(fd, bytes, ...rest);
  if (dies) process.kill(process.pid, 'SIGKILL');
  return written;
};
`;
const killing = (n: number, how: string) => ({
  NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(KILLER)}`,
  KILL_AT: `${n} ${how}`,
});

/** Both sides of a sync with deletions, replacements, new files, and names that change between file and directory. */
async function plant(dir: string): Promise<void> {
  const old = { a: 'old', b: 'gone', 'd/x': 'old x', 'd/gone/y': 'y', t: 'file', 'u/v': 'w' };
  const next = { a: 'newer', c: 'c', 'd/x': 'newer x', 'e/f/g': 'g', 't/in': 'dir', u: 'file' };
  await writeTree(join(dir, 'to'), { ...old, 'none/': '', 'moved/m': ['same content', 500] });
  await writeTree(join(dir, 'new'), { ...next, 'renamed/m': ['same content', 500] });
  for (const name of ['to/none', 'to/moved', 'to/u', 'to/d/gone', 'to/d', 'to'])
    await utimes(join(dir, name), 1_500_000_000, 1_500_000_000);
}

const SYNC = ['sync', 'new', 'to', '--trash', '--track-renames', '--transfers=1', '--checkers=1'];

test.each(['before', 'torn', 'after'])(
  'a sync, and its undo, killed %s a write of their journals, are undone',
  async (how) => {
    let isKilled = true;
    for (let n = 1; isKilled; n += STEP) {
      const world = await makeSyncerWorld();
      try {
        const env = { XDG_STATE_HOME: join(world.dir, 'state') };
        const runs = join(env.XDG_STATE_HOME, 'syncer', 'runs');
        await mkdir(runs, { recursive: true });
        await plant(world.dir);
        const to = join(world.dir, 'to');
        const before = await diskLines(to);
        const end = await world.run(SYNC, { env: { ...env, ...killing(n, how) } });
        isKilled = end.signal === 'SIGKILL';
        expect(isKilled ? 0 : end.code, end.stderr).toBe(0);
        const [id] = await readdir(runs);
        const undo = async (more = {}) =>
          world.run(['undo', id ?? '', '--transfers=1'], { env: { ...env, ...more } });
        const first = await undo(killing(n, how));
        const undone = first.signal === 'SIGKILL' ? await undo() : first;
        const context = `${how} write ${n}: ${undone.stderr}`;
        expect(await diskLines(to), context).toEqual(before);
        // Before its first line a run has changed nothing.
        const hasNothing = undone.code === 1 && /changed nothing/.test(undone.stderr);
        expect(hasNothing ? 0 : undone.code, context).toBe(0);
      } finally {
        await world.remove();
      }
    }
  },
  3_600_000,
);
