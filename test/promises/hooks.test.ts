import { createHmac } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type InstallerWorld, makeInstallerWorld } from '../support/installer-world.ts';
import { waitFor } from '../support/wait-for.ts';
import { startWebhook, type WebhookServer } from '../support/webhook-beside.ts';

describe('the hook server', () => {
  let dir: string;
  let server: WebhookServer | undefined;
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'hook-promises-'));
  });
  afterEach(async () => {
    server?.kill('SIGTERM');
    await server?.ended;
    await rm(dir, { recursive: true, force: true });
  });

  const TOKEN = {
    match: { type: 'value', value: 's3cret-token', parameter: { source: 'url', name: 'token' } },
  };
  /** A hook whose command writes its arguments, one per line, to `ran`. */
  const hook = (more: object = {}) => ({
    id: 'deploy',
    'execute-command': join(dir, 'command.sh'),
    'command-working-directory': dir,
    'response-message': 'test success!\n',
    'trigger-rule': TOKEN,
    ...more,
  });
  const serve = async (hooks: unknown, ...args: string[]) => {
    await writeFile(
      join(dir, 'command.sh'),
      '#!/bin/sh\nprintf "%s\\n" "ran" "$@" > running && mv running ran\n',
      {
        mode: 0o755,
      },
    );
    await writeFile(join(dir, 'hooks.json'), JSON.stringify(hooks));
    server = await startWebhook('ours', {
      cwd: dir,
      args: ['-verbose', '-hooks', 'hooks.json', ...args],
    });
    return server;
  };
  const ask = (target: string, body = '', headers = '') =>
    (server as WebhookServer).exchange(
      `POST ${target} HTTP/1.1\r\nHost: h\r\nConnection: close\r\nContent-Type: application/json\r\n${headers}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    );
  const ran = async () => {
    await waitFor(() => existsSync(join(dir, 'ran')));
    return (await readFile(join(dir, 'ran'), 'utf8')).trim().split('\n');
  };

  test('a request that satisfies the rule runs the command and gets the message', async () => {
    await serve([hook()]);
    const answer = await ask('/hooks/deploy?token=s3cret-token');
    expect(answer).toMatch(/^HTTP\/1\.1 200 /);
    expect(answer).toMatch(/\r\n\r\ntest success!\n$/);
    expect(await ran()).toEqual(['ran']);
  });

  test.each(['/hooks/deploy?token=wrong', '/hooks/deploy?token=', '/hooks/deploy'])(
    'a wrong or missing token runs nothing: %s',
    async (target) => {
      await serve([hook()]);
      expect(await ask(target)).toMatch(/Hook rules were not satisfied\.$/);
      expect(await ask('/hooks/other')).toMatch(/^HTTP\/1\.1 404 /);
      expect(await readdir(dir)).not.toContain('ran');
    },
  );

  test('a rule of several parts counts as it is written: `and`, `or` and `not`', async () => {
    const is = (name: string, value: string) => ({
      match: { type: 'value', value, parameter: { source: 'url', name } },
    });
    const rule = { and: [TOKEN, { or: [is('a', '1'), is('b', '2')] }, { not: is('c', '3') }] };
    await serve([hook({ 'trigger-rule': rule })]);
    for (const query of ['a=1&c=0', 'token=s3cret-token&c=0', 'token=s3cret-token&a=1&c=3']) {
      expect(await ask(`/hooks/deploy?${query}`), query).toMatch(/rules were not satisfied\.$/);
    }
    expect(await readdir(dir)).not.toContain('ran');
    expect(await ask('/hooks/deploy?token=s3cret-token&b=2&c=0')).toMatch(/test success/);
    expect(await ran()).toEqual(['ran']);
  });

  test('a signature is checked over the body', async () => {
    const rule = {
      match: {
        type: 'payload-hmac-sha256',
        secret: 'signing key',
        parameter: { source: 'header', name: 'X-Signature' },
      },
    };
    await serve([hook({ 'trigger-rule': rule })]);
    const sign = (text: string) =>
      `X-Signature: sha256=${createHmac('sha256', 'signing key').update(text).digest('hex')}\r\n`;
    const wrong = [
      sign('{"a":1}'),
      '',
      'X-Signature: \r\n',
      'X-Signature: sha256=,\r\n',
      'X-Signature: ,\r\n',
    ];
    for (const header of wrong)
      expect(await ask('/hooks/deploy', '{"a":2}', header), header).not.toMatch(/test success/);
    expect(await readdir(dir)).not.toContain('ran');
    expect(await ask('/hooks/deploy', '{"a":1}', sign('{"a":1}'))).toMatch(/test success/);
    expect(await ran()).toEqual(['ran']);
  });

  test('arguments reach the command as they are, without a shell', async () => {
    const words = [{ source: 'payload', name: 'text' }];
    await serve([hook({ 'pass-arguments-to-command': words })]);
    const text = '$(touch PWN); `id` "quoted" *';
    await ask('/hooks/deploy?token=s3cret-token', JSON.stringify({ text }));
    expect(await ran()).toEqual(['ran', text]);
    expect(await readdir(dir)).not.toContain('PWN');
  });

  test('with `-hotreload` a changed file counts, and a broken one keeps the hooks', async () => {
    const running = await serve([hook()], '-hotreload');
    await writeFile(join(dir, 'hooks.json'), '[{"id":');
    await waitFor(() => running.seen.stderr.includes('stay in use'), running.ended);
    expect(await ask('/hooks/deploy?token=s3cret-token')).toMatch(/test success/);
    await writeFile(join(dir, 'hooks.json'), JSON.stringify([hook({ id: 'renamed' })]));
    await waitFor(() => running.seen.stderr.includes('loaded: renamed'), running.ended);
    expect(await ask('/hooks/renamed?token=s3cret-token')).toMatch(/test success/);
    expect(await ask('/hooks/deploy?token=s3cret-token')).toMatch(/^HTTP\/1\.1 404 /);
  });

  test('no secret of a rule or a request is in the log', async () => {
    const running = await serve([hook()], '-debug');
    await ask('/hooks/deploy?token=s3cret-token', '{"password":"hunter2-hunter2"}');
    await ask('/hooks/deploy?token=s3cret-tokem');
    await ran();
    expect(running.seen.stderr).toMatch(/deploy/);
    expect(running.seen.stderr).not.toMatch(/s3cret-token|hunter2/);
  });

  test('a hook file that cannot be loaded ends the start with 1 and a reason', async () => {
    const running = await serve([{ id: 'x', 'trigger-rule': 3 }], '-nopanic').catch(
      () => undefined,
    );
    if (running === undefined) throw new Error('not started');
    expect(running.seen.stderr).toMatch(/hooks\.json/);
  });
});

describe('the installer', () => {
  let machine: InstallerWorld;
  beforeEach(async () => {
    machine = await makeInstallerWorld();
  });
  afterEach(() => machine.remove());

  test('input other than 1 or 2 changes nothing', async () => {
    const before = await machine.tree();
    expect((await machine.run([], { input: '3\n' })).code).toBe(1);
    expect(await machine.tree()).toEqual(before);
  });

  test.each([
    'srv/webhook/',
    'usr/bin/webhook',
    'etc/webhook.conf',
    'lib/systemd/system/webhook.service',
  ])('it installs nothing over an existing item: %s', async (item) => {
    if (item.endsWith('/')) await mkdir(machine.path(item));
    else await writeFile(machine.path(item), 'mine');
    const before = await machine.tree();
    const { code, stdout, stderr } = await machine.run([], { input: '1\n' });
    expect(code).not.toBe(0);
    expect(`${stdout}${stderr}`).toContain(machine.path(item).replace(/\/$/, ''));
    expect(await machine.tree()).toEqual(before);
  });

  test('an installation that fails is undone', async () => {
    const before = await machine.tree();
    const { code } = await machine.run([], { input: '1\n' });
    expect(code, 'the release host has no release').not.toBe(0);
    expect(await machine.tree()).toEqual(before);
  });

  test('uninstalling where nothing is installed says so', async () => {
    const { stdout, stderr } = await machine.run([], { input: '2\n' });
    expect(`${stdout}${stderr}`).toMatch(/no webhook program/i);
  });
});
