// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references look like that
import { chmod, mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { CheckResult } from '../../../../commands/doctor/check.ts';
import {
  configChecks,
  folderChecks,
  leftoverChecks,
} from '../../../../commands/doctor/folder-checks.ts';
import { openConfigFile } from '../../../../src/config/config-file.ts';
import { partialPath } from '../../../../src/names/partial-name.ts';
import { putRun } from '../../../../src/state/runs.ts';
import { Stores } from '../../../../src/state/stores.ts';
import { ownMark } from '../../../../src/system/owner-state.ts';
import { runEntry } from '../../run/presence/run-world.ts';
import { collect } from './collect.ts';

let dir = '';
let config = '';
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'syncer-doctor-'));
  config = join(dir, 'syncer.conf');
});
afterEach(() => rm(dir, { recursive: true }));

const file = (path: string | undefined) =>
  openConfigFile(
    path,
    () => {},
    async () => '',
  );
const configured = async (text: string, mode: number) => {
  await writeFile(config, text);
  await chmod(config, mode);
  return collect(configChecks(file(config)));
};

async function fixAll(checks: AsyncIterable<CheckResult>): Promise<readonly string[]> {
  const done: string[] = [];
  for await (const { fix } of checks) if (fix !== undefined) done.push(await fix());
  return done;
}

describe('the configuration', () => {
  test('in order', async () => {
    expect(await configured('[a]\ntype = s3\nsecret_access_key = x\n', 0o600)).toEqual({
      config: `ok: ${config}, 1 remote`,
      'config-mode': `ok: ${config} is readable only by its owner`,
    });
    await rm(config);
    expect(await collect(configChecks(file(config)))).toEqual({
      config: `ok: ${config} does not exist yet`,
    });
    expect(await collect(configChecks(file(undefined)))).toEqual({ config: 'ok: in memory only' });
  });

  test('secrets that others can read, which --fix ends', async () => {
    const secret = join(dir, 'a key');
    await writeFile(secret, 'x', { mode: 0o644 });
    await writeFile(`${config}.undo`, '[a]\n', { mode: 0o644 });
    const text = `[a]\ntype = s3\nsession_token = x\nsecret_access_key = \${file:${secret}}\n`;
    expect(await configured(text, 0o640)).toMatchObject({
      'config-mode': `failed: other users can read secrets in ${config} $ chmod 600 ${config}`,
      'config-backup': `failed: other users can read secrets in ${config}.undo $ chmod 600 ${config}.undo`,
      'secret-file': `failed: other users can read secrets in ${secret} $ chmod 600 '${secret}'`,
    });
    expect(await fixAll(configChecks(file(config)))).toHaveLength(3);
    expect(await fixAll(configChecks(file(config)))).toEqual([]);
    expect((await stat(config)).mode & 0o777).toBe(0o600);
  });

  test('a file that cannot be parsed', async () => {
    await mkdir(config);
    expect(await collect(configChecks(file(config)))).toEqual({
      config: `failed: config file "${config}" cannot be read: it is a directory $ ls -l ${config}`,
    });
  });
});

describe('a directory', () => {
  const folder = { check: 'state', path: '', isPrivate: true };
  const much = { freeBytes: async () => 1e12, mayWrite: async () => true };

  test('in order, and one that is created when needed', async () => {
    const path = join(dir, 'a/b');
    expect(await collect(folderChecks(folder.check, path, folder.isPrivate, much))).toEqual({
      state: `ok: ${path}, created when needed`,
    });
    await mkdir(path, { recursive: true, mode: 0o700 });
    expect(await collect(folderChecks(folder.check, path, folder.isPrivate, much))).toEqual({
      state: `ok: ${path}`,
    });
  });

  test('that is a file, read-only, open or full', async () => {
    await writeFile(config, '');
    expect(await collect(folderChecks(folder.check, config, folder.isPrivate, much))).toEqual({
      state: `failed: ${config} is not a directory $ ls -ld ${config}`,
    });
    const shut = { ...much, mayWrite: async () => false };
    expect(await collect(folderChecks(folder.check, dir, folder.isPrivate, shut))).toEqual({
      state: `failed: ${dir} cannot be written $ ls -ld ${dir}`,
    });
    const little = { ...much, freeBytes: async () => 3 * 1024 ** 2 };
    const path = join(dir, 'open');
    await mkdir(path);
    await chmod(path, 0o755);
    expect(await collect(folderChecks(folder.check, path, folder.isPrivate, little))).toEqual({
      state: `warning: ${path} is open to other users $ chmod 700 ${path}`,
      'state-space': `warning: 3 MiB free in ${path} $ du -xh ${path} | sort -h | tail`,
    });
    expect(await fixAll(folderChecks(folder.check, path, folder.isPrivate, much))).toEqual([
      `set the mode of ${path} to 0700`,
    ]);
    expect((await stat(path)).mode & 0o777).toBe(0o700);
  });
});

describe('leftovers', () => {
  const DEAD = ownMark().replace(/-\w+$/, '-1');
  const places = () => ({
    config,
    remotes: new Set(['a']),
    state: dir,
    list: { stores, env: { XDG_STATE_HOME: dir } },
  });
  let stores: Stores;
  beforeEach(() => {
    stores = new Stores({ state: dir, cache: undefined }, () => {}, Date.now);
    return () => stores.close();
  });

  test('of ended processes and deleted remotes are found and deleted, others stay', async () => {
    const files = [config, join(dir, 'checkpoint.json')];
    const dead = files.map((path) => partialPath(path, DEAD, '0')).sort();
    const live = files.map((path) => partialPath(path, ownMark(), '0'));
    putRun(await stores.state(), { ...runEntry({ mark: DEAD }), isListed: true });
    for (const path of [...dead, ...live]) await writeFile(path, '');
    await mkdir(join(dir, 'tokens'));
    const login = (remote: string) => JSON.stringify({ remote, config, token: 'SECRET' });
    await writeFile(join(dir, 'tokens/a-1.json'), login('a'));
    await writeFile(join(dir, 'tokens/b-1.json'), login('b'));
    await writeFile(join(dir, 'tokens/c-1.json'), 'encrypted');
    const old = join(dir, 'tokens/b-1.json');
    expect(await collect(leftoverChecks(places()))).toEqual({
      leftovers: `warning: 2 temporary files of interrupted runs $ rm ${dead.join(' ')}`,
      'dead-runs':
        'warning: 1 run in the list of runs in progress whose process is gone $ syncer ps',
      'old-logins': `warning: 1 logins of remotes that no longer exist $ rm ${old}`,
    });
    expect(await fixAll(leftoverChecks(places()))).toEqual(['deleted 2', 'deleted 1', 'deleted 1']);
    expect(await collect(leftoverChecks(places()))).toEqual({
      leftovers: 'ok: none',
      'dead-runs': 'ok: none',
      'old-logins': 'ok: none',
    });
    for (const path of live) expect((await stat(path)).isFile()).toBe(true);
  });

  test('without a home there are none', async () => {
    expect(
      await collect(leftoverChecks({ ...places(), config: undefined, state: undefined })),
    ).toEqual({ leftovers: 'ok: none', 'dead-runs': 'ok: none', 'old-logins': 'ok: none' });
  });
});
