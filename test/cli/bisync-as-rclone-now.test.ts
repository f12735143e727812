import { mkdir, rm, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readTree, writeTree } from '../support/file-tree.ts';
import { isRcloneNow, runRclone } from '../support/rclone.ts';
import { makeSyncerWorld, type SyncerWorld } from '../support/run-syncer.ts';
import { BISYNC_SCENARIOS, type BisyncScenario, type ScenarioEnd } from './bisync-scenarios.ts';

let world: SyncerWorld;
beforeAll(async () => {
  world = await makeSyncerWorld();
  await writeFile(world.config, '');
});
afterAll(() => world.remove());

type Run = (words: readonly string[], cwd: string) => Promise<{ code: number | null }>;

async function play({ files, steps }: BisyncScenario, cwd: string, run: Run): Promise<ScenarioEnd> {
  const tree = Object.fromEntries(files.map((path) => [path, [path, 1000] as const]));
  await Promise.all(['a', 'b'].map((side) => writeTree(join(cwd, side), tree)));
  await writeFile(join(cwd, 'rules'), '- fileZ\n');
  const codes: number[] = [];
  let second = 1_600_000_000;
  for (const step of steps.trim().split(/\n\s*/)) {
    const [, path = '', deed, text = ''] = /^([ab]\/.*?) (=|\+|-)(?: (.*))?$/.exec(step) ?? [];
    const native = join(cwd, path);
    if (path === '') {
      const [command = '', ...flags] = step.split(' ');
      const { code } = await run([command, 'a', 'b', '--workdir', 'state', ...flags], cwd);
      codes.push(code ?? -1);
    } else if (deed === '-') await rm(native, { recursive: true });
    else if (deed === '+') await mkdir(native, { recursive: true });
    else {
      await mkdir(dirname(native), { recursive: true });
      await writeFile(native, text);
      await utimes(native, ++second, second);
    }
  }
  const [a, b] = [await textsIn(join(cwd, 'a')), await textsIn(join(cwd, 'b'))];
  const old = await textsIn(join(cwd, 'old'));
  return { codes, a, b, old };
}

/** Contents by path, and empty directories. */
async function textsIn(dir: string): Promise<Record<string, string>> {
  const tree = Object.entries((await readTree(dir)) ?? {});
  const isEmpty = (path: string) =>
    !tree.some(([other]) => other !== path && other.startsWith(path));
  const shown = tree.filter(([path]) => !path.endsWith('/') || isEmpty(path));
  return Object.fromEntries(shown.map(([path, text]) => [path, text.replace(/@\d+$/, '')]));
}

const whole = ({ codes, a, b = a, old = {} }: ScenarioEnd) => ({ codes, a, b, old });

describe.each(Object.entries(BISYNC_SCENARIOS))('bisync: %s', (name, scenario) => {
  test('syncer ends as the table says', async () => {
    const cwd = join(world.dir, name);
    const ended = await play(scenario, cwd, (words, dir) => world.run(words, { cwd: dir }));
    expect(ended).toEqual(whole(scenario.end));
  });

  test.skipIf(!isRcloneNow)('rclone does the same, or what the table says', async () => {
    const cwd = join(world.dir, `${name} by rclone`);
    const run: Run = (words, dir) => runRclone(words, { cwd: dir, config: world.config });
    expect(await play(scenario, cwd, run)).toEqual(whole(scenario.rclone ?? scenario.end));
  });
});
