import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { DeleteObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sdkClient } from '../servers/sdk-client.ts';
import { startTestS3 } from '../servers/test-s3.ts';
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

    test('it keeps times to the second: what a run left there is known by the time that it has', async () => {
      const { mnt, base } = place;
      const src = join(base, 'times');
      const env = { HOME: join(base, 'home'), PATH: process.env['PATH'] };
      const syncer = (...words: string[]) => runInProcess(words, env);
      const plant = () => {
        mkdirSync(src, { recursive: true });
        for (const name of ['a', 'b']) {
          writeFileSync(join(src, name), name);
          utimesSync(join(src, name), 1_700_000_000.123, 1_700_000_000.123);
        }
      };
      const undoLast = async () => {
        const { stdout } = await syncer('history', '--json');
        const [last] = stdout.trim().split('\n');
        return syncer('undo', JSON.parse(last ?? '').id, '--trash=false');
      };
      plant();
      await syncer('copy', src, join(mnt, 'copied'));
      expect(await undoLast()).toMatchObject({ code: 0 });
      expect(existsSync(join(mnt, 'copied'))).toBe(false);
      await syncer('move', src, join(mnt, 'moved'));
      expect(readdirSync(src)).toEqual([]);
      expect(await undoLast()).toMatchObject({ code: 0 });
      expect(readdirSync(src).sort()).toEqual(['a', 'b']);
      plant();
      await syncer('bisync', src, join(mnt, 'both'), '--resync');
      const again = await syncer('bisync', src, join(mnt, 'both'), '-v');
      expect(again).toMatchObject({ code: 0 });
      expect(again.stderr).not.toContain('changed');
    });

    test('a bucket served from there refuses a second key that differs only in case', async () => {
      const root = join(place.mnt, 'served');
      mkdirSync(join(root, 'Folds'), { recursive: true });
      const s3 = await startTestS3({ root });
      const client = sdkClient(s3);
      const [Bucket, Body] = ['Folds', 'content'];
      try {
        await client.send(new PutObjectCommand({ Bucket, Key: 'Readme', Body }));
        const other = new PutObjectCommand({ Bucket, Key: 'README', Body: 'another one' });
        await expect(client.send(other)).rejects.toThrow('The disk ignores case');
        await client.send(new DeleteObjectCommand({ Bucket, Key: 'README' }));
        expect(readFileSync(join(root, 'Folds/Readme'), 'utf8')).toBe(Body);
        await client.send(new PutObjectCommand({ Bucket, Key: 'Readme', Body: 'newer' }));
        expect(readFileSync(join(root, 'Folds/Readme'), 'utf8')).toBe('newer');
      } finally {
        client.destroy();
        await s3.stop();
      }
    });
  },
);
