import { join } from 'node:path';
import { endRun } from '../../src/state/runs.ts';
import { Stores } from '../../src/state/stores.ts';

// Ends runs, each as a process of its own would, and prints the id of each that is kept: `<home> <digit> <count>`.
const [home = '', digit = '', count = '0'] = process.argv.slice(2);
const result = { tookMs: 1, exit: 0, files: 1, bytes: 2, checks: 3, deleted: 4, errors: 5 };
for (let n = 0; n < Number(count); n++) {
  const stores = new Stores({ state: join(home, 'syncer'), cache: undefined }, console.error);
  const id = `20261121-113012-${digit}-${n}`;
  const past = { ...result, id, words: ['copy', 'x'.repeat(500)], dir: '/', endedMs: 9 };
  const isKept = await stores.tryState('lost', (database) => {
    endRun(database, past, { startedMs: 7 }, () => false);
    return true;
  });
  if (isKept) process.stdout.write(`${id}\n`);
  await stores.close();
}
