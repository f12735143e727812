// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references look like that
import { chmod, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startTestGraph, type TestGraph } from '../servers/graph/start-graph.ts';
import { makeSyncerWorld, type SyncerWorld } from '../support/run-syncer.ts';
import { withoutPrivileges } from '../support/without-privileges.ts';

let graph: TestGraph;
let world: SyncerWorld;
let config = '';
let login = '';

beforeEach(async () => {
  [graph, world] = await Promise.all([
    startTestGraph({ drives: [{ type: 'business' }] }),
    makeSyncerWorld(),
  ]);
  graph.drive.put('a.txt', 'hello');
  config = join(dirname(world.config), 'shut/syncer.conf');
  await mkdir(dirname(config));
  login = JSON.stringify(graph.newToken(-60));
});
afterEach(async () => {
  await chmod(dirname(config), 0o700);
  await Promise.all([graph.stop(), world.remove()]);
});

const tokens = () => readdir(join(dirname(world.config), 'home/.local/state/syncer/tokens'));
const renewals = () => graph.log.count('token');

async function configure(token: string): Promise<string> {
  const keys = { ...graph.section(), graph_url: graph.graphUrl, token };
  const lines = Object.entries(keys).map(([key, value]) => `${key} = ${value}\n`);
  const text = `[d]\n${lines.join('')}`;
  await writeFile(config, text, { mode: 0o600 });
  return text;
}

const run = (through: readonly string[], ...words: string[]) =>
  world.run(words, { through, env: { SYNCER_CONFIG: config } });

describe.skipIf(withoutPrivileges === undefined)('a configuration that cannot be written', () => {
  const through = withoutPrivileges ?? [];

  test('a renewed login is used by the next run', async () => {
    const text = await configure(login);
    await chmod(dirname(config), 0o500);
    const first = await run(through, 'lsf', 'd:', '-v');
    expect(first).toMatchObject({ code: 0 });
    expect(first.stderr).toMatch(/INFO .*the renewed login of d was stored in .*tokens\/d-/);
    expect(renewals()).toBe(1);
    expect((await run(through, 'lsf', 'd:')).stdout.toString()).toBe('a.txt\n');
    expect(renewals()).toBe(1);
    expect(await readFile(config, 'utf8')).toBe(text);
    expect((await tokens()).filter((name) => !/^d-[0-9a-f]{12}\.json$/.test(name))).toEqual([]);
  });
});

test('--onedrive-token is the login of a remote that has none', async () => {
  await configure('');
  const without = await run([], 'lsf', 'd:');
  expect([without.code, renewals()], without.stderr).toEqual([20, 0]);
  const listed = await run([], 'lsf', 'd:', '--onedrive-token', JSON.stringify(graph.newToken()));
  expect([listed.code, `${listed.stdout}`], listed.stderr).toEqual([0, 'a.txt\n']);
});

test('a login by reference is renewed, and the file keeps the reference', async () => {
  const text = await configure('${file:@}'.replace('@', join(world.dir, 'login')));
  await writeFile(join(world.dir, 'login'), `${login}\n`);
  for (let time = 0; time < 2; time++) {
    const { code, stdout, stderr } = await run([], 'lsf', 'd:');
    expect({ code, stdout: stdout.toString(), stderr }).toEqual({
      ...{ code: 0, stdout: 'a.txt\n', stderr: '' },
    });
  }
  expect(renewals()).toBe(1);
  expect(await readFile(config, 'utf8')).toBe(text);
  expect(await readFile(join(world.dir, 'login'), 'utf8')).toBe(`${login}\n`);
});
