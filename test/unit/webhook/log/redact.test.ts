import { expect, test } from 'vitest';
import { NIL_MAP } from '../../../../src/go/go-value.ts';
import { parseGoJsonObject } from '../../../../src/go/parse-go-json.ts';
import { decodeHookText } from '../../../../src/webhook/file/load-hooks.ts';
import { redactor, redactTarget, shownBody } from '../../../../src/webhook/log/redact.ts';
import type { HookRequest } from '../../../../src/webhook/parameter/parameter-value.ts';
import { bodyKind, parseBody } from '../../../../src/webhook/payload/parse-body.ts';

const request = (payload: string, headers: Record<string, string> = {}): HookRequest => ({
  ...{ method: 'POST', remoteAddress: '127.0.0.1:1', query: new Map(), body: Buffer.alloc(0) },
  headers: new Map(Object.entries(headers)),
  payload: parseGoJsonObject(Buffer.from(payload)),
});

const XML = { 'Content-Type': 'text/xml' };
const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' };

async function hookWith(match: object) {
  const text = JSON.stringify([{ id: 'a', 'trigger-rule': { match } }]);
  const { hooks } = await decodeHookText(Buffer.from(text), { template: false, env: {} });
  return hooks[0];
}

test.each([
  ['a name at the first level', '{"pw": "SECRET77"}'],
  ['a name beneath others', '{"a": {"b": [{"password": "SECRET77"}]}}'],
  ['a list under a name', '{"a": {"tokens": ["x", "SECRET77"]}}'],
  ['an object under a name', '{"credentials": {"a": {"b": "SECRET77"}}}'],
  ['other names', '{"db": {"user_pass": "SECRET77"}}'],
])('secrets of a payload are hidden: %s', (_, payload) => {
  expect(redactor(undefined, request(payload))(`with ${payload}`)).not.toContain('SECRET77');
});

test('all texts of a request have one limit, beyond which they are hidden whole', () => {
  const tokens = Object.fromEntries(
    Array.from({ length: 100 }, (_, n) => [`token${n}`, `secret-${n}-of-many`]),
  );
  const redact = redactor(undefined, request(JSON.stringify(tokens)));
  const text = 'a text '.repeat(10_000);
  expect(redact(text)).toBe(text);
  expect(Array.from({ length: 5 }, () => redact(text)).at(-1)).toBe('***');
  expect(redactor(undefined, request('{}'))(text)).toBe(text);
});

test.each([
  ['text', { 'Content-Type': 'text/plain' }],
  ['a form', { 'Content-Type': 'application/x-www-form-urlencoded' }],
  ['nothing', {}],
])('secrets of JSON that came as %s are hidden', (_, headers: Record<string, string>) => {
  const body = Buffer.from(' {"a": [{"token": "SECRET77"}]}');
  const redact = redactor(undefined, { ...request('{}', headers), body });
  expect(redact(`[${JSON.stringify(String(body))}]`)).toBe(
    '[" {\\"a\\": [{\\"token\\": \\"***\\"}]}"]',
  );
});

test.each([
  ['JSON in JSON', String.raw`{"a": "{\"b\": {\"token\": \"SECRET77\"}}"}`],
  ['JSON in JSON in JSON', String.raw`{"a": "{\"b\": \"{\\\"token\\\":\\\"SECRET77\\\"}\"}"}`],
  ['a list', ' [1, {"tokens": ["a", {"b": "SECRET77"}]}]'],
  ['a long number', '[1, {"token": 12345677}]'],
])('secrets of a text that is JSON as a whole are hidden: %s', (_, body) => {
  const shown = (given: Partial<HookRequest>) =>
    redactor(undefined, { ...request('{}'), ...given });
  for (const redact of [
    shown({ body: Buffer.from(body) }),
    shown({ query: new Map([['q', body]]) }),
    shown({ payload: new Map([['p', [body]]]) }),
  ]) {
    expect(redact(`${JSON.stringify(body)} ${body}`)).not.toMatch(/SECRET77|12345677/);
  }
});

test('JSON with something behind it is not taken for JSON', () => {
  const text = '{"a": 1} {"token": "abc"}';
  expect(redactor(undefined, request('{}'))(text)).toBe(text);
  expect(redactor(undefined, { ...request('{}'), body: Buffer.from(text) })(text)).toBe('***');
});

test('of a target the values under the names of secrets are hidden, and parts with semicolons', () => {
  const redact = redactor(undefined, request('{}', { 'X-Token': 'SECRET 77' }));
  const shown = (query: string) => redactTarget(`/a?${query}`, redact);
  expect(shown('j={}&j=%7B%22token%22:%22SECRET77%22%7D')).toBe('/a?j={}&j=***');
  expect(shown('a=1&to%6ben=abc&b&token=def')).toBe('/a?a=1&to%6ben=***&b&token=***');
  expect(shown('a=xSECRET+77&b=%53ECRET%2077&%53ECRET+77')).toBe('/a?a=***&b=***&***');
  expect(shown('a=%zz&%zz=1&a=1;token=abc&b=2')).toBe('/a?a=%zz&%zz=1&***&b=2');
  expect(shown('a=%53ECRET+77%zz&to%6ben=abc%z&b=2')).toBe('/a?a=***&to%6ben=***&b=2');
  expect(redactTarget('/a', redact)).toBe('/a');
});

test('JSON with secrets is written anew, and only values under the names of secrets are hidden', () => {
  const body = String.raw`{"a": "b\\", "token": null, "c": "shown", "d": {"pin": 1}, "token": "x"}`;
  const redact = redactor(undefined, { ...request('{}'), body: Buffer.from(` ${body}`) });
  const shown = String.raw`{"a":"b\\","c":"shown","d":{"pin":"***"},"token":"***"}`;
  expect(redact(body)).toBe(shown);
  expect(redact(`\n${body}\n`)).toBe(shown);
});

test('long numbers under the name of a secret are hidden, short ones are not', () => {
  const redact = redactor(undefined, request('{"a": {"password": 12345678, "pin": 5}}'));
  expect(redact('12345678 5')).toBe('*** 5');
});

test('a payload that nests very deeply', () => {
  const payload = `${'{"a":'.repeat(9000)}{"password":"SECRET77"}${'}'.repeat(9000)}`;
  expect(redactor(undefined, request(payload))('SECRET77')).toBe('***');
});

test('where a request names too many secrets to look for nothing of it is shown', () => {
  const many = Array.from({ length: 50_000 }, (_, i) => `"token${i}":"value${i}"`).join();
  expect(redactor(undefined, request(`{${many}}`))('value1 and more')).toBe('***');
});

test('a header that a rule compares is hidden, where it may be a token', async () => {
  const headers = { 'X-Foo': 'HDRSECRET77', 'X-Github-Event': 'pull_request' };
  const given = request('{}', headers);
  const shown = async (name: string, value: string) => {
    const hook = await hookWith({ type: 'value', value, parameter: { source: 'header', name } });
    return redactor(hook, given)(Object.values(headers).join(' '));
  };
  expect(await shown('X-Foo', 'HDRSECRET77')).toBe('*** pull_request');
  expect(await shown('X-Foo', 'other-value')).toBe('*** pull_request');
  expect(await shown('X-GitHub-Event', 'pull_request')).toBe('HDRSECRET77 pull_request');
});

test('signatures are hidden, by the name of the header and by the rule', async () => {
  const headers = { 'X-Hub-Signature-256': 'sha256=abcdef0123', 'X-Sum': 'fedcba9876' };
  const given = request('{}', headers);
  const parameter = { source: 'header', name: 'X-Sum' };
  const hook = await hookWith({ type: 'payload-hmac-sha256', secret: 'k', parameter });
  const text = Object.values(headers).join(' ');
  expect(redactor(undefined, given)(text)).toBe('*** fedcba9876');
  expect(redactor(hook, given)(text)).toBe('*** ***');
  const prefixed = request('{}', { 'X-Sum': 'sha256=fedcba9876,sha256=0123456789' });
  expect(redactor(hook, prefixed)('[fedcba9876 0123456789]')).toBe('[*** ***]');
});

test.each([
  ['Authorization', 'Bearer ghp_SECRET01', ['ghp_SECRET01']],
  ['Authorization', `Basic ${btoa('me:SECRET:1')}`, [btoa('me:SECRET:1'), 'SECRET:1']],
  ['Authorization', `basic ${btoa('me:abcd')}`, ['me:abcd', 'abcd']],
  ['X-Token', 'token SECRET01', ['SECRET01']],
  ['Cookie', 'a=SECRET01; b="SECRET%202"; c', ['SECRET01', 'SECRET%202', 'SECRET 2']],
])('the secret within a header is hidden by itself: %s: %s', (name, value, secrets) => {
  const headers = new Map([[name, ['x', value]]]);
  for (const redact of [
    redactor(undefined, request('{}', { [name]: value })),
    redactor(undefined, request('{}'), headers),
  ]) {
    for (const secret of secrets) expect(redact(`of ${secret}, me`)).toBe('of ***, me');
  }
});

test('a short password is hidden only where it stands alone', () => {
  const redact = redactor(undefined, request('{}', { Authorization: `Basic ${btoa('me:abcd')}` }));
  expect(redact('abcd xabcd')).toBe('*** xabcd');
});

test('every value of a header that comes twice is hidden', () => {
  const all = new Map([['Authorization', ['Bearer one', 'Bearer two']]]);
  expect(redactor(undefined, request('{}'), all)('Bearer one, Bearer two')).toBe('***, ***');
});

test('a secret is longer than a pattern may be', () => {
  const long = Array.from({ length: 12_000 }, (_, i) => i).join('');
  const redact = redactor(undefined, request('{}', { 'X-Token': long }));
  expect(redact(`a ${long}q b`)).toBe('a ***q b');
  expect(redact('short')).toBe('short');
});

test('long secrets that nearly match, many of them, in a long text', () => {
  const tokens = Array.from({ length: 900 }, (_, i) => `a${'b'.repeat(400 + i)}`);
  const payload = JSON.stringify({ tokens });
  const redact = redactor(undefined, request(payload));
  expect(redact('b'.repeat(400_000))).toBe('***');
  const few = redactor(undefined, request(JSON.stringify({ tokens: tokens.slice(0, 20) })));
  expect(few('b'.repeat(400_000))).toHaveLength(400_000);
});

test.each([
  ['as it is', 'p<"q\\r&s é+1'],
  ['as JSON of Go', String.raw`p\u003c\"q\\r\u0026s é+1`],
  ['as JSON', String.raw`p<\"q\\r&s é+1`],
  ['as a form', 'p%3C%22q%5Cr%26s+%C3%A9%2B1'],
])('a secret is hidden %s', (_, written) => {
  const payload = JSON.stringify({ password: 'p<"q\\r&s é+1' });
  expect(redactor(undefined, request(payload))(`x${written}y`)).toBe('x***y');
});

test.each([
  ['{"a":true,"b":"abc","pin":12,"token":"abc"}', 'abc', 'true', '12'],
  ['{"token":"off"}', 'off'],
])('what stands in too many words is hidden only in its place: %s', (payload, ...words) => {
  const redact = redactor(undefined, { ...request(payload), body: Buffer.from(payload) });
  expect(redact(words.join(' '))).toBe(words.join(' '));
  expect(redact(payload)).toBe(
    payload.replace(/(?<="(?:token|pin)":)(?:"abc"|12|"off")/g, '"***"'),
  );
});

const PEM = `-----BEGIN KEY-----\r\n${'QUJD'.repeat(8)}\r\n-----END KEY-----`;
test.each<[string, string, Record<string, string>, string]>([
  ['JSON', '{"a": {"token": "SECRET01"}}', {}, '{"a":{"token":"***"}}'],
  ['a form', 'token=SECRET01&a=1&token=SECRET02', FORM, 'token=***&a=1&token=***'],
  ['a form that is JSON', '{"token":"SECRET01"}', FORM, '{"token":"***"}'],
  ['a name in brackets', 'user[password]=SECRET01', FORM, 'user[password]=***'],
  ['parts of a form that cannot be parsed', 'a=%53ECRET&b=%zz&c;token=SECRET01', FORM, '***'],
  ['a form of another content type', 'a=1&token=SECRET01', { 'Content-Type': 'text/plain' }, '***'],
  ['XML that ends early', '<a><password>SECRET01', XML, '***'],
  ['XML without a type', '<a><password>SECRET01</password></a>', {}, '***'],
  ['XML', '<a b="1"><c>2</c></a>', XML, '{"a":{"-b":"1","c":"2"}}'],
  ['XML with entities', '<a><password>1 &amp; 2</password></a>', XML, '{"a":{"password":"***"}}'],
  ['CDATA', '<a><x:pin b="c"><![CDATA[1]]></x:pin></a>', XML, '{"a":{"pin":"***"}}'],
  ['attributes', '<a password="1"><b/></a>', XML, '{"a":{"-password":"***","b":""}}'],
  [
    'a name of XML that is not known',
    '<a><word>SECRET01</word></a>',
    XML,
    '{"a":{"word":"SECRET01"}}',
  ],
  ['a comment in XML', '<a>1<!-- token: SECRET01 --></a>', XML, '{"a":"1"}'],
])('a body is shown without secrets: %s', async (_, text, headers, shown) => {
  const kind = bodyKind(headers['Content-Type'] ?? '');
  const body = Buffer.from(text);
  const isParsed = kind !== 'none' && kind !== 'multipart';
  const payload = isParsed ? await parseBody(kind, body).catch(() => NIL_MAP) : NIL_MAP;
  const given = { ...request('{}', headers), payload, body };
  const redact = redactor(undefined, given);
  // As an argument of a command.
  expect(redact(text)).toBe(shown);
  const size = `[a body of ${body.length} B that was not parsed is not shown]`;
  expect(shownBody(undefined, given, redact)).toBe(shown === '***' ? size : shown);
});

test('the lines of a secret are hidden one by one too', () => {
  const redact = redactor(undefined, request(JSON.stringify({ ssh_key: PEM })));
  expect(redact(`a ${PEM} b`)).toBe('a *** b');
  expect(redact(PEM.replaceAll('\r\n', '\n  > '))).toBe('***\n  > ***\n  > ***');
});

test('bytes that are no UTF-8 are hidden also where they were replaced', () => {
  const query = new Map([['token', 'SECRET01\udcff\udcfeSECRET02']]);
  const redact = redactor(undefined, { ...request('{}'), query });
  const shown = ['\udcff\udcfe', '\ufffd\ufffd'];
  for (const bytes of shown) expect(redact(`"SECRET01${bytes}SECRET02"`)).toBe('"***"');
});

test.each([
  ['as it is', 'output: SECRET0'],
  ['within a letter', 'output: SECRET01\udcc3'],
])('a secret that is cut at the end of a text is hidden: %s', (_, text) => {
  const redact = redactor(undefined, request(JSON.stringify({ token: 'SECRET01ä"2' })));
  expect(redact(text, true)).toBe('output: ***');
});

test('fixed values of secret variables are hidden, and short ones of requests are not looked for', async () => {
  const hook = {
    id: 'a',
    'pass-environment-to-command': [
      { source: 'string', envname: 'DB_PASSWORD', name: 'SECRET01' },
      { source: 'string', envname: 'PLAIN', name: 'shown' },
    ],
  };
  const text = Buffer.from(JSON.stringify([hook]));
  const { hooks } = await decodeHookText(text, { template: false, env: {} });
  expect(redactor(hooks[0], request('{}'))('SECRET01 shown')).toBe('*** shown');
});

/** What is shown after a payload. */
const shownAfter = (payload: HookRequest['payload'], text: string) =>
  redactor(undefined, { ...request('{}'), payload })(text);

// Each took minutes, or the server ran out of memory.
test.each<[string, HookRequest['payload']]>([
  ['lines', new Map([['pw', '\n'.repeat(30_000_000)]])],
  ['letters', new Map([['pw', 'a'.repeat(12_000_000)]])],
  ['items', new Map([['tokens', Array.from({ length: 150_000 }, (_, i) => `secret${i}`)]])],
  ['texts that begin as JSON', new Map([['a', Array.from({ length: 500_000 }, () => '[')]])],
  ['names', new Map(Array.from({ length: 150_000 }, (_, i) => [`name${i}`, `value${i}`]))],
])('after a payload with too many %s nothing is shown', (_, payload) => {
  expect(shownAfter(payload, 'shown')).toBe('***');
});

test('all values of a form are hidden wherever they stand', () => {
  const body = Buffer.from('token=one&token=SECRET01');
  const redact = redactor(undefined, { ...request('{}', FORM), body });
  expect(redact('output SECRET01.')).toBe('output ***.');
});

test('names and secrets that come again count once', () => {
  const items = Array.from({ length: 200_000 }, () => new Map([['token', 'SECRET01']]));
  expect(shownAfter(new Map([['a', items]]), 'SECRET01 shown')).toBe('*** shown');
});

test('of a query with too many texts that begin as JSON the rest is hidden', () => {
  const redact = redactor(undefined, request('{}'));
  const shown = redactTarget(`/a?${'a=[&'.repeat(200_000)}`, redact);
  expect(shown.startsWith('/a?a=[&')).toBe(true);
  expect(shown.endsWith('&***&***')).toBe(true);
});

test('a text that is too long is hidden', () => {
  expect(shownAfter(new Map(), 'a'.repeat(600_000))).toBe('***');
});

test('places that overlap are hidden as one', () => {
  const payload = new Map([['tokens', ['SECRETab', 'abcdefgh', 'abcdefghij']]]);
  expect(shownAfter(payload, 'SECRETabcdefghij and')).toBe('*** and');
});
