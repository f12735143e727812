import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { listRuns } from '../../../src/run/journal/kept-runs.ts';
import type { SeenRequest } from '../../servers/fault.ts';
import { readTree, writeTree } from '../../support/file-tree.ts';
import { makeSyncerWorld } from '../../support/run-syncer.ts';
import { makeS3World, type S3World } from '../../support/s3-world.ts';
import { waitFor } from '../../support/wait-for.ts';

test.each([1, 60, 250])('a run killed after %i lines of its journal is undone', async (lines) => {
  const world = await makeSyncerWorld({ inOwnProcess: true });
  try {
    const [old, next]: Record<string, string>[] = [{}, {}];
    for (let n = 0; n < 400; n++) {
      if (n % 3 !== 0 && old) old[`d${n % 7}/f${n}`] = `old ${n}`;
      if (n % 3 !== 1 && next) next[`d${n % 7}/f${n}`] = `newer ${n}`;
    }
    await writeTree(join(world.dir, 'new'), next ?? {});
    await writeTree(join(world.dir, 'to'), old ?? {});
    const before = await readTree(join(world.dir, 'to'));
    const state = join(world.dir, 'state');
    const env = { XDG_STATE_HOME: state };
    const runs = join(state, 'syncer', 'runs');
    const running = world.start(['sync', 'new', 'to', '--trash', '--bwlimit', '20k'], { env });
    await waitFor(() => {
      const [id = ''] = existsSync(runs) ? readdirSync(runs) : [];
      const journal = join(runs, id, 'journal.jsonl');
      return existsSync(journal) && readFileSync(journal, 'utf8').split('\n').length > lines;
    });
    running.kill('SIGKILL');
    await running.ended;
    const [id = ''] = await listRuns(runs);
    const undone = await world.run(['undo', id], { env });
    expect([undone.code, undone.stderr]).toEqual([0, expect.anything()]);
    const after = await readTree(join(world.dir, 'to'));
    const own = Object.entries(after ?? {}).filter(([path]) => !path.startsWith('.syncer-trash'));
    expect(Object.fromEntries(own)).toEqual(before);
  } finally {
    await world.remove();
  }
});

/** A bucket with versions and three files, of which one has an older version with the same content. */
async function withVersions(task: (world: S3World) => Promise<void>): Promise<void> {
  const world = await makeS3World({ inOwnProcess: true });
  try {
    await world.run(['backend', 'versioning', 'store:bucket', 'Enabled']);
    for (const second of [100, 200]) {
      await writeTree(join(world.dir, 'old'), { a: ['old a', second], 'd/b': 'old b', c: 'same' });
      const { code, stderr } = await world.run(['sync', 'old', 'store:bucket/to', '--no-history']);
      expect(code, stderr).toBe(0);
    }
    await writeTree(join(world.dir, 'new'), { a: ['newer a', 300], 'd/b': 'new b', c: 'same' });
    await task(world);
  } finally {
    await world.remove();
  }
}

async function held(world: S3World): Promise<string> {
  const ended = await world.run(['lsf', '-R', '--files-only', 'store:bucket/to', '-F', 'pst']);
  return String(ended.stdout);
}

/** The last run that changed something: as `history` lists it, and its changes. */
async function lastRun(world: S3World): Promise<{ readonly id: string; readonly text: string }> {
  const [id = ''] = await listRuns(join(world.dir, '../home/.local/state/syncer/runs')).catch(
    () => [],
  );
  return { id, text: String((await world.run(['history', id])).stdout) };
}

/** Runs until the request of a change has no response, and kills it; `isMade`: the server has processed it. */
async function kill(
  world: S3World,
  words: readonly string[],
  isChange: (request: SeenRequest) => boolean,
  isMade = true,
): Promise<void> {
  let [isLost, isStuck] = [false, false];
  world.s3.setFaults((request) => {
    if (!isLost && !isChange(request)) return undefined;
    if (isLost || !isMade) {
      isStuck = true;
      return { hang: 'before' };
    }
    isLost = true;
    return { reset: 'after' };
  });
  const running = world.start([...words, '--transfers=1', '--checkers=1']);
  await waitFor(() => isStuck);
  running.kill('SIGKILL');
  await running.ended;
  world.s3.setFaults(undefined);
}

const deletes = ({ operation }: SeenRequest) => /^DeleteObjects?$/.test(operation);
const writes = ({ operation }: SeenRequest) => /^(Put|Copy)Object$/.test(operation);

test.each([
  ['delete', ['delete', 'store:bucket/to'], deletes],
  ['deletefile', ['deletefile', 'store:bucket/to/a'], deletes],
  ['purge', ['purge', 'store:bucket/to'], deletes],
  ['sync', ['sync', 'new', 'store:bucket/to'], writes],
] as const)(
  'in a bucket with versions, a %s killed before the response is undone',
  async (_, words, isChange) => {
    await withVersions(async (world) => {
      const before = await held(world);
      await kill(world, words, isChange);
      expect(await held(world)).not.toBe(before);
      const { id, text } = await lastRun(world);
      expect(text).toContain('result unknown');
      expect(text).not.toContain('not kept');
      const trash = await world.run(['trash', 'ls', 'store:bucket/to']);
      expect(/ deleted /.test(String(trash.stdout))).toBe(isChange === deletes);
      const undone = await world.run(['undo', id]);
      expect(undone.code, undone.stderr).toBe(0);
      expect(await held(world)).toBe(before);
    });
  },
);

test.each([
  ['touch', ['touch', 'store:bucket/to/a', '-t', '2026-01-31T12:00:00']],
  ['sync', ['sync', 'new', 'store:bucket/to']],
  ['sync -I', ['sync', 'old', 'store:bucket/to', '-I']],
  ['delete', ['delete', 'store:bucket/to']],
] as const)(
  'of a %s killed before its request arrives there is nothing to undo',
  async (_, words) => {
    await withVersions(async (world) => {
      const before = await held(world);
      await kill(world, words, (request) => deletes(request) || writes(request), false);
      const { id, text } = await lastRun(world);
      expect(text).toContain('result unknown');
      const from = world.s3.log.requests.length;
      const undone = await world.run(['undo', id]);
      expect(undone.code, undone.stderr).toBe(0);
      expect(String(undone.stdout)).toContain('0 files restored, 0 files deleted');
      const methods = world.s3.log.requests.slice(from).map(({ method }) => method);
      expect(methods.filter((method) => method === 'PUT' || method === 'DELETE')).toEqual([]);
      expect(await held(world)).toBe(before);
    });
  },
);

test.each([
  ['deletefile', 'store:bucket/to/a'],
  ['delete', 'store:bucket/to'],
] as const)(
  'a %s whose response was lost, and which was repeated, is in the trash',
  async (...words) => {
    await withVersions(async (world) => {
      const before = await held(world);
      let isLost = false;
      world.s3.setFaults((request) => {
        if (isLost || !deletes(request)) return undefined;
        isLost = true;
        return { reset: 'after' };
      });
      const { code, stderr } = await world.run(words);
      expect([code, isLost], stderr).toEqual([0, true]);
      const { id, text } = await lastRun(world);
      expect(text).not.toContain('not kept');
      const trash = String((await world.run(['trash', 'ls', 'store:bucket/to'])).stdout);
      expect(trash.match(/ deleted /g)?.length).toBe(words[0] === 'delete' ? 3 : 1);
      const undone = await world.run(['undo', id]);
      expect(undone.code, undone.stderr).toBe(0);
      expect(await held(world)).toBe(before);
      const redone = await world.run(['undo', (await lastRun(world)).id]);
      expect(redone.code, redone.stderr).toBe(0);
      const restored = await world.run(['trash', 'restore', 'store:bucket/to']);
      expect(restored.code, restored.stderr).toBe(0);
      expect(await held(world)).toBe(before);
    });
  },
);
