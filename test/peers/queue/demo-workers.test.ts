import { spawn } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { HAS_REDIS } from '../../support/redis-server.ts';

const root = resolve(import.meta.dirname, '../../..');

test.skipIf(!HAS_REDIS)(
  'the demo of workers kills one, proves that both buckets are equal, and leaves nothing',
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'syncer-demo-test-'));
    try {
      const child = spawn(join(root, 'scripts/demo-workers.sh'), [], {
        cwd: folder,
        env: { PATH: process.env['PATH'], HOME: folder, TMPDIR: folder },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      let text = '';
      for (const stream of [child.stdout, child.stderr]) {
        stream.on('data', (chunk) => {
          text += chunk;
        });
      }
      const code = await new Promise((done) => child.once('close', done));
      expect(code, text).toBe(0);
      expect(text).toMatch(/kill -9 \d+ \d+/);
      expect(text).toContain('0 differences found');
      expect(await readdir(folder)).toEqual([]);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
  240_000,
);
