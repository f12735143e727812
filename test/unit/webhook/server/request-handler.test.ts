import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { expect, test } from 'vitest';
import { commandInput, shownInput } from '../../../../src/webhook/command/run-command.ts';
import { decodeHookText } from '../../../../src/webhook/file/load-hooks.ts';
import { RequestBody } from '../../../../src/webhook/http/request-body.ts';
import { readHead } from '../../../../src/webhook/http/request-head.ts';
import { HookLog } from '../../../../src/webhook/log/hook-log.ts';
import {
  type HookServices,
  requestHandler,
} from '../../../../src/webhook/server/request-handler.ts';

const RUNS: HookServices['runs'] = {
  keepsRequests: false,
  answered: () => {},
  refused: () => '',
  start: () => ({ id: '', outcome: 'left-out' }),
  room: () => undefined,
};

/** Answers a request whose body is `body`, and gives what the log says of it. */
async function exchange(
  head: string,
  {
    options,
    secrets = [],
    ...services
  }: Partial<Omit<HookServices, 'options' | 'log'>> & { options?: object; secrets?: string[] },
  body = '',
) {
  let written = '';
  const log = new HookLog((text) => {
    written += text;
  });
  log.secrets = secrets;
  const handle = requestHandler({
    options: {
      ...{ urlPrefix: 'hooks', headers: [], methods: [], debug: false, nameRuns: false },
      ...{ maxBody: 1000, maxMultipartMem: 10, useRequestId: false, requestIdLimit: 0 },
      ...options,
    },
    log,
    findHook: () => undefined,
    runs: RUNS,
    ...services,
  });
  const [line = '', ...lines] = Buffer.from(head).toString('latin1').split('\r\n');
  const [method, url] = line.split(' ');
  const rawHeaders = lines.flatMap((one) => one.split(': '));
  const request = new IncomingMessage(new Socket());
  Object.assign(request, { method, url, httpVersion: '1.1', rawHeaders, complete: true });
  request.push(body);
  request.push(null);
  const answer = await handle({
    head: readHead(request),
    body: new RequestBody(request, Buffer.byteLength(body)),
    remoteAddress: '1.2.3.4:5',
  });
  return { answer, written };
}

test('what nobody foresaw is answered 500 and told in one line', async () => {
  const runs = {
    ...RUNS,
    answered: () => {
      throw new RangeError('too deep');
    },
  };
  const { answer, written } = await exchange('GET /hooks/a HTTP/1.1\r\nHost: h', { runs });
  expect(answer).toMatchObject({ status: 500 });
  expect(written).toMatch(/ error answering the request: too deep\n$/);
});

test.each(['/', '/hooks/none', '/none', '//', '*'])(
  'headers of the command line are on the answer to %s',
  async (target) => {
    const options = { headers: [['X-Set', '1']] };
    const { answer } = await exchange(`GET ${target} HTTP/1.1\r\nHost: h`, { options });
    expect(answer).toMatchObject({ headers: expect.arrayContaining([['X-Set', '1']]) });
  },
);

test('the log shows what a terminal would obey', async () => {
  const options = { debug: true, useRequestId: true };
  const head =
    'POST /hooks/a?\u009b31m HTTP/1.1\r\nHost: h\r\nX-Request-Id: \u202ea\r\nX-A: \u009bb\r\nContent-Type: application/x-www-form-urlencoded';
  const { written } = await exchange(head, { options }, 'a\x1b]0b\x07\rc\r\nd\u0085');
  expect(written).toContain('a␛]0b␇␍c\n> [�a] d�\n');
  expect(written).toContain('X-A: �b\n');
  expect(written).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]/);
});

test('secrets of a request to no hook are not in the log', async () => {
  const head =
    'POST /hooks/a HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\nAuthorization: Bearer SECRET1';
  const body = '{"a": {"password": "SECRET2"}}';
  const { written } = await exchange(head, { options: { debug: true } }, body);
  expect(written).toContain('Authorization: ***');
  expect(written).not.toMatch(/SECRET/);
});

test.each([
  ['{"token": "SECRET1"}', 'j.token'],
  ['{"a": [{"password": "SECRET1"}]}', 'j.a.0.password'],
  ['{"token": {"a": "SECRET1"}}', 'j.token.a'],
])('secrets of a parameter that is parsed as JSON are not in the log: %s', async (json, name) => {
  const hook = {
    ...{ id: 'a', 'execute-command': '/bin/cat' },
    'parse-parameters-as-json': [{ source: 'url', name: 'j' }],
    'pass-arguments-to-command': [{ source: 'url', name }],
  };
  const text = JSON.stringify([hook]);
  const { hooks } = await decodeHookText(Buffer.from(text), { template: false, env: {} });
  const start: HookServices['runs']['start'] = (run, request, _origin, { log, redact }) => {
    const input = commandInput(run, request, { isFirstUse: () => false, log, logBare: log });
    log(shownInput(run, input, redact).argv.join(' '));
    return { id: '', outcome: 'left-out' };
  };
  const head = `GET /hooks/a?j=${encodeURIComponent(json)} HTTP/1.1\r\nHost: h`;
  const parts = { findHook: () => hooks[0], runs: { ...RUNS, start } };
  const { written } = await exchange(head, parts);
  expect(written).toContain('"/bin/cat" "***"');
  expect(written).not.toContain('SECRET1');
});

// The server ran out of memory.
test('an argument that is too long to be shown is not quoted', async () => {
  const hook = { id: 'a', 'pass-arguments-to-command': [{ source: 'raw-request-body' }] };
  const text = JSON.stringify([hook]);
  const { hooks } = await decodeHookText(Buffer.from(text), { template: false, env: {} });
  const input = { argv: ['/bin/cat', 'a'.repeat(120_000_000)], env: [], files: [] };
  for (const run of hooks) {
    expect(shownInput(run, input, (shown) => shown).argv).toEqual(['"/bin/cat"', '***']);
  }
});

test('secrets in JSON within the target of a request to no hook are not in the log', async () => {
  const target = `/hooks/none?j=${encodeURIComponent('{"token": "SECRET1"}')}`;
  const { written } = await exchange(`GET ${target} HTTP/1.1\r\nHost: h`, {});
  expect(written).toContain('/hooks/none?j=');
  expect(written).not.toContain('SECRET1');
});

test('a client hides nothing of what the server says of it', async () => {
  const words = [
    ...['1.2.3.4', '1.2.3.4:5', 'the-hook', 'incoming HTTP GET request from', 'got matched'],
    ...['hooks', 'invalid payload signatures', 'error evaluating hook', 'not satisfied', 'GET'],
    ...['/hooks/the-hook', 'Host', 'HTTP/1.1', 'X-Sig', 'id-of-request'],
  ];
  const query = words.map((word, i) => `secret[]${i}=${encodeURIComponent(word)}`).join('&');
  const match = {
    ...{ type: 'payload-hmac-sha256', secret: 'k' },
    parameter: { source: 'header', name: 'X-Sig' },
  };
  const code = { 'trigger-rule-mismatch-http-response-code': 403 };
  const text = JSON.stringify([{ id: 'the-hook', 'trigger-rule': { match }, ...code }]);
  const { hooks } = await decodeHookText(Buffer.from(text), { template: false, env: {} });
  const head = `GET /hooks/the-hook?${query} HTTP/1.1\r\nHost: h\r\nX-Sig: 0123456789\r\nX-Request-Id: id-of-request`;
  const options = { debug: true, useRequestId: true };
  const { written } = await exchange(head, { options, findHook: () => hooks[0] });
  for (const line of [
    'incoming HTTP GET request from 1.2.3.4:5\n',
    'the-hook got matched\n',
    'error evaluating hook: invalid payload signatures [***] on empty payload\n',
    "the-hook got matched, but didn't get triggered because the trigger rules were not satisfied\n",
    '> [id-of-request] X-Sig: ***\n',
    ' | h | GET /hooks/the-hook?',
  ]) {
    expect(written).toContain(line);
  }
  expect(written).toMatch(/^> \[id-of-request\] GET \/hooks\/the-hook\?.* HTTP\/1.1$/m);
});

test('a secret of several lines is hidden in dumps as a whole', async () => {
  const key = 'SECRET01\nSECRET02\r\nSECRET03';
  const hook = { id: 'a', 'response-message': `<${key}>`, 'execute-command': 'x' };
  const text = JSON.stringify([
    { ...hook, 'response-headers': [{ name: 'X-Auth-Token', value: 'SECRET04' }] },
  ]);
  const { hooks } = await decodeHookText(Buffer.from(text), { template: false, env: {} });
  const head = 'POST /hooks/a HTTP/1.1\r\nHost: h\r\nContent-Type: multipart/form-data; boundary=x';
  const body = `--x\r\nContent-Disposition: form-data; name="ssh_key"\r\n\r\n${key}\r\n--x--\r\n`;
  const options = { debug: true };
  const known = await exchange(head, { options, findHook: () => hooks[0] }, body);
  const unknown = await exchange(head, { options }, body);
  expect(known.written).toMatch(/^> \[\w+\] {"ssh_key":"\*\*\*"}$/m);
  expect(known.written).toMatch(/^< \[\w+\] <\*\*\*>$/m);
  expect(known.written).toMatch(/^< \[\w+\] X-Auth-Token: \*\*\*$/m);
  expect(known.written + unknown.written).not.toContain('SECRET0');
});

test('the body of a method that is not allowed is read as its hook reads it', async () => {
  const fields = { 'http-methods': ['GET'], 'incoming-payload-content-type': 'text/xml' };
  const text = JSON.stringify([{ id: 'a', 'execute-command': 'x', ...fields }]);
  const { hooks } = await decodeHookText(Buffer.from(text), { template: false, env: {} });
  const head =
    'POST /hooks/a HTTP/1.1\r\nHost: h\r\nContent-Type: application/x-www-form-urlencoded';
  const parts = { options: { debug: true }, findHook: () => hooks[0] };
  const { answer, written } = await exchange(head, parts, '<a><pin>12</pin></a>');
  expect(answer.status).toBe(405);
  expect(written).toMatch(/^> \[\w+\] {"a":{"pin":"\*\*\*"}}$/m);
});

test('a secret that a hook refers to is hidden in the dumps of others', async () => {
  const head = 'POST /hooks/none HTTP/1.1\r\nHost: h';
  const secrets = ['SECRET01\nSECRET02'];
  const { written } = await exchange(head, { options: { debug: true }, secrets }, `a${secrets[0]}`);
  expect(written).not.toContain('SECRET0');
});

test('a dump shows the beginning of a long body', async () => {
  const head = 'POST /hooks/none HTTP/1.1\r\nHost: h';
  const body = `["${'x'.repeat((128 << 10) + 1)}"]`;
  const { written } = await exchange(head, { options: { debug: true, maxBody: 1e6 } }, body);
  expect(written).toMatch(/> \[[^\]]+\] \["x{131070}\n> \[[^\]]+\] \[and 5 more bytes\]\n/);
});

const MANY = 1_000_001;
test.each([
  ['JSON', 'application/json', `[${'{},'.repeat(MANY)}{}]`],
  ['a form', 'application/x-www-form-urlencoded', 'a&'.repeat(MANY)],
  ['XML of elements', 'text/xml', `<a>${'<b/>'.repeat(MANY)}</a>`],
  ['XML of attributes', 'text/xml', `<a${' b=""'.repeat(MANY)}/>`],
  [
    'files that are JSON',
    'multipart/form-data; boundary=x',
    ['a', 'b']
      .map(
        (name) =>
          `--x\r\nContent-Disposition: form-data; name="${name}"; filename="f"\r\nContent-Type: application/json\r\n\r\n{"c":[${'1,'.repeat(MANY / 2)}1]}\r\n`,
      )
      .join('')
      .concat('--x--\r\n'),
  ],
])('a payload of too many values is refused, and its hook not run: %s', async (_, type, body) => {
  const text = '[{"id": "a", "execute-command": "true"}]';
  const { hooks } = await decodeHookText(Buffer.from(text), { template: false, env: {} });
  const { answer, written } = await exchange(
    `POST /hooks/a HTTP/1.1\r\nHost: h\r\nContent-Type: ${type}`,
    { options: { maxBody: 10 << 20, maxMultipartMem: 10 << 20 }, findHook: () => hooks[0] },
    body,
  );
  expect(answer.status).toBe(413);
  expect(written).toContain('the payload holds more than 1000000 values');
});
