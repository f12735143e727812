import { mkdir, readdir, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { writeTree } from '../../support/file-tree.ts';
import { makeSyncerWorld } from '../../support/run-syncer.ts';
import { makeUndoWorld, UNDO_STORAGES, type UndoPlace } from '../../support/undo-world.ts';

/** Every how many writes a run is killed; 1: at each. */
const STEP = Number(process.env['KILL_STEP'] ?? 17);
/** A part of the names of the types of storage. */
const STORAGE = process.env['STORAGE'] ?? '';

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
async function plant({ dir, at, beside, run }: UndoPlace): Promise<void> {
  const old = { a: 'old', b: 'gone', 'd/x': 'old x', 'd/gone/y': 'y', t: 'file', 'u/v': 'w' };
  const next = { a: 'newer', c: 'c', 'd/x': 'newer x', 'e/f/g': 'g', 't/in': 'dir', u: 'file' };
  await writeTree(join(dir, 'old'), { ...old, 'none/': '', 'moved/m': ['same content', 500] });
  await writeTree(join(dir, 'new'), { ...next, 'renamed/m': ['same content', 500] });
  for (const name of ['old/none', 'old/moved', 'old/u', 'old/d/gone', 'old/d', 'old'])
    await utimes(join(dir, name), 1_500_000_000, 1_500_000_000);
  await writeTree(join(dir, 'there'), { a: 'older', 'd/z': 'z' });
  for (const [from, to] of [
    ['old', at],
    ['there', beside],
  ] as const) {
    const { code, stderr } = await run('copy', join(dir, from), to, ...COPY);
    expect(code, stderr).toBe(0);
  }
}

const COPY = ['--create-empty-src-dirs', '--no-history', '-M'];
const FLAGS = ['--trash', '--transfers=1', '--checkers=1'];

/** The runs that are killed. */
const COMMANDS = {
  sync: ({ dir, at }: UndoPlace) => ['sync', join(dir, 'new'), at, '--track-renames'],
  move: ({ at, beside }: UndoPlace) => ['move', at, beside, '--delete-empty-src-dirs'],
} as const;

test.each(
  UNDO_STORAGES.filter((name) => name.includes(STORAGE)).flatMap((storage) => [
    ...['before', 'torn', 'after'].map((how) => [storage, 'sync', how] as const),
    [storage, 'move', 'after'] as const,
  ]),
)(
  '%s: a %s, and its undo, killed %s a write of their journals, are undone',
  async (storage, command, how) => {
    const [world, program] = await Promise.all([
      makeUndoWorld(storage),
      makeSyncerWorld({ inOwnProcess: true }),
    ]);
    try {
      let isKilled = true;
      for (let n = 1; isKilled; n += STEP) {
        const place = await world.place();
        const runs = join(place.env['XDG_STATE_HOME'] ?? '', 'syncer', 'runs');
        await mkdir(runs, { recursive: true });
        await plant(place);
        const before = await place.held();
        const run = (words: readonly string[], more: NodeJS.ProcessEnv = {}) =>
          program.run(words, { env: { ...place.env, ...more } });
        const end = await run([...COMMANDS[command](place), ...FLAGS], killing(n, how));
        isKilled = end.signal === 'SIGKILL';
        expect(isKilled ? 0 : end.code, end.stderr).toBe(0);
        const [id = ''] = await readdir(runs);
        const undo = ['undo', id, '--transfers=1'];
        const first = await run(undo, killing(n, how));
        const undone = first.signal === 'SIGKILL' ? await run(undo) : first;
        const context = `${how} write ${n}: ${undone.stderr}`;
        expect(await place.held(), context).toEqual(before);
        // Before its first line a run has changed nothing.
        const hasNothing = undone.code === 1 && /changed nothing/.test(undone.stderr);
        expect(hasNothing ? 0 : undone.code, context).toBe(0);
        await place.remove();
      }
    } finally {
      await Promise.all([world.stop(), program.remove()]);
    }
  },
  3_600_000,
);
