import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { listRuns } from '../../../src/run/journal/kept-runs.ts';
import { writeTree } from '../../support/file-tree.ts';
import { runInProcess } from '../../support/run-in-process.ts';
import { makeS3World, type S3World } from '../../support/s3-world.ts';
import { waitFor } from '../../support/wait-for.ts';

/**
 * Runs a command and kills it when the response to its `n`th request that changes something is lost, or (not `isMade`)
 * before that request arrives. Resolves to `false` if it ends before.
 */
async function kill(
  world: S3World,
  words: readonly string[],
  n: number,
  isMade: boolean,
): Promise<boolean> {
  let [count, isStuck, isOver] = [0, false, false];
  world.s3.setFaults(({ method }) => {
    if (!/PUT|POST|DELETE/.test(method) || ++count < n) return undefined;
    if (count === n && isMade) return { reset: 'after' };
    isStuck = true;
    return { hang: 'before' };
  });
  const running = world.start([...words, '--transfers=1', '--checkers=1']);
  void running.ended.then(() => {
    isOver = true;
  });
  await waitFor(() => isStuck || isOver);
  running.kill('SIGKILL');
  await running.ended;
  world.s3.setFaults(undefined);
  return isStuck;
}

test.concurrent.each([
  ['move', 'Suspended', ['move', 'store:bucket/from', 'store:bucket/to', '--trash']],
  ['moveto', 'Enabled', ['moveto', 'store:bucket/from/c', 'store:bucket/to/c']],
  ['moveto, in parts,', 'Enabled', ['moveto', 'store:bucket/from/big', 'store:bucket/to/big']],
  ['copy of a file without a time', 'Suspended', ['copy', 'store:bucket/bare', 'store:bucket/to']],
] as const)(
  'a %s within a bucket (versions: %s), killed at each of its changes, is undone',
  async (what, versioning, words) => {
    const world = await makeS3World({ inOwnProcess: true });
    const env = { HOME: join(world.dir, '../home'), SYNCER_CONFIG: world.config };
    const runs = join(env.HOME, '.local/state/syncer/runs');
    const run = async (...words: string[]) => {
      const ended = await runInProcess(words, env);
      expect(ended.code, `${words}: ${ended.stderr}`).toBe(0);
      return ended.stdout;
    };
    const held = async () => {
      const found = JSON.parse(
        await run('lsjson', '-R', '--files-only', '-M', '--no-index', 'store:bucket'),
      ) as readonly { Path: string; Metadata: { mtime?: string } }[];
      const contents = await world.objects();
      return found
        .filter(({ Path }) => !Path.includes('.syncer-trash'))
        .map(({ Path, Metadata: { mtime } }) => `${Path} ${mtime} ${contents[Path]?.split('@')[0]}`)
        .sort();
    };
    try {
      const from = join(world.dir, 'from');
      const to = join(world.dir, 'to');
      const isBig = words[1].endsWith('big');
      await writeTree(from, { a: ['a', 100], c: ['newer c', 300] });
      if (isBig) await writeTree(from, { big: ['x'.repeat(6 * 1024 ** 2), 400] });
      await writeTree(to, { c: ['older c', 30], x: ['x', 1] });
      const flags = ['--no-history', '--no-check-dest'];
      const cutoff = isBig ? ['--s3-copy-cutoff=5Mi'] : [];
      const bare = join(world.bucket, 'bare');
      if (versioning === 'Enabled') await run('backend', 'versioning', 'store:bucket', 'Enabled');
      for (const isMade of isBig ? [true] : [true, false]) {
        let isKilled = true;
        for (let n = 1; isKilled; n++) {
          for (const dir of ['from', 'to', 'bare']) {
            await writeTree(join(world.bucket, dir), { gone: '' });
            await run('purge', `store:bucket/${dir}`, '--no-history');
          }
          await run('copy', from, 'store:bucket/from', ...flags);
          await run('copy', to, 'store:bucket/to', ...flags);
          await mkdir(bare, { recursive: true });
          await writeFile(join(bare, 'b'), 'without a time');
          const before = await held();
          // The server has times of whole seconds.
          await new Promise((resolve) => setTimeout(resolve, 1_000));
          isKilled = await kill(world, [...words, ...cutoff], n, isMade);
          const [id] = await listRuns(runs);
          const context = `${what} ${n} ${isMade}`;
          if (id !== undefined) await run('undo', id, ...cutoff);
          else expect(isKilled, context).toBe(true);
          expect(await held(), context).toEqual(before);
          await rm(runs, { recursive: true, force: true });
        }
      }
    } finally {
      await world.remove();
    }
  },
);
