import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { askLogged, asTheirs, HOOK_ARGS } from '../cases/comparable.ts';
import { HOOKS } from '../cases/compared-hooks.ts';
import { CASES, REFUSED } from '../cases/hook-cases.ts';
import { readRecord } from '../support/record.ts';
import { startWebhook, type WebhookServer } from '../support/webhook-beside.ts';

// test/peers/webhook/hooks.test.ts has recorded what Debian's webhook 2.8.0 answers and logs.

let cwd: string;
let server: WebhookServer;

beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'webhook-hooks-'));
  await writeFile(join(cwd, 'hooks.json'), JSON.stringify(HOOKS));
  server = await startWebhook('ours', { cwd, args: HOOK_ARGS });
});
afterAll(async () => {
  server.kill('SIGTERM');
  await server.ended;
  await rm(cwd, { recursive: true });
});

describe('as webhook 2.8.0', () => {
  const record = readRecord('hooks');

  test('every case has a result, and there are no others', () => {
    expect(Object.keys(record)).toEqual(CASES.map(({ name }) => name));
  });

  test.each(CASES)('$name', async ({ name, request }) => {
    expect(asTheirs(await askLogged(server, request))).toEqual(record[name]);
  });
});

test.each(REFUSED)('$name is refused, and nothing is run', async ({ request }) => {
  const before = server.seen.stderr;
  expect(await server.exchange(request)).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
  await server.exchange('GET / HTTP/1.0\r\n\r\n');
  expect(server.seen.stderr.slice(before.length)).not.toContain('incoming HTTP');
});
