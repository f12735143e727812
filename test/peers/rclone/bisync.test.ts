import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { playBisync, type Run, SCENARIOS, whole } from '../../support/play-bisync.ts';
import { isRcloneNow, runRclone } from '../../support/rclone.ts';

// test/recorded/bisync.test.ts has ours.

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'rclone-bisync-'));
  await writeFile(join(dir, 'rclone.conf'), '');
});
afterAll(() => rm(dir, { recursive: true }));

test.skipIf(!isRcloneNow).each(SCENARIOS)(
  'rclone ends as the table says: %s',
  async (name, scenario) => {
    const run: Run = (words, cwd) => runRclone(words, { cwd, config: join(dir, 'rclone.conf') });
    const ended = await playBisync(scenario, join(dir, name), run);
    expect(ended).toEqual(whole(scenario.rclone ?? scenario.end));
  },
);
