import { appendFile, rm, utimes } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { OLD, scrubWorld } from '../support/scrub-world.ts';
import { damageDatabase } from '../support/state-rows.ts';

const { world, at, put, flip, syncer, results } = scrubWorld();

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

test('a dry run records nothing, and accepts nothing', async () => {
  await put('a/f', 'content');
  expect(await results('scrub -n @a')).toEqual({ f: 'new' });
  expect(await results('scrub @a')).toEqual({ f: 'new' });
  await flip('a/f');
  expect(await results('scrub -n @a')).toEqual({ f: 'suspect' });
  expect((await syncer('scrub --status @a')).code).toBe(0);
  expect(await results('scrub @a')).toEqual({ f: 'suspect' });
  expect(await results('scrub -n --accept @a')).toEqual({ f: 'accepted' });
  expect(await results('scrub @a')).toEqual({ f: 'suspect' });
});

test('a file that changes while it is read is left for the next run, and said to be', async () => {
  await put('a/log', Buffer.alloc(64 * 1024 * 1024));
  await put('a/f', 'content');
  let isOver = false;
  const scrub = syncer('scrub @a --json').finally(() => {
    isOver = true;
  });
  while (!isOver) await appendFile(at('a/log'), 'x');
  const { code, stdout, stderr } = await scrub;
  expect([code, stderr]).toEqual([0, expect.stringContaining('log: changed while it was read')]);
  expect(stdout).toContain('"path":"log"');
  expect(stdout).toContain('"result":"left"');
  expect(stdout).toMatch(/"left":1\}\}\n$/);
});

test('a lost or torn cache only means that files are new', async () => {
  await put('a/f', 'content');
  await results('scrub @a');
  damageDatabase(at('cache/syncer/cache.db'));
  expect(await results('scrub @a')).toEqual({ f: 'new' });
  expect(await results('scrub @a')).toEqual({ f: 'ok' });
  await rm(at('cache'), { recursive: true });
  expect(await results('scrub @a')).toEqual({ f: 'new' });
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

test.each([
  ['--budget ten', 2, 'invalid value for flag --budget'],
  ['--budget 0', 2, 'invalid value for flag --budget'],
  ['--status --accept', 1, "can't use --status with --accept"],
  ['--accept --with @b', 1, "can't use --accept with --with"],
  ['--no-hash-cache', 1, 'it compares with the hashes of the cache'],
])('scrub %s is refused', async (flags, expected, message) => {
  await put('a/f', '');
  const { code, stderr } = await syncer(`scrub @a ${flags}`);
  expect([code, stderr]).toEqual([expected, expect.stringContaining(message)]);
});
