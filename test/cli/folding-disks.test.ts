import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { canMount, type MountPlace, makeMountPlace } from '../support/mount-place.ts';
import { runInProcess } from '../support/run-in-process.ts';

const server = resolve(import.meta.dirname, '../support/serve-memory-mount.ts');

describe.skipIf(!canMount).each(['one', 'apart'])(
  'a mount of which one directory ignores case, inode numbers: %s',
  (inodes) => {
    let place: MountPlace;

    beforeAll(async () => {
      place = await makeMountPlace();
      const child = spawn(process.execPath, [server, place.mnt, inodes, 'Folds'], {
        stdio: ['ignore', 'pipe', 'ignore'],
      });
      await once(child.stdout, 'data');
    });
    afterAll(() => place.remove());

    test('only there two names that differ only in case are one', async () => {
      const { mnt, beside, base } = place;
      for (const name of ['Folds', 'plain']) mkdirSync(join(mnt, name));
      for (const name of ['even', 'EVEN']) writeFileSync(join(beside, name), name);
      const env = { HOME: base, PATH: process.env['PATH'] };
      const copy = (to: string) => runInProcess(['copy', beside, to, '--retries=1'], env);
      expect((await copy(join(mnt, 'plain'))).code).toBe(0);
      expect(readdirSync(join(mnt, 'plain')).sort()).toEqual(['EVEN', 'even']);
      const { code, stderr } = await copy(join(mnt, 'Folds'));
      expect(stderr).toContain('"even" is skipped: at the destination it is the same file');
      expect(code).toBe(1);
      expect(readdirSync(join(mnt, 'Folds'))).toEqual(['EVEN']);
      const line = ['moveto', join(mnt, 'Folds/EVEN'), join(mnt, 'Folds/Even')];
      expect((await runInProcess(line, env)).code).toBe(0);
      expect(readdirSync(join(mnt, 'Folds'))).toEqual(['Even']);
      expect(readFileSync(join(mnt, 'Folds/Even'), 'utf8')).toBe('EVEN');
    });
  },
);
