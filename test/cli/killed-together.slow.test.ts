import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { pastRuns } from '../../src/state/runs.ts';
import { writeTree } from '../support/file-tree.ts';
import { inState } from '../support/open-state.ts';
import { makeSyncerWorld } from '../support/run-syncer.ts';

const ROUNDS = 3;

test('of runs that are killed together no other one is lost, and their state is whole', async () => {
  const world = await makeSyncerWorld({ inOwnProcess: true });
  try {
    await writeTree(world.dir, { 'from/a': 'a', 'from/b/c': 'c', 'pair/x': 'x' });
    await mkdir(join(world.dir, 'other'));
    expect((await world.run(['bisync', 'pair', 'other', '--resync'])).code).toBe(0);
    const ended: string[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const to = (name: string) => `${name}${round}`;
      const lines = [
        ['copy', 'from', to('copied')],
        ['sync', 'from', to('synced'), '--trash'],
        ['copy', 'from', to('locked'), '--lock'],
        ['bisync', 'pair', 'other', '--exclude', to('none')],
        ['mkdir', to('made')],
        ['ps'],
        ['history'],
      ];
      const runs = lines.map(async (words, at) => {
        const run = world.start(words);
        const isKilled = (at + round) % 3 === 0;
        // Not within the start of the program: 0.1 to 0.6 seconds after its begin.
        if (isKilled) setTimeout(() => run.kill('SIGKILL'), 100 + 500 * Math.random());
        const { code, stderr } = await run.ended;
        if (!isKilled) expect([words, code, stderr]).toEqual([words, 0, expect.anything()]);
        // One that was faster than its kill counts, too.
        if (code === 0 && words.length > 1) ended.push(words.join(' '));
      });
      await Promise.all(runs);
    }
    const home = join(world.dir, '../home/.local/state');
    const [kept, fault] = await inState(home, (database) => [
      new Set(pastRuns(database, 999).map(({ words }) => words.join(' '))),
      database.fault(),
    ]);
    expect(fault).toBeUndefined();
    expect(ended.length).toBeGreaterThanOrEqual(3 * ROUNDS);
    expect(ended.filter((words) => !kept?.has(words))).toEqual([]);
  } finally {
    await world.remove();
  }
});
