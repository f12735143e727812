import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { COPYURL_LINES, startUrlServer } from '../../cases/copyurl-cases.ts';
import { playCase } from '../../support/command-line-case.ts';
import { hasRclone, runRclone } from '../../support/rclone.ts';
import { checkRecord } from '../../support/record.ts';

// test/cli/copyurl.test.ts compares ours with the same record.

const { url, asked, stop } = await startUrlServer();
let base: string;
beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), 'copyurl-'));
});
afterAll(async () => {
  stop();
  await rm(base, { recursive: true });
});

describe.skipIf(!hasRclone)('rclone does as the record says', () => {
  const check = checkRecord('copyurl', COPYURL_LINES);
  test.each(COPYURL_LINES)('%s', async (line) => {
    asked.clear();
    const dir = join(base, `${COPYURL_LINES.indexOf(line)}`);
    const how = { args: line.replace('URL', url), tree: { there: 'before' } };
    const run = (words: readonly string[], cwd: string) => runRclone(words, { cwd });
    check(line, (await playCase(how, { dir, buckets: dir, run })).end);
  });
});
