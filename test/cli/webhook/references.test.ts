// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references look like that
import { spawnSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { waitFor } from '../../support/wait-for.ts';
import { PROGRAMS, startWebhook, type WebhookServer } from '../../support/webhook-beside.ts';

let cwd: string;
let server: WebhookServer | undefined;
beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'webhook-references-'));
  await mkdir(join(cwd, 'credentials'));
  await writeFile(join(cwd, 'credentials/key'), 'the-key-of-systemd\n');
  await writeFile(join(cwd, 'secret'), 'word-in-a-file\n');
});
afterEach(async () => {
  server?.kill('SIGKILL');
  await server?.ended;
  server = undefined;
  await rm(cwd, { recursive: true, force: true, maxRetries: 5 });
});

const hooks = () => [
  {
    id: 'signed',
    'execute-command': '/bin/echo',
    'pass-arguments-to-command': [{ source: 'string', name: '${env:WORD}' }],
    'include-command-output-in-response': true,
    'trigger-rule': {
      and: [
        {
          match: {
            type: 'payload-hmac-sha256',
            secret: '${credential:key}',
            parameter: { source: 'header', name: 'X-Sig' },
          },
        },
        {
          match: {
            type: 'value',
            value: `\${file:${join(cwd, 'secret')}}`,
            parameter: { source: 'header', name: 'X-Word' },
          },
        },
      ],
    },
  },
];
const env = () => ({ CREDENTIALS_DIRECTORY: join(cwd, 'credentials'), WORD: 'word-of-the-server' });
const write = (content: unknown) => writeFile(join(cwd, 'hooks.json'), JSON.stringify(content));
const start = async (...args: string[]) => {
  server = await startWebhook('ours', { cwd, env: env(), args: ['-debug', ...args] });
  return server;
};
const ask = (running: WebhookServer, word: string) => {
  const signature = createHmac('sha256', 'the-key-of-systemd').update('').digest('hex');
  return running.exchange(
    `POST /hooks/signed HTTP/1.0\r\nX-Sig: ${signature}\r\nX-Word: ${word}\r\n\r\n`,
  );
};

test('secrets come from the environment, from files and from systemd, and are never logged', async () => {
  await write(hooks());
  const running = await start();
  expect(await ask(running, 'word-in-a-file')).toMatch(/\r\n\r\nword-of-the-server\n$/);
  expect(await ask(running, 'word')).toMatch(/Hook rules were not satisfied\.$/);
  await waitFor(() => running.seen.stderr.includes('finished handling'));
  expect(running.seen.stderr).toContain('with arguments ["/bin/echo" "***"]');
  expect(running.seen.stderr).not.toMatch(/word-in-a-file|the-key-of-systemd|word-of-the-server/);
});

test('a hook that prints the environment does not log the secrets of another', async () => {
  await write([...hooks(), { id: 'printing', 'execute-command': '/usr/bin/env' }]);
  const running = await start();
  expect(await running.exchange('GET /hooks/printing HTTP/1.0\r\n\r\n')).toMatch(/ 200 OK/);
  await waitFor(() => running.seen.stderr.includes('finished handling'));
  expect(running.seen.stderr).toMatch(/^WORD=\*\*\*$/m);
  expect(running.seen.stderr).not.toContain('word-of-the-server');
});

test('one that stands for nothing keeps the hooks, and says where', async () => {
  await write(hooks());
  const running = await start();
  await writeFile(
    join(cwd, 'hooks.json'),
    '[\n  {"id": "x", "response-headers": [\n    {"value": "${env:NOPE}"}]}]',
  );
  running.kill('SIGHUP');
  await waitFor(() => running.seen.stderr.includes('stay in use'));
  expect(running.seen.stderr).toMatch(
    /couldn't load hooks from file! line 3, column 15: hook "x": response-headers\.value: \$\{env:NOPE\}: not set in the environment/,
  );
  expect(await ask(running, 'word-in-a-file')).toMatch(/word-of-the-server\n$/);
});

test('-hotreload sees a secret that is replaced', async () => {
  await write(hooks());
  const running = await start('-hotreload');
  // The file is looked at from the first look after the start on.
  await waitFor(() => running.seen.stderr.includes('serving hooks on'));
  await new Promise((resolve) => setTimeout(resolve, 500));
  await writeFile(join(cwd, 'secret'), 'another-word\n');
  await waitFor(() => running.seen.stderr.includes('attempting to reload'));
  await waitFor(() => running.seen.stderr.split('loaded: signed').length > 2);
  expect(await ask(running, 'another-word')).toMatch(/word-of-the-server\n$/);
  expect(await ask(running, 'word-in-a-file')).toMatch(/not satisfied\.$/);
});

test('-hotreload sees a secret that comes later than what refers to it', async () => {
  await rm(join(cwd, 'secret'));
  await write(hooks());
  const running = await start('-hotreload');
  await waitFor(() => running.seen.stderr.includes('no such file'));
  await new Promise((resolve) => setTimeout(resolve, 500));
  await writeFile(join(cwd, 'secret'), 'word-in-a-file\n');
  await waitFor(() => running.seen.stderr.includes('loaded: signed'));
  expect(await ask(running, 'word-in-a-file')).toMatch(/word-of-the-server\n$/);
});

test('without a log, -hotreload reports files that are gone on standard error', async () => {
  await write(hooks());
  const args = ['-hotreload'];
  const running = await startWebhook('ours', { cwd, env: env(), args });
  server = running;
  await rm(join(cwd, 'hooks.json'));
  await waitFor(() =>
    running.seen.stderr.includes('hooks file hooks.json removed; its hooks stay'),
  );
  await rm(join(cwd, 'secret'));
  await mkdir(join(cwd, 'secret'));
  await waitFor(() => running.seen.stderr.includes('/secret cannot be read: is a directory;'));
  expect(await ask(running, 'word-in-a-file')).toMatch(/word-of-the-server\n$/);
});

test('-check names what is missing', async () => {
  await write(hooks());
  const [command, ...words] = PROGRAMS.ours;
  const check = (variables: Record<string, string>) =>
    spawnSync(command, [...words, '-check', 'hooks.json'], {
      ...{ cwd, encoding: 'utf8', env: { PATH: process.env['PATH'], ...variables } },
    });
  expect(check(env())).toMatchObject({ status: 0, stderr: '' });
  const failed = check({ WORD: 'x' });
  expect(failed.status).toBe(1);
  expect(failed.stderr).toMatch(
    /^hooks\.json: line 1, column \d+: hook "signed": trigger-rule\.and\[\d\]\.match\.secret: \$\{credential:key\}: CREDENTIALS_DIRECTORY is not set/,
  );
});
