import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { loadForget } from '../../../commands/scrub/scrub-files.ts';
import { hasProgram } from '../../support/has-program.ts';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'load-forget-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** How many bytes of a file are in the memory of the system. */
const cached = (path: string) =>
  Number(execFileSync('fincore', ['--bytes', '--noheadings', '--output', 'RES', path]));

const isOnDisk = () =>
  hasProgram('fincore') &&
  String(execFileSync('stat', ['-f', '-c', '%T', tmpdir()])).trim() !== 'tmpfs';

test.runIf(isOnDisk())(
  'the system forgets a file, and nothing of its content is lost',
  async () => {
    const forget = await loadForget();
    for (const name of ['plain', 'ünï \ud83d\ude00', 'w'.repeat(200)]) {
      const path = join(folder, name);
      // The system keeps what it has not written yet.
      await writeFile(path, Buffer.alloc(3_000_000, 'x'), { flush: true });
      expect(cached(path)).toBeGreaterThan(2_900_000);
      expect(forget).toBeDefined();
      await forget?.(path);
      expect(cached(path)).toBe(0);
      expect(Buffer.alloc(3_000_000, 'x').equals(await readFile(path))).toBe(true);
    }
  },
);
