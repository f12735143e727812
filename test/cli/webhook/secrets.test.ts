// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references look like that
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ControlClient } from '../../../src/webhook/control/control-client.ts';
import { requestLines } from '../../../src/webhook/log/shown-request.ts';
import { someOf } from '../../support/in-part.ts';
import { waitFor } from '../../support/wait-for.ts';
import { startWebhook, type WebhookServer } from '../../support/webhook-beside.ts';

const JSON_TYPE = 'Content-Type: application/json\r\n';
const FORM_TYPE = 'Content-Type: application/x-www-form-urlencoded\r\n';
const XML_TYPE = 'Content-Type: text/xml\r\n';
const MULTIPART_TYPE = 'Content-Type: multipart/form-data; boundary=B\r\n';
const MULTIPART = [
  ...['--B', 'Content-Disposition: form-data; name="SECRET03"', '', '1'],
  ...['--B', 'Content-Disposition: form-data; name="SECRET03"; filename="f"'],
  ...['Content-Type: application/json', '', '{}', '--B--', ''],
].join('\r\n');
/** None that the server knows: a reference is hidden in each line by itself. */
const KEY = 'X-Api-Key: SECRET03\r\n';

const match = (more: object, name = 'X-Word') => ({
  match: { type: 'value', ...more, parameter: { source: 'header', name } },
});
/** Writes what it gets as its argument. */
const hook = (id: string, passed: object, more: object = {}) => ({
  ...{ id, 'execute-command': '/bin/sh', 'include-command-output-in-response': true },
  'pass-arguments-to-command': [
    ...['-c', 'echo "got $1"', 'x'].map((name) => ({ source: 'string', name })),
    passed,
  ],
  ...more,
});
const header = (name: string) => ({ source: 'header', name });
const hooks = [
  hook('header', header('X-Api-Key')),
  hook('authorization', header('Authorization')),
  hook('cookie', header('Cookie')),
  hook('query', { source: 'url', name: 'token' }),
  hook('payload', { source: 'entire-payload' }),
  hook('raw', { source: 'raw-request-body' }),
  hook('rule', header('X-Word'), { 'trigger-rule': match({ value: 'SECRET01' }) }),
  hook('reference', { source: 'string', name: '${env:WORD}' }),
  hook('json', header('X-Api-Key'), {
    'parse-parameters-as-json': [{ source: 'url', name: 'SECRET03' }],
  }),
  hook('signature', header('X-Sum'), {
    'trigger-rule': match({ type: 'payload-hmac-sha1', secret: 'SECRET02' }, 'X-Sum'),
  }),
];

let cwd: string;
let server: WebhookServer | undefined;
beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'webhook-secrets-'));
  await writeFile(join(cwd, 'hooks.json'), JSON.stringify(hooks));
});
afterEach(async () => {
  server?.kill('SIGKILL');
  await server?.ended;
  server = undefined;
  await rm(cwd, { recursive: true, force: true, maxRetries: 5 });
});

/** What the log and `syncer hooks` show of a request, its target, the rule and its headers and body. */
async function shown(flag: string, target: string, headers: string, body: string) {
  const args = [flag, '-control', join(cwd, 'socket')];
  server = await startWebhook('ours', { cwd, args, env: { WORD: 'SECRET01' } });
  const running = server;
  const length = `Content-Length: ${Buffer.byteLength(body)}\r\n`;
  const head = `POST /hooks/${target} HTTP/1.0\r\n${headers}${length}\r\n`;
  const answer = await running.exchange(head + body);
  await waitFor(() => / (?:200|500) \| /.test(running.seen.stderr));
  const client = await ControlClient.open(join(cwd, 'socket'));
  try {
    const runs = await client.history();
    // A request that cannot be read starts none.
    const details = runs[0] && (await client.run(runs[0].id));
    const request = details === undefined ? [] : requestLines(details.request);
    const panel = [...runs.map((run) => JSON.stringify(run)), ...request];
    return { answer, log: running.seen.stderr, panel: panel.join('\n') };
  } finally {
    client.close();
  }
}

describe.each(['-verbose', '-debug'])(
  'a secret is neither in the log with %s nor in hooks',
  (flag) => {
    const places = [
      ['a header', 'header', 'X-Api-Key: SECRET01\r\n', ''],
      ['Authorization: Bearer', 'authorization', 'Authorization: Bearer SECRET01\r\n', ''],
      [
        'Authorization: Basic',
        'authorization',
        `Authorization: Basic ${btoa('SECRET:01')}\r\n`,
        '',
      ],
      ['a cookie', 'cookie', 'Cookie: a=SECRET01; b=SECRET02\r\n', ''],
      ['a query', 'query?token=SECRET01&a=%53ECRET01', '', ''],
      ['a form', 'payload', FORM_TYPE, 'token=SECRET01&a=1'],
      ['a form as it came', 'raw', FORM_TYPE, 'token=SECRET01&a=SECRET01&token=SECRET02'],
      ['a field of JSON at depth', 'payload', JSON_TYPE, '{"a": [{"password": "SECRET01"}]}'],
      ['JSON as it came', 'raw', JSON_TYPE, '{"a": {"pw": ["SECRET01"]}}'],
      ['JSON as a form', 'raw', FORM_TYPE, '{"a": {"token": "SECRET01"}}'],
      ['XML', 'raw', XML_TYPE, '<a><password>SECRET01</password></a>'],
      ['what a rule compares', 'rule', 'X-Word: SECRET01\r\n', ''],
      ['what a rule refuses', 'rule', 'X-Word: SECRET99\r\n', ''],
      ['a reference', 'reference', JSON_TYPE, '{"a": "SECRET01"}'],
      ['a signature', 'signature', 'X-Sum: SECRET01\r\n', ''],
      ['a body that is not parsed', 'header', 'X-Api-Key: a\r\n', 'SECRET01'],
      ['a type of content', 'header', `${KEY}Content-Type: text/SECRET03\r\n`, 'x'],
      ['the names of a multipart body', 'header', `${KEY}${MULTIPART_TYPE}`, MULTIPART],
      ['a broken multipart body', 'header', `${KEY}${MULTIPART_TYPE}`, '--B\r\nSECRET03\r\n\r\n'],
      ['a parameter that is to be JSON', 'json?SECRET03=1', KEY, ''],
      ['XML with names', 'header', `${KEY}${XML_TYPE}`, '<SECRET03></a>'],
      ['XML that is not well-formed', 'header', `${XML_TYPE}X-Api-Key: a\r\n`, '<a>SECRET01'],
    ] as const;
    test.each(someOf(places, 5))('%s', async (_, target, headers, body) => {
      const seen = await shown(flag, target, headers, body);
      expect(seen.log).toMatch(/\[\w+\] incoming HTTP POST request/);
      expect(`${seen.log}${seen.panel}`).not.toMatch(/SECRET|U0VDUk/);
    });
  },
);

test('a field of XML whose name says nothing is shown, also in the output of a command', async () => {
  const seen = await shown('-debug', 'raw', XML_TYPE, '<a><word>SHOWN</word></a>');
  expect(seen.log).toMatch(/^> \[\w+\] {"a":{"word":"SHOWN"}}$/m);
  expect(seen.log).toContain('command output: got <a><word>SHOWN</word></a>\n');
  expect(seen.panel).toContain('"word": "SHOWN"');
});

test('a body that is not parsed is in the log only as far as a command writes it', async () => {
  const seen = await shown('-debug', 'raw', 'Content-Type: text/plain\r\n', 'SHOWN');
  expect(seen.log).toMatch(/^> \[\w+\] \[a body of 5 B that was not parsed is not shown\]$/m);
  expect(seen.log).toContain('"x" "***"]');
  expect(seen.log).toContain('command output: got SHOWN\n');
  expect(seen.panel).toContain('[a body of 5 B that was not parsed is not shown]');
});

test('a command that runs again has no secret in the log', async () => {
  const args = ['-verbose', '-control', join(cwd, 'socket')];
  server = await startWebhook('ours', { cwd, args, env: { WORD: 'SECRET01' } });
  const running = server;
  await running.exchange(`GET /hooks/header HTTP/1.0\r\n${KEY}\r\n`);
  const client = await ControlClient.open(join(cwd, 'socket'));
  const [run] = await client.history();
  await client.rerun(run?.id ?? '');
  client.close();
  await waitFor(() => running.seen.stderr.split('finished handling').length === 3);
  expect(running.seen.stderr).toContain('running header again');
  expect(running.seen.stderr).not.toContain('SECRET');
});
