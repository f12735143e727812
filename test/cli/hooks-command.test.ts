import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { runForBytes } from '../support/run-in-process.ts';
import { startWebhook, type WebhookServer } from '../support/webhook-beside.ts';

let cwd: string;
let server: WebhookServer;
beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'hooks-command-'));
  const rule = { type: 'value', value: 'sesame-open', parameter: { source: 'url', name: 't' } };
  const signature = {
    ...{ type: 'payload-hmac-sha256', secret: 'k' },
    parameter: { source: 'header', name: 'X-Signature' },
  };
  const script = 'echo hello; printf "\\377"; [ "$1" = bad ] && exit 4; exit 0';
  const hooks = [
    {
      id: 'say',
      'execute-command': '/bin/sh',
      'pass-arguments-to-command': [
        ...['-c', script, 'x'].map((name) => ({ source: 'string', name })),
        { source: 'url', name: 'q' },
      ],
      'include-command-output-in-response': true,
      'trigger-rule': { match: rule },
    },
    {
      id: 'soft',
      'execute-command': '/bin/true',
      'trigger-signature-soft-failures': true,
      'trigger-rule': { or: [{ not: { match: signature } }] },
    },
  ];
  await writeFile(join(cwd, 'hooks.json'), JSON.stringify(hooks));
  const env = { XDG_RUNTIME_DIR: cwd, RUNTIME_DIRECTORY: join(cwd, 'webhook') };
  server = await startWebhook('ours', { cwd, env, args: ['-control', 'auto'] });
});
afterEach(async () => {
  server.kill('SIGKILL');
  await server.ended;
  await rm(cwd, { recursive: true, force: true });
});

const ask = (query: string) => server.exchange(`GET /hooks/say?${query} HTTP/1.0\r\n\r\n`);
/** Runs `syncer hooks …` as a script does. */
async function hooks(...args: string[]) {
  const env = { PATH: process.env['PATH'], HOME: cwd, XDG_RUNTIME_DIR: cwd };
  const { code, stdout, stderr } = await runForBytes(['hooks', ...args], env);
  return { code, stdout: stdout.toString('latin1'), stderr };
}

describe('syncer hooks without a terminal', () => {
  test('finds the server by itself, whose socket is for its user only', async () => {
    expect((await stat(join(cwd, 'webhook/control.sock'))).mode & 0o777).toBe(0o600);
    const { code, stdout } = await hooks();
    expect(code).toBe(0);
    expect(stdout).toMatch(/^say {3}0 running {2}0 waiting {2}- {2}- {2}\/bin\/sh\nsoft .*\n$/);
  });

  test('lists runs, shows them, and says why one was refused', async () => {
    await ask('t=sesame-open&q=good');
    await ask('t=sesame-shut');
    const { stdout } = await hooks('history');
    const [refused = '', done = ''] = stdout.split('\n');
    expect(refused).toMatch(/ say {2}refused {2}- .*value of url "t": it does not match$/);
    expect(done).toMatch(/ say {2}done +[\d.]+ m?s$/);
    const shown = await hooks('show', done.split(' ', 1)[0] ?? '');
    expect(shown.stdout).toMatch(/request +GET \/hooks\/say\?t=\*\*\*&q=good from 127/);
    expect(shown.stdout).toMatch(/\n\nhello\n\xff$/);
    expect(JSON.parse((await hooks('history', 'say', '--json')).stdout)).toMatchObject([
      { state: 'refused' },
      { state: 'done' },
    ]);
    expect((await hooks('history', 'nope')).stdout).toBe('');
  });

  test('runs again and ends as the run does', async () => {
    await ask('t=sesame-open&q=good');
    await ask('t=sesame-open&q=bad');
    await ask('t=sesame-shut');
    const ids = (await hooks('history')).stdout
      .split('\n')
      .map((line) => line.split(' ', 1)[0] ?? '');
    const [refused, bad, good] = ids;
    expect(await hooks('rerun', good ?? '')).toMatchObject({ code: 0, stdout: 'hello\n\xff' });
    const failed = await hooks('rerun', bad ?? '');
    expect(failed).toMatchObject({ code: 1, stdout: 'hello\n\xff' });
    expect(failed.stderr).toMatch(/run \S+ failed: exit status 4/);
    const again = await hooks('rerun', refused ?? '');
    expect(again.stderr).toMatch(/run \S+ refused: value of url "t": it does not match/);
    expect(await hooks('follow', bad ?? '')).toMatchObject({ code: 1, stdout: 'hello\n\xff' });
  });

  test('rerun refuses a request that the server refused, with soft failures of signatures, too', async () => {
    const refusal = await server.exchange('GET /hooks/soft HTTP/1.0\r\nX-Signature: 00\r\n\r\n');
    expect(refusal).toContain('Hook rules were not satisfied.');
    const [id = ''] = (await hooks('history', 'soft')).stdout.split(' ', 1);
    expect((await hooks('show', id)).stdout).toMatch(
      /rule\n +no +or\n +no +not: a wrong signature triggers nothing\n +no +payload-hmac/,
    );
    const again = await hooks('rerun', id);
    expect(again.stderr).toMatch(/run \S+ refused: payload-hmac-sha256 .*: the signature is wrong/);
    expect(again.code).not.toBe(0);
    expect((await hooks('history', 'soft')).stdout).not.toContain('done');
  });

  test('says what it does not know', async () => {
    expect((await hooks('show', 'nope')).stderr).toContain('no run nope');
    expect((await hooks('--control', 'nowhere')).stderr).toContain(
      'no hook server listens at nowhere',
    );
    server.kill('SIGTERM');
    await server.ended;
    expect((await hooks('list')).stderr).toContain('no hook server found at');
  });
});
