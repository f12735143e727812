import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { listRuns } from '../../src/journal/read-head.ts';
import { readTree, writeTree } from '../support/file-tree.ts';
import { makeSyncerWorld } from '../support/run-syncer.ts';
import { waitFor } from '../support/wait-for.ts';

test.each([1, 60, 250])('a run killed after %i lines of its journal is undone', async (lines) => {
  const world = await makeSyncerWorld();
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
