import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startS3Server } from '../../../src/serve/s3/s3-server.ts';
import { type LyingProxy, startLyingProxy } from './lying-proxy.ts';

let root: string;
let server: Awaited<ReturnType<typeof startS3Server>>;
let proxy: LyingProxy;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'syncer-lies-'));
  server = await startS3Server({ root, port: 0, authKeys: [], region: 'us-east-1' });
  proxy = await startLyingProxy(server.endpoint);
  await fetch(`${proxy.endpoint}/bucket`, { method: 'PUT' });
});
afterAll(async () => {
  await proxy.close();
  await server.close();
  await rm(root, { recursive: true });
});

const put = (key: string) => fetch(`${proxy.endpoint}/bucket/${key}`, { method: 'PUT', body: 'x' });

it('tells the truth where no lie is chosen', async () => {
  expect((await put('true')).headers.get('etag')).toMatch(/^"[0-9a-f]{32}"$/);
  const answer = await fetch(`${proxy.endpoint}/bucket/true`);
  expect(await answer.text()).toBe('x');
});

it('tells a lie about every n-th request of its kind', async () => {
  proxy.setLie({ lie: 'put-no-etag', every: 3 });
  const etags = [];
  for (let i = 0; i < 6; i++) etags.push((await put(`key-${i}`)).headers.has('etag'));
  expect(etags).toEqual([true, true, false, true, true, false]);
  expect(proxy.told()).toBe(2);
});

it('tells it by chance where a seed is given, the same for the same seed', async () => {
  const runs = [];
  for (let run = 0; run < 2; run++) {
    proxy.setLie({ lie: 'empty-200', every: 2, seed: 7, of: ['PutObject'] });
    const told = [];
    for (let i = 0; i < 12; i++) {
      await put(`by-chance-${i}`);
      told.push(proxy.told());
    }
    runs.push(told);
  }
  expect(runs[0]).toEqual(runs[1]);
  expect(proxy.told()).toBeGreaterThan(0);
  expect(proxy.told()).toBeLessThan(12);
});
