import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { someOf } from '../support/in-part.ts';
import { playBisync, type Run, SCENARIOS, whole } from '../support/play-bisync.ts';
import { runInProcess } from '../support/run-in-process.ts';

const before = process.cwd();
let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'bisync-'));
  await writeFile(join(dir, 'syncer.conf'), '');
});
afterAll(async () => {
  process.chdir(before);
  await rm(dir, { recursive: true });
});

test.each(someOf(SCENARIOS, Math.ceil(SCENARIOS.length / 2)))(
  'syncer ends as the table says: %s',
  async (name, scenario) => {
    const run: Run = (words, cwd) => {
      process.chdir(cwd);
      return runInProcess(words, { HOME: dir, SYNCER_CONFIG: join(dir, 'syncer.conf') });
    };
    expect(await playBisync(scenario, join(dir, name), run)).toEqual(whole(scenario.end));
  },
);
