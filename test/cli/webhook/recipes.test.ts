import { spawnSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PROGRAMS, startWebhook, type WebhookServer } from '../../support/webhook-beside.ts';

const page = await readFile(resolve(import.meta.dirname, '../../../docs/hook-recipes.md'), 'utf8');

/** A request as the page shows it. */
interface ShownRequest {
  readonly target: string;
  readonly headers: readonly string[];
  readonly body: string;
}

/** A section of the page: its title, its hook and its request. */
const RECIPES = page.split(/^## /m).flatMap((section) => {
  const hook = /```json\n(.*?)\n```/s.exec(section)?.[1];
  const [, target = '', head = '', body = ''] =
    /```http\nPOST (\S+) HTTP\/1\.1\n(.*?)\n\n(.*?)\n```/s.exec(section) ?? [];
  const request: ShownRequest = { target, headers: head.split('\n'), body };
  const title = section.slice(0, section.indexOf('\n'));
  return hook === undefined ? [] : [{ title, hook, request }];
});

const KEY = 'example-key';
const hmac = (text: string) => createHmac('sha256', KEY).update(text).digest('hex');

/** The headers that sign a body, as the documentation of each service says; `time` in seconds. */
const SIGN: Readonly<Record<string, (body: string, time: number) => Record<string, string>>> = {
  GitHub: (body) => ({ 'X-Hub-Signature-256': `sha256=${hmac(body)}` }),
  Gitea: (body) => ({ 'X-Gitea-Signature': hmac(body) }),
  Bitbucket: (body) => ({ 'X-Hub-Signature': `sha256=${hmac(body)}` }),
  Slack: (body, time) => ({
    'X-Slack-Request-Timestamp': String(time),
    'X-Slack-Signature': `v0=${hmac(`v0:${time}:${body}`)}`,
  }),
  Stripe: (body, time) => ({ 'Stripe-Signature': `t=${time},v1=${hmac(`${time}.${body}`)}` }),
};

const of = (titles: readonly string[]) => RECIPES.filter(({ title }) => titles.includes(title));
const SIGNED = of(['GitHub', 'Gitea', 'Bitbucket', 'Slack', 'Stripe']);
const TIMED = of(['Slack', 'Stripe']);
const UNTIMED = of(['GitHub', 'GitLab', 'Gitea', 'Bitbucket', 'Docker Hub']);
const WITH_TOKEN = of(['GitLab', 'Docker Hub']);

const now = () => Math.floor(Date.now() / 1000);

/** A request with other headers in the place of those of the same names. */
function withHeaders(request: ShownRequest, changed: Readonly<Record<string, string>>) {
  const others = request.headers.filter((line) => !((line.split(':', 1)[0] ?? '') in changed));
  const lines = Object.entries(changed).map(([name, value]) => `${name}: ${value}`);
  return { ...request, headers: [...others, ...lines] };
}

/** A request that the service signs now, or at another time. */
function signed(title: string, request: ShownRequest, time = now()): ShownRequest {
  return withHeaders(request, SIGN[title]?.(request.body, time) ?? {});
}

/** A body with another letter, which no condition is about. */
const withOtherName = (request: ShownRequest): ShownRequest => ({
  ...request,
  body: request.body.replace('Ada', 'Ida'),
});

let cwd: string;
let server: WebhookServer;
beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'hook-recipes-'));
  const hooks = `[${RECIPES.map(({ hook }) => hook).join(',\n')}]`;
  for (const [, name = ''] of hooks.matchAll(/\$\{credential:([\w-]+)\}/g)) {
    await writeFile(join(cwd, name), `${KEY}\n`);
  }
  await writeFile(join(cwd, 'hooks.json'), hooks.replaceAll('/usr/local/bin/publish', '/bin/true'));
  const env = { CREDENTIALS_DIRECTORY: cwd };
  server = await startWebhook('ours', { cwd, env, args: ['-verbose'] });
});
afterAll(async () => {
  server.kill('SIGTERM');
  await server.ended;
  await rm(cwd, { recursive: true, force: true, maxRetries: 5 });
});

/** Sends a request; gives the status and the body of the response. */
async function send({ target, headers, body }: ShownRequest): Promise<string> {
  const length = `Content-Length: ${Buffer.byteLength(body)}`;
  const lines = [`POST ${target} HTTP/1.1`, ...headers, 'Connection: close', length];
  const response = await server.exchange(`${lines.join('\r\n')}\r\n\r\n${body}`);
  return `${response.slice(9, 12)} ${response.slice(response.indexOf('\r\n\r\n') + 4)}`;
}

const REFUSED = '403 Hook rules were not satisfied.';
const accepted = (hook: string) => `200 ${JSON.parse(hook)['response-message']}`;

test('docs/hook-recipes.md has a hook and a request for each service, and -check finds no fault', () => {
  expect(RECIPES.map(({ title }) => title)).toEqual([
    ...['GitHub', 'GitLab', 'Gitea', 'Bitbucket', 'Slack', 'Stripe', 'Docker Hub'],
  ]);
  const [command, ...words] = PROGRAMS.ours;
  const env = { CREDENTIALS_DIRECTORY: cwd, PATH: process.env['PATH'] };
  const checked = spawnSync(command, [...words, '-check', 'hooks.json'], {
    ...{ cwd, encoding: 'utf8', env },
  });
  expect(checked).toMatchObject({ status: 0, stderr: '' });
});

describe.each(UNTIMED)('the hook for $title', ({ hook, request }) => {
  test('accepts the request as the page shows it', async () => {
    expect(await send(request)).toBe(accepted(hook));
  });
});

describe.each(SIGNED)('the hook for $title', ({ title, hook, request }) => {
  test('accepts a signed request', async () => {
    expect(await send(signed(title, request))).toBe(accepted(hook));
  });

  test('refuses a request whose body or signature has another byte', async () => {
    const right = signed(title, request);
    expect(await send(withOtherName(right))).toBe(REFUSED);
    expect(await send(signed(title, withOtherName(request)))).toBe(accepted(hook));
    for (const [name, value] of Object.entries(SIGN[title]?.(request.body, now()) ?? {})) {
      const other = value.replace(/.$/, (last) => (last === '0' ? '1' : '0'));
      expect(await send(withHeaders(right, { [name]: other }))).toBe(REFUSED);
      const without = right.headers.filter((line) => !line.startsWith(`${name}: `));
      expect(await send({ ...right, headers: without })).toBe(REFUSED);
    }
  });
});

describe.each(TIMED)('the hook for $title', ({ title, request }) => {
  test('refuses a request that was signed more than five minutes ago', async () => {
    // The time on the page is long ago, but its signature is right.
    expect(await send(request)).toBe(REFUSED);
    expect(server.seen.stderr).toContain('invalid payload signature outdated');
    expect(await send(signed(title, request, now() - 310))).toBe(REFUSED);
    expect(await send(signed(title, request, now() + 310))).toBe(REFUSED);
  });

  test('refuses a multipart request with the signature of an empty body', async () => {
    const empty = signed(title, { ...request, body: '' });
    const type = { 'Content-Type': 'multipart/form-data; boundary=b' };
    const part =
      '--b\r\nContent-Disposition: form-data; name="command"\r\n\r\n/publish\r\n--b--\r\n';
    expect(await send({ ...withHeaders(empty, type), body: part })).toBe(REFUSED);
  });
});

describe.each(WITH_TOKEN)('the hook for $title', ({ hook, request }) => {
  test('refuses another token, and verifies nothing else, as the page says', async () => {
    const headers = request.headers.map((line) => line.replace(KEY, 'example-kez'));
    const target = request.target.replace(KEY, 'example-kez');
    expect(await send({ ...request, headers, target })).toBe(REFUSED);
    expect(await send(withOtherName(request))).toBe(accepted(hook));
  });
});

describe.each(RECIPES)('the hook for $title', ({ title, request }) => {
  test('refuses another event or branch, even if it is signed', async () => {
    const other = request.body.replace(
      /refs\/heads\/main|"main"|%2Fpublish|completed|latest/g,
      'x',
    );
    expect(other).not.toBe(request.body);
    expect(await send(signed(title, { ...request, body: other }))).toBe(REFUSED);
  });
});

test('the log has no key and no signature', async () => {
  for (const { title, request } of RECIPES) await send(signed(title, withOtherName(request)));
  for (const { title, request } of SIGNED) await send(withOtherName(signed(title, request)));
  expect(server.seen.stderr).not.toContain(KEY);
  expect(server.seen.stderr).not.toMatch(/[0-9a-f]{64}/);
});
