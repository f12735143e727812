import { mkdtemp, readdir, readFile, readlink, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { hasWebhook, startWebhook, type WebhookServer } from '../../support/webhook-beside.ts';

let cwd: string;
const servers: WebhookServer[] = [];
beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'webhook-commands-'));
});
afterEach(async () => {
  for (const server of servers) server.kill('SIGTERM');
  await Promise.all(servers.splice(0).map(({ ended }) => ended));
  await rm(cwd, { recursive: true, force: true, maxRetries: 5 });
});

const text = (...words: string[]) => words.map((name) => ({ source: 'string', name }));
const shown = (id: string, command: string, words: object[], more: object = {}) => ({
  id,
  'execute-command': command,
  'include-command-output-in-response': true,
  'pass-arguments-to-command': words,
  ...more,
});
const HOOKS = [
  shown('signals', '/bin/grep', text('-E', '^Sig(Blk|Ign)', '/proc/self/status')),
  shown('descriptors', '/bin/ls', text('/proc/self/fd')),
  shown('group', '/usr/bin/cut', text('-d', ' ', '-f', '5,6', '/proc/self/stat')),
  shown('directory', '/bin/pwd', [], { 'command-working-directory': '/usr' }),
  shown('umask', '/bin/grep', text('Umask', '/proc/self/status')),
  shown('input', '/bin/ls', text('-l', '--time-style=+', '/dev/stdin', '/proc/self/fd/0')),
  shown('bytes', '/usr/bin/printf', [
    ...text('%s|'),
    { source: 'url', name: 'q' },
    { source: 'payload', name: 'p' },
  ]),
  shown('variables', '/usr/bin/env', text('-u', 'HOME', '-u', 'TMPDIR', '-u', 'PWD'), {
    'pass-environment-to-command': [
      { source: 'url', name: 'q' },
      { source: 'string', name: '/x', envname: 'PATH' },
    ],
  }),
  shown('zero', '/bin/echo', [{ source: 'url', name: 'q' }]),
  shown('long', '/bin/echo', [{ source: 'payload', name: 'p' }], {
    'include-command-output-in-response-on-error': true,
  }),
  shown('killed', '/bin/sh', text('-c', 'kill -9 $$')),
  shown('both', '/bin/sh', text('-c', 'echo one; echo two >&2; echo three; exit 4'), {
    'include-command-output-in-response-on-error': true,
  }),
];

const post = (path: string, body = '') =>
  `POST /hooks/${path} HTTP/1.0\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;

describe.skipIf(!hasWebhook)("a command sees what it sees of Debian's webhook 2.8.0", () => {
  test.each([
    ['signals', ''],
    ['descriptors', ''],
    ['group', ''],
    ['directory', ''],
    ['umask', ''],
    ['bytes?q=%ff%fe%C3%A4', '{"p":"\u00e4\ud83d\ude00"}'],
    ['variables?q=%ff%c3', ''],
    ['zero?q=a%00b', ''],
    ['long', JSON.stringify({ p: 'x'.repeat(140_000) })],
    ['killed', ''],
    ['both', ''],
  ])('%s', async (path, body) => {
    await writeFile(join(cwd, 'hooks.json'), JSON.stringify(HOOKS));
    const env = { ODD: 'value', LANG: 'C' };
    const answers = await Promise.all(
      (['ours', 'theirs'] as const).map(async (whose) => {
        const server = await startWebhook(whose, { cwd, env, args: ['-nopanic'] });
        servers.push(server);
        const [head = '', ...rest] = (await server.exchange(post(path, body))).split('\r\n\r\n');
        const headers = head.split('\r\n').filter((line) => !line.startsWith('Date:'));
        return [...headers.sort(), ...rest].join('\n');
      }),
    );
    expect(answers[0]).toBe(answers[1]);
    expect(answers[0]).toMatch(/^HTTP\/1\.0 (200|500) /m);
  });
});

describe('commands', () => {
  const start = async (hooks: object[], ...args: string[]) => {
    await writeFile(join(cwd, 'hooks.json'), JSON.stringify(hooks));
    const server = await startWebhook('ours', { cwd, args });
    servers.push(server);
    return server;
  };

  test('that are answered for all run, and leave no zombie and no descriptor', async () => {
    const hook = {
      id: 'a',
      'execute-command': '/bin/sh',
      'pass-arguments-to-command': text('-c', 'echo x >> out'),
    };
    const server = await start([hook]);
    const folder = `/proc/${server.pid}/fd`;
    const descriptors = async () => (await readdir(folder)).length;
    const opened = async () =>
      Promise.all((await readdir(folder)).map((fd) => readlink(join(folder, fd)).catch(() => '')));
    await server.exchange(post('a'));
    // It has entered the list of running runs.
    await expect.poll(async () => (await opened()).join()).toContain('state.db-shm');
    const before = await descriptors();
    const responses = Array.from({ length: 300 }, () => server.exchange(post('a')));
    for (const response of await Promise.all(responses))
      expect(response).toMatch(/^HTTP.1.[01] 200/);
    const lines = async () => (await readFile(join(cwd, 'out'), 'utf8')).split('\n').length - 1;
    const children = () => readFile(`/proc/${server.pid}/task/${server.pid}/children`, 'utf8');
    await expect.poll(async () => [await lines(), await children()]).toEqual([301, '']);
    // The pipe for what nobody wants stays.
    expect(await descriptors()).toBeLessThanOrEqual(before + 2);
  });

  test('without koffi run too', async () => {
    const blocked = join(cwd, 'no-koffi.mjs');
    await writeFile(
      blocked,
      `import { registerHooks } from 'node:module';
registerHooks({ resolve(name, context, next) {
  if (name === 'koffi') throw new Error('not here');
  return next(name, context);
} });`,
    );
    await writeFile(join(cwd, 'hooks.json'), JSON.stringify(HOOKS));
    const env = { NODE_OPTIONS: `--import ${blocked}` };
    const server = await startWebhook('ours', { cwd, args: [], env });
    servers.push(server);
    expect(await server.exchange(post('both'))).toMatch(/one\n(.*\n)*three\n/);
    expect(await server.exchange(post('bytes?q=%ff'))).toMatch(/\xef\xbf\xbd\|/);
  });
});
