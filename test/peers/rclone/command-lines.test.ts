import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { COMMAND_LINE_TABLES, S3_DESCRIPTION } from '../../cases/command-line-tables.ts';
import { TWICE } from '../../cases/ignore-case-cases.ts';
import { startTestS3, type TestS3 } from '../../servers/test-s3.ts';
import { type CommandLineCase, playCase } from '../../support/command-line-case.ts';
import { hasRclone, isCompared, runRclone } from '../../support/rclone.ts';
import { checkRecord } from '../../support/record.ts';
import { section } from '../../support/s3-world.ts';

// test/recorded compares ours with the same records.

let dir: string;
let server: TestS3;

beforeAll(async () => {
  [dir, server] = await Promise.all([mkdtemp(join(tmpdir(), 'rclone-')), startTestS3()]);
  await writeFile(join(dir, 'rclone.conf'), section(server, 's3', S3_DESCRIPTION));
});

afterAll(async () => {
  await server.stop();
  await rm(dir, { recursive: true });
});

const rclone = (words: readonly string[], cwd: string) =>
  runRclone(words, { cwd, config: join(dir, 'rclone.conf') });

const play = (how: CommandLineCase, name: string) =>
  playCase(how, { dir: join(dir, name), buckets: server.root, run: rclone });

describe.skipIf(!hasRclone).each(Object.entries(COMMAND_LINE_TABLES))(
  'rclone does as the record of %s says',
  (table, cases) => {
    const check = checkRecord(table, Object.keys(cases));
    for (const [index, [name, how]] of Object.entries(cases).entries()) {
      test.skipIf(!isCompared(how)).concurrent(name, async () => {
        const { end } = await play(how, `${table}-${index}`);
        check(name, table === 'newer-codes' ? { code: end.code } : end);
      });
    }
  },
);

test.skipIf(!hasRclone)(
  'rclone takes note of two files that a folding disk takes for one, and continues',
  async () => {
    const surplus = { 'dst/b': 'small', 'dst/B': 'capital' };
    const clash = { args: 'sync src DST', tree: { ...TWICE, ...surplus } };
    expect((await play(clash, 'clash')).end).toMatchObject({ code: 0 });
  },
);
