import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { loadForget } from '../../../../commands/scrub/scrub-files.ts';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'load-forget-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

test('nothing of the content of a forgotten file is lost, written to the disk or not', async () => {
  const forget = await loadForget();
  if (forget === undefined) throw new Error('the system cannot forget files');
  for (const flush of [true, false]) {
    const path = join(folder, `ünï \ud83d\ude00 ${flush}`);
    const content = randomBytes(3_000_000);
    await writeFile(path, content, { flush });
    await forget(path);
    expect(content.equals(await readFile(path))).toBe(true);
  }
});

test('what is not there is no error', async () => {
  const forget = await loadForget();
  await expect(forget?.(join(folder, 'none'))).resolves.toBeUndefined();
});
