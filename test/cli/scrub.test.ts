import {
  chmod,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { inProcessWorld } from '../support/in-process-world.ts';
import { runInProcess } from '../support/run-in-process.ts';
import { makeSyncerWorld } from '../support/run-syncer.ts';
import { waitFor } from '../support/wait-for.ts';
import { withoutPrivileges } from '../support/without-privileges.ts';

const world = inProcessWorld();
const OLD = new Date('2020-01-01');

const at = (name: string) => join(world.dir, name);

beforeEach(() => mkdir(world.dir));

async function put(name: string, content: string | Uint8Array): Promise<void> {
  await mkdir(dirname(at(name)), { recursive: true });
  await writeFile(at(name), content);
  await utimes(at(name), OLD, OLD);
}

/** Changes one bit of a file and sets its times back. */
async function flip(name: string): Promise<void> {
  const content = await readFile(at(name));
  content[0] = (content[0] ?? 0) ^ 1;
  await put(name, content);
}

/** Each test has a cache and suspects of its own. */
async function syncer(line: string) {
  const words = line.split(' ').map((word) => word.replace('@', `${world.dir}/`));
  const env = { ...world.env, XDG_CACHE_HOME: at('cache'), XDG_STATE_HOME: at('state') };
  return runInProcess(words, env);
}

async function results(line: string): Promise<Record<string, string>> {
  const { stdout } = await syncer(`${line} --json -q`);
  const files = stdout.trim().split('\n').slice(0, -1);
  return Object.fromEntries(
    files.map((text) => {
      const { path, result } = JSON.parse(text);
      return [path, result];
    }),
  );
}

test('exactly the file with one flipped bit is suspect, until its content is accepted', async () => {
  for (let i = 0; i < 30; i++) await put(`a/d${i % 4}/f${i}`, `content of ${i}`);
  expect(new Set(Object.values(await results('scrub @a')))).toEqual(new Set(['new']));
  await flip('a/d2/f6');
  await put('a/d1/f5', 'changed, and shorter');
  await utimes(at('a/d1/f5'), OLD, new Date());
  const found = await results('scrub @a');
  expect(found['d2/f6']).toBe('suspect');
  expect(found['d1/f5']).toBe('changed');
  expect(Object.values(found).filter((result) => result === 'ok')).toHaveLength(28);
  // Reading it for another reason does not make it right.
  await syncer('md5sum @a');
  const again = await syncer('scrub @a');
  expect(again.code).toBe(1);
  expect(again.stdout).toMatch(/29 ok, 0 new, 0 changed, 1 suspect, 0 unreadable/);
  expect(again.stderr).toContain('d2/f6: suspect: its content has changed');
  const status = await syncer('scrub --status @a');
  expect(status.code).toBe(1);
  expect(status.stdout).toContain(`suspect: ${at('a/d2/f6')}`);
  expect(await results('scrub --accept @a')).toEqual({ 'd2/f6': 'accepted' });
  const { code, stdout } = await syncer('scrub @a');
  expect([code, stdout]).toEqual([0, expect.stringContaining('30 ok')]);
});

test('ten runs with a tenth of the bytes read everything once', async () => {
  const size = 10_000;
  for (let i = 0; i < 100; i++) await put(`a/f${i}`, Buffer.alloc(size, i));
  const seen: string[] = [];
  for (let run = 0; run < 10; run++) {
    const found = await results(`scrub @a --budget ${10 * size}B`);
    expect(Object.keys(found)).toHaveLength(10);
    seen.push(...Object.keys(found));
  }
  expect(new Set(seen).size).toBe(100);
  const status = await syncer('scrub --status @a --every 1h --json');
  expect(JSON.parse(status.stdout)).toMatchObject({
    verified: { files: 100, bytes: 100 * size },
    due: { files: 0 },
    never: { files: 0 },
    suspects: [],
  });
  expect(await results('scrub @a --every 1h')).toEqual({});
  expect(Object.keys(await results('scrub @a'))).toHaveLength(100);
});

test('a budget is not exceeded, except by a first file that is larger', async () => {
  const sizes = [700, 600, 500, 300, 100, 5000];
  for (const [i, size] of sizes.entries()) await put(`a/f${i}`, Buffer.alloc(size));
  expect(await results('scrub @a --budget 1000B')).toEqual({ f5: 'new' });
  expect(await results('scrub @a --budget 1000B')).toEqual({ f0: 'new', f3: 'new' });
  expect(await results('scrub @a --budget 1000B')).toMatchObject({ f1: 'new', f4: 'new' });
  expect(await results('scrub @a --budget 1000B')).toMatchObject({ f2: 'new' });
});

test('a lost or torn cache only means that files are new', async () => {
  await put('a/f', 'content');
  await results('scrub @a');
  const folder = at('cache/syncer/hashes');
  for (const name of await readdir(folder)) await writeFile(join(folder, name), 'torn');
  expect(await results('scrub @a')).toEqual({ f: 'new' });
  expect(await results('scrub @a')).toEqual({ f: 'ok' });
  await rm(at('cache'), { recursive: true });
  expect(await results('scrub @a')).toEqual({ f: 'new' });
});

test('a suspect stays one when the cache is deleted, until its content is the recorded one', async () => {
  await put('a/f', 'content');
  await put('a/g', 'content');
  await results('scrub @a');
  await flip('a/f');
  expect(await results('scrub @a')).toEqual({ f: 'suspect', g: 'ok' });
  await rm(at('cache'), { recursive: true });
  expect(await results('scrub @a')).toEqual({ f: 'suspect', g: 'new' });
  await flip('a/f');
  expect(await results('scrub @a')).toEqual({ f: 'ok', g: 'ok' });
  expect((await syncer('scrub --status @a')).code).toBe(0);
});

test('a copy fills the cache; the other side says which is right', async () => {
  for (const name of ['f', 'g', 'h']) await put(`a/${name}`, `content of ${name}`);
  const bucket = `s:with${world.count}`;
  await syncer(`mkdir ${bucket}`);
  await syncer(`copy @a ${bucket}`);
  for (const name of ['f', 'g', 'h']) await flip(`a/${name}`);
  await syncer(`copyto @a/g ${bucket}/g --ignore-times`);
  await syncer(`deletefile ${bucket}/h`);
  const { code, stderr } = await syncer(`scrub @a --with ${bucket}`);
  expect(code).toBe(1);
  const command = `copyto ${bucket}/f ${at('a/f')} --ignore-times`;
  expect(stderr).toContain(`${bucket}/f has the recorded content; to settle it: syncer ${command}`);
  expect(stderr).toContain(
    `g: ${bucket}/g has the new content, too; to settle it: syncer scrub --accept`,
  );
  expect(stderr).toContain(`h: ${bucket} has no such file`);
  expect(await syncer(command)).toMatchObject({ code: 0 });
  expect(await results('scrub @a')).toEqual({ f: 'ok', g: 'suspect', h: 'suspect' });
});

test('a suspect does not replace the other side, by --checksum or with the guard', async () => {
  for (const name of ['f', 'g']) await put(`a/${name}`, `content of ${name}`);
  await syncer('copy @a @b');
  await results('scrub @a');
  await flip('a/f');
  await results('scrub @a');
  const refused = async (flags: string) => {
    const { code, stderr } = await syncer(`sync @a @b ${flags}`);
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining('f: Failed to copy: not copied over'),
    ]);
    expect(await readFile(at('b/f'), 'utf8')).toBe('content of f');
  };
  await refused('--checksum');
  await refused('--ignore-times --guard suspect');
  await refused('--ignore-times --guard on,suspect');
  // A new file replaces nothing, and a changed one is no longer the suspect.
  expect((await syncer('sync @a @c --checksum')).code).toBe(0);
  await utimes(at('a/f'), OLD, new Date());
  expect((await syncer('sync @a @b --checksum')).code).toBe(0);
});

test('without --download a scrub of a bucket finds what was replaced, with it what rots', async () => {
  const bucket = `s:rot${world.count}`;
  await put('a/f', 'content');
  await put('a/g', 'content');
  await syncer(`mkdir ${bucket}`);
  await syncer(`copy @a ${bucket} --no-hash-cache`);
  expect(await results(`scrub ${bucket}`)).toEqual({ f: 'new', g: 'new' });
  await put('a/f', 'replaced');
  await syncer(`copy @a ${bucket} --no-hash-cache --ignore-times`);
  expect(await results(`scrub ${bucket}`)).toEqual({ f: 'changed', g: 'ok' });
  expect(await results(`scrub ${bucket} --download`)).toEqual({ f: 'ok', g: 'ok' });
  const status = await syncer(`scrub ${bucket} --status --json`);
  expect(JSON.parse(status.stdout)).toMatchObject({ verified: { files: 2 }, never: { files: 0 } });
});

test.skipIf(withoutPrivileges === undefined)(
  'an unreadable file is listed until it can be read',
  async () => {
    const own = await makeSyncerWorld();
    const through = withoutPrivileges ?? [];
    try {
      await mkdir(join(own.dir, 'a'));
      await writeFile(own.config, '');
      const file = join(own.dir, 'a/f');
      await writeFile(file, 'content');
      await utimes(file, OLD, OLD);
      await chmod(file, 0);
      const failed = await own.run(['scrub', 'a'], { through });
      expect(failed.code).toBe(1);
      expect(failed.stderr).toContain('f: unreadable: ');
      expect((await own.run(['scrub', '--status', 'a'])).code).toBe(1);
      await chmod(file, 0o600);
      expect(await own.run(['scrub', 'a'], { through })).toMatchObject({ code: 0 });
    } finally {
      await own.remove();
    }
  },
);

test('suspects that are gone leave the list', async () => {
  await put('a/f', 'content');
  await put('a/g', 'content');
  await results('scrub @a');
  await flip('a/f');
  await results('scrub @a');
  await rename(at('a/f'), at('elsewhere'));
  expect((await syncer('scrub @a')).code).toBe(0);
  expect((await stat(at('a/g'))).size).toBe(7);
});

test.each([
  ['--budget ten', 'invalid value for flag --budget'],
  ['--budget 0', 'invalid value for flag --budget'],
  ['--status --accept', '--status cannot be combined with --accept'],
  ['--no-hash-cache', 'scrub compares with cached hashes'],
])('scrub %s is refused', async (flags, message) => {
  await put('a/f', '');
  const { code, stderr } = await syncer(`scrub @a ${flags}`);
  expect([code, stderr]).toEqual([1, expect.stringContaining(message)]);
});

test('a killed scrub loses neither suspects nor the cache', async () => {
  const own = await makeSyncerWorld();
  try {
    const folder = join(own.dir, 'a');
    await mkdir(folder);
    await writeFile(own.config, '');
    for (const name of ['f', 'g']) {
      await writeFile(join(folder, name), Buffer.alloc(48 << 20, name));
      await utimes(join(folder, name), OLD, OLD);
    }
    await own.run(['scrub', 'a']);
    await writeFile(join(folder, 'f'), Buffer.alloc(48 << 20, 'x'));
    await utimes(join(folder, 'f'), OLD, OLD);
    const running = own.start(['scrub', 'a']);
    await waitFor(() => running.seen.stderr.includes('suspect'), running.ended);
    running.kill('SIGKILL');
    await running.ended;
    const status = await own.run(['scrub', '--status', 'a']);
    expect(String(status.stdout)).toContain('suspect: ');
    const again = await own.run(['scrub', 'a']);
    expect(String(again.stdout)).toContain('1 ok, 0 new, 0 changed, 1 suspect');
  } finally {
    await own.remove();
  }
});
