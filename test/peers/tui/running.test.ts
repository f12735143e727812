import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startServe } from '../../cli/start-serve.ts';
import { makeSyncerWorld, type SyncerWorld } from '../../support/run-syncer.ts';
import { hasTmux } from '../../support/tmux-terminal.ts';
import { killChildrenOf, type TuiWorld, terminalModes, tuiWorld } from '../../support/tui-world.ts';

const FILES = 40;

let world: TuiWorld;
let server: SyncerWorld;
let serving: Awaited<ReturnType<typeof startServe>>;

beforeEach(async () => {
  world = await tuiWorld('running');
  server = await makeSyncerWorld({ inOwnProcess: true });
  await mkdir(join(server.dir, 'store/bucket'), { recursive: true });
  serving = await startServe(server, ['store']);
  await writeFile(
    join(world.folder, 'syncer.conf'),
    `[s]\ntype = s3\nprovider = Other\nendpoint = ${serving.endpoint}\naccess_key_id = a\nsecret_access_key = b\n`,
  );
  const files: Record<string, number> = {};
  for (let n = 10; n < 10 + FILES; n++) files[`from/file ${n}.bin`] = 500_000;
  await world.write(files);
});
afterEach(async () => {
  serving.running.kill('SIGTERM');
  await serving.running.ended;
  await Promise.all([server.remove(), world.remove()]);
});

const COPY = 'copy from s:bucket --transfers 2 --bwlimit 1M';

const entries = () => readdir(join(world.folder, 'syncer/running')).catch(() => []);

describe.skipIf(!hasTmux)('a run seen from another terminal', () => {
  test('attach pauses, widens and leaves it; it ends as if nothing had been', async () => {
    const run = await world.start(COPY);
    for (;;) {
      if ((await entries()).some((name) => name.endsWith('.sock'))) break;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    const view = await world.start('attach', { columns: 100 });
    await view.waitFor([/p pause . q detach . s stop/, /files \d+ of 40/]);
    await view.keys('p');
    await view.waitFor(['paused', 'p resume']);
    await view.keys('+', '+');
    await view.waitFor('4 in parallel');
    await view.keys('s');
    await view.waitFor(/stop \w{4} \(copy from s:bucket.*y yes, stop it, n cancel/);
    await view.keys('Enter');
    await view.waitFor('p resume');
    await view.keys('p');
    await view.waitFor('p pause');
    await view.keys('C-c');
    await view.waitFor(['Detached; the run continues.', 'exit=0']);
    expect(await terminalModes(view)).toBe('echo icanon isig opost');
    await run.waitFor('exit=0');
    expect(await entries()).toEqual([]);
  });

  test('attach to a run that is killed does not say that it goes on', async () => {
    const run = await world.start(COPY);
    await expect.poll(entries).toContainEqual(expect.stringMatching(/\.sock$/));
    const view = await world.start('attach', { columns: 100 });
    await view.waitFor(/p pause . q detach . s stop/);
    killChildrenOf(await run.pid(), 'SIGKILL');
    expect(await view.waitFor(['crashed or was killed', 'exit=1'])).not.toContain('Detached');
  });
});
