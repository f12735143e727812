import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { waitFor } from '../../support/wait-for.ts';
import { startWebhook, type WebhookServer } from '../../support/webhook-beside.ts';

let cwd: string;
let server: WebhookServer | undefined;
beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'webhook-status-'));
  const token = { type: 'value', value: 'sesame-open', parameter: { source: 'url', name: 't' } };
  const hooks = [
    { id: 'good', 'execute-command': 'true', 'trigger-rule': { match: token } },
    { id: 'bad', 'execute-command': 'false', 'include-command-output-in-response': true },
    { id: 'healthz', 'execute-command': 'true', 'response-message': 'a hook' },
  ];
  await writeFile(join(cwd, 'hooks.json'), JSON.stringify(hooks));
});
afterEach(async () => {
  server?.kill('SIGKILL');
  await server?.ended;
  server = undefined;
  await rm(cwd, { recursive: true, force: true, maxRetries: 5 });
});

const start = async (...args: string[]) => {
  server = await startWebhook('ours', { cwd, args });
  return server;
};
const get = (running: WebhookServer, path: string) =>
  running.exchange(`GET ${path} HTTP/1.0\r\n\r\n`);
const freePort = () =>
  new Promise<number>((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const address = probe.address() as { port: number };
      probe.close(() => resolve(address.port));
    });
  });

test('nothing of it is there unless it is asked for', async () => {
  const running = await start();
  for (const path of ['/healthz', '/metrics', '/status']) {
    expect(await get(running, path)).toMatch(/^HTTP\/1\.0 404 .*404 page not found\n$/s);
  }
  expect(await get(running, '/hooks/healthz')).not.toMatch(/X-Hook-Run/);
});

test('-healthz and -metrics answer beside the hooks', async () => {
  const running = await start('-healthz', '-metrics');
  expect(await get(running, '/healthz')).toMatch(/^HTTP\/1\.0 200 .*ok\n$/s);
  expect(await get(running, '/hooks/healthz')).toMatch(/a hook$/);
  await get(running, '/hooks/bad');
  await get(running, '/hooks/good?t=no');
  await get(running, '/hooks/nothing/such');
  const metrics = await get(running, '/metrics');
  expect(metrics).toContain('Content-Type: text/plain; version=0.0.4; charset=utf-8');
  for (const line of [
    'webhook_requests_total{hook="bad",status="500"} 1',
    'webhook_requests_total{hook="",status="404"} 1',
    'webhook_runs_total{hook="bad",result="failed"} 1',
    'webhook_runs_total{hook="good",result="refused"} 1',
    'webhook_hooks 3',
  ]) {
    expect(metrics).toContain(`\n${line}\n`);
  }
  expect(await get(running, '/status')).toMatch(/404/);
});

test('-run-header names the run', async () => {
  const running = await start('-run-header');
  const ids = [await get(running, '/hooks/bad'), await get(running, '/hooks/healthz')].map(
    (answer) => /\r\nX-Hook-Run: ([a-z0-9]+-[a-z0-9]+)\r\n/.exec(answer)?.[1],
  );
  expect(new Set(ids).size).toBe(2);
  expect(ids).not.toContain(undefined);
});

test('-status tells at an address of its own, without secrets, the last runs', async () => {
  const port = await freePort();
  const running = await start('-status', `127.0.0.1:${port}`, '-history', '2');
  for (const path of ['bad', 'good?t=sesame-open', 'good?t=sesame-nope', 'bad']) {
    await get(running, `/hooks/${path}`);
  }
  const ask = async (path: string) => (await fetch(`http://127.0.0.1:${port}${path}`)).text();
  expect(await ask('/healthz')).toBe('ok\n');
  let text = '';
  await waitFor(() => {
    void ask('/status').then((told) => {
      text = told;
    });
    return text !== '' && !text.includes('"running"');
  });
  expect(text).not.toContain('sesame');
  const status = JSON.parse(text);
  expect(status.hooks).toEqual(['good', 'bad', 'healthz']);
  expect(status.runs).toHaveLength(2);
  expect(status.runs[0]).toMatchObject({ hook: 'bad', state: 'failed', failure: 'exit status 1' });
  const refused = status.runs.find((run: { state: string }) => run.state === 'refused');
  expect(refused).toMatchObject({ hook: 'good', target: '/hooks/good?t=***' });
  expect(refused.explanation).toMatchObject({
    ...{ outcome: 'no', what: 'value of url "t"', why: 'it does not match' },
  });
  expect(await ask('/metrics')).toContain('webhook_runs_total{hook="bad",result="failed"} 2\n');
  expect(await ask('/hooks/bad')).toBe('404 page not found\n');
});
