import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  homeConfig,
  homeContents,
  keepHealth,
  readHealth,
} from '../../../../commands/home/home-contents.ts';
import type { Invocation } from '../../../../src/shell/command-line/command.ts';
import { putPin } from '../../../../src/state/home.ts';
import { Stores } from '../../../../src/state/stores.ts';
import { homeRemote } from '../../run/home-world.ts';

let dir = '';
let stores: Stores;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'health-'));
  stores = new Stores({ state: join(dir, 'state'), cache: undefined }, () => {});
});
afterEach(async () => {
  await stores.close();
  await rm(dir, { recursive: true });
});

async function contentsOf(name: string, ...lines: readonly string[]) {
  const config = join(dir, name);
  await writeFile(config, `[shelf]\n${lines.join('\n')}\n`);
  const context = { clock: { now: () => 5 }, signal: new AbortController().signal };
  const rest = { env: { HOME: dir }, flags: { config }, ask: undefined, stores };
  const invocation = { ...rest, context: { ...context, emit: () => {} } } as unknown as Invocation;
  return homeContents(invocation, homeConfig(invocation));
}

test('what a remote said is not shown for another of its name', async () => {
  const s3 = ['type = s3', 'endpoint = http://127.0.0.1:1'];
  const [shelf] = (await contentsOf('a.conf', ...s3)).remotes;
  if (shelf === undefined) throw new Error('no remote');
  await keepHealth(stores, shelf, { askedMs: 1, used: 9 });
  expect((await contentsOf('a.conf', ...s3)).health.get('shelf')).toMatchObject({ used: 9 });
  for (const other of [['type = s3', 'endpoint = http://127.0.0.1:2'], ['type = local']]) {
    expect((await contentsOf('b.conf', ...other)).health.size).toBe(0);
  }
});

test('names that are no names of remotes are left out, and secrets of places', async () => {
  const all = ['type = s3', 'endpoint = http://me:geheim@127.0.0.1:1', '[a:b]', 'type = local'];
  const { remotes, problem } = await contentsOf('a.conf', ...all);
  expect(remotes).toMatchObject([{ name: 'shelf', place: expect.not.stringContaining('geheim') }]);
  expect(problem).toContain('"a:b" is left out');
});

test('what is pinned stays pinned, in its order and with any name', async () => {
  const odd = '/data/\udcff "x"\n';
  const put = (path: string, isPinned: boolean, nowMs: number) =>
    stores.tryState(undefined, (database) => putPin(database, path, isPinned, nowMs));
  await put(odd, true, 1);
  await put('shelf:', true, 2);
  await put('/gone', true, 3);
  await put('/gone', false, 4);
  await put('shelf:docs', true, 5);
  await keepHealth(stores, homeRemote('shelf'), { askedMs: 1 });
  const { pins, places } = await contentsOf('a.conf', 'type = local');
  expect(pins).toEqual([odd, 'shelf:', 'shelf:docs']);
  expect(places.slice(1).map(({ path }) => path)).toEqual([odd, 'shelf:docs']);
  expect([...(await readHealth(stores)).keys()]).toEqual(['shelf']);
});

test('answers of several remotes at once are all kept', async () => {
  const names = Array.from({ length: 20 }, (_, at) => `r${at}`);
  await Promise.all(names.map((name) => keepHealth(stores, homeRemote(name), { askedMs: 1 })));
  expect([...(await readHealth(stores)).keys()].sort()).toEqual(names.sort());
});

test('damaged jobs are a problem, not none', async () => {
  await writeFile(join(dir, 'jobs.json'), '{');
  expect(await contentsOf('a.conf', 'type = local')).toMatchObject({
    jobs: [],
    problem: expect.stringContaining('jobs.json is not JSON'),
  });
});
