import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { COMMAND_LINE_TABLES, S3_DESCRIPTION } from '../cases/command-line-tables.ts';
import { TWICE } from '../cases/ignore-case-cases.ts';
import { startTestS3, type TestS3 } from '../servers/test-s3.ts';
import { type CommandLineCase, playCase } from '../support/command-line-case.ts';
import { oneOfEach, someOf } from '../support/in-part.ts';
import { readRecord } from '../support/record.ts';
import { runInProcess } from '../support/run-in-process.ts';
import { section } from '../support/s3-world.ts';

// test/peers/rclone/command-lines.test.ts has recorded what rclone does.

const before = process.cwd();
let dir: string;
let server: TestS3;

beforeAll(async () => {
  [dir, server] = await Promise.all([mkdtemp(join(tmpdir(), 'recorded-')), startTestS3()]);
  await mkdir(join(dir, 'home'));
  await writeFile(join(dir, 'syncer.conf'), section(server, 's3', S3_DESCRIPTION));
});

beforeEach(() => vi.stubEnv('TZ', 'UTC'));

afterAll(async () => {
  process.chdir(before);
  await server.stop();
  await rm(dir, { recursive: true });
});

const syncer = (words: readonly string[], cwd: string) => {
  process.chdir(cwd);
  const env = { HOME: join(dir, 'home'), SYNCER_CONFIG: join(dir, 'syncer.conf'), no_proxy: '*' };
  return runInProcess(words, env);
};

const play = (how: CommandLineCase, name: string) =>
  playCase(how, { dir: join(dir, name), buckets: server.root, run: syncer });

describe.each(Object.entries(COMMAND_LINE_TABLES))('as rclone: %s', (table, cases) => {
  const record = readRecord(table);

  test('every case has a result, and there are no others', () => {
    expect(Object.keys(record)).toEqual(Object.keys(cases));
  });

  const numbered = [...Object.entries(cases).entries()];
  const commands = oneOfEach(numbered, ([, [, { args }]]) => `${args}`.split(/[ ,]/, 1).join());
  const chosen = new Set([...commands, ...someOf(numbered, Math.ceil(numbered.length / 5))]);
  for (const [index, [name, how]] of chosen) {
    test(name, async () => {
      const { end, stderr } = await play(how, `${table}-${index}`);
      expect(table === 'newer-codes' ? { code: end.code } : end, stderr).toEqual(record[name]);
    });
  }
});

test('two files that a folding disk takes for one are an error, and both stay', async () => {
  const surplus = { 'dst/b': 'small', 'dst/B': 'capital' };
  const clash = { args: 'sync src DST', tree: { ...TWICE, ...surplus } };
  const { end, stderr } = await play(clash, 'clash');
  expect(end).toMatchObject({ code: 1 });
  expect(stderr).toContain('"a" is skipped: at the destination it is the same file as "A"');
  expect(Object.keys(end.tree ?? {})).not.toContain('dst/b');
  expect(Object.keys(end.tree ?? {})).not.toContain('dst/B');
});

test('a move onto a folding disk keeps other content in other case, which rclone replaces', async () => {
  const tree = { 'src/A': 'newer', 'src/b': 'b', 'dst/a': 'old' };
  const { end, stderr } = await play({ args: 'move src DST', tree }, 'kept');
  expect(end.code).toBe(1);
  expect(Object.keys(end.tree ?? {}).sort()).toEqual(['dst/b', 'src/b']);
  expect(stderr).toContain('"A" is not moved: at the destination it is the same file as "a"');
});
