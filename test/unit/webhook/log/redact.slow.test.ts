import { expect, test, vi } from 'vitest';
import { parseGoJsonObject } from '../../../../src/go/parse-go-json.ts';
import { decodeHookText } from '../../../../src/webhook/file/load-hooks.ts';
import { redactor, redactTarget } from '../../../../src/webhook/log/redact.ts';
import type { HookRequest } from '../../../../src/webhook/parameter/hook-request.ts';

const request = (payload: string, headers: Record<string, string> = {}): HookRequest => ({
  ...{ method: 'POST', remoteAddress: '127.0.0.1:1', query: new Map(), body: Buffer.alloc(0) },
  headers: new Map(Object.entries(headers)),
  payload: parseGoJsonObject(Buffer.from(payload)),
});

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

test('a private key is hidden under whatever name', () => {
  const pem = `-----BEGIN RSA PRIVATE KEY-----\n${'SECRET77'.repeat(8)}\n${'SECRET78'.repeat(3)}\n-----END RSA PRIVATE KEY-----\n`;
  const payload = JSON.stringify({ key: pem });
  const redact = redactor(undefined, { ...request(payload), body: Buffer.from(payload) });
  for (const text of [payload, pem, `with ${JSON.stringify(pem)}`])
    expect(redact(text)).not.toMatch(/SECRET7[78]/);
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
  ['a form', 'payload={"a": 1, "token": "SECRET77"}'],
  ['JSON in JSON', String.raw`{"a": "{\"b\": {\"token\": \"SECRET77\"}}"}`],
  ['JSON in JSON in JSON', String.raw`{"a": "{\"b\": \"{\\\"token\\\":\\\"SECRET77\\\"}\"}"}`],
  ['several lines of JSON', '{"token": "SECRET7"}\n{"token": "SECRET77"}'],
  ['a part', '--x\r\nContent-Type: application/json\r\n\r\n{"token": "SECRET77"}\r\n--x--'],
  ['JSON behind a mark', '\ufeff{"token": "SECRET77"}'],
  ['JSON that ends early', '{"token": "SECRET77"'],
  ['a quote before it', 'a " b {"token": "SECRET77"}'],
  ['a list', '[1] {"tokens": ["a", {"b": "SECRET77"}]}'],
  ['a long number', '[1] {"token": 123456}'],
])('secrets of JSON in any text are hidden: %s', (_, body) => {
  const shown = (given: Partial<HookRequest>) =>
    redactor(undefined, { ...request('{}'), ...given });
  for (const redact of [
    shown({ body: Buffer.from(body) }),
    shown({ query: new Map([['q', body]]) }),
    shown({ payload: new Map([['p', [body]]]) }),
  ]) {
    expect(redact(`${JSON.stringify(body)} ${body}`)).not.toMatch(/SECRET77|123456/);
  }
});

test('secrets of JSON in a parameter that comes twice are hidden in the target', () => {
  expect(redactTarget('/a?j={}&j=%7B%22token%22:%22SECRET77%22%7D', new Set())).toBe(
    '/a?j={}&j=%7B%22token%22:%22***%22%7D',
  );
});

test('only values under the names of secrets are hidden', () => {
  const body = String.raw`{"a": "b\\", "token": null, "c": "shown", "d": {"token": "x\"y\\"}, "e": "too"}`;
  const redact = redactor(undefined, { ...request('{}'), body: Buffer.from(` ${body}`) });
  expect(redact(body)).toBe(body.replace(String.raw`x\"y\\`, '***'));
});

/** How often a regular expression is used to make a text of this length fit for the log. */
function searchesIn(part: string, length: number): number {
  const searches = vi.spyOn(RegExp.prototype, 'exec');
  const long = (size: number) => part.repeat(size / part.length);
  const body = Buffer.from(`"token"${long(length)}`);
  redactor(undefined, { ...request('{}', FORM), body })(long(length / 10));
  const count = searches.mock.calls.length;
  searches.mockRestore();
  return count;
}

test.each([
  ...[
    '"',
    '\\',
    '\\"',
    '{"token":',
    '"token":"',
    '{"token":[',
    '\\"token\\":\\"',
    'token=',
    'a=',
    ';a',
  ],
  ...['<token>', '<token ', '<a "', '--x\n', '--x\na\n\n', '--x\nb; name=token\n\n', '://a:b'],
  ...['https://', '@://a:'],
])('a text four times as long is searched at most five times as often: %j', (part) => {
  const short = searchesIn(part, 5_000);
  expect(short).toBeGreaterThan(0);
  expect(searchesIn(part, 20_000)).toBeLessThan(5 * short + 100);
  // Within a search, too: this took minutes.
  expect(searchesIn(part, 200_000)).toBeLessThan(50 * short + 1000);
});

test('true and false are no secrets', () => {
  const text = '{"password": true} token=false&a=1 <token>true</token>';
  expect(redactor(undefined, request('{}'))(text)).toBe(text);
});

test.each([
  [String.raw`["echo \"DB_PASSWORD=abc\"; date"]`, String.raw`["echo \"DB_PASSWORD=***\"; date"]`],
  [String.raw`"\\\"PASSWORD=abc\\\" a"`, String.raw`"\\\"PASSWORD=***\\\" a"`],
  [String.raw`PASSWORD=a\b c`, 'PASSWORD=*** c'],
])('a value ends before the quote around it: %s', (text, shown) => {
  expect(redactor(undefined, request('{}'))(text)).toBe(shown);
});

test('noise names no secrets', () => {
  const noise = Array.from({ length: 5000 }, (_, i) => `&%=${i}x%&\xff%zz${i}=${i}yyyy&`).join('');
  const body = Buffer.from(noise, 'latin1');
  for (const headers of [FORM, {}]) {
    const redact = redactor(undefined, { ...request('{}', headers), body });
    expect(redact('1234x% 1234yyyy')).toBe('1234x% 1234yyyy');
  }
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
  const long = 'q'.repeat(65_000);
  const redact = redactor(undefined, request('{}', { 'X-Token': long }));
  expect(redact(`a ${long}q b`)).toBe('a *** b');
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
  ['as JSON of Go in quotes', String.raw`p\\u003c\\\"q\\\\r\\u0026s é+1`],
  ['as JSON of escapes alone', String.raw`\u0070\u003C\u0022\u0071\u005c\u0072&s \u00e9+1`],
  ['as a form', 'p%3C%22q%5cr%26s+%C3%A9%2B1'],
  ['as a form in quotes', String.raw`p%3C\"q%5Cr%26s+é%2B1`],
])('a secret is hidden %s', (_, written) => {
  const payload = JSON.stringify({ password: 'p<"q\\r&s é+1' });
  expect(redactor(undefined, request(payload))(`x${written}y`)).toBe('x***y');
});

test('a short secret is hidden where it stands alone, behind an escape too', () => {
  const redact = redactor(undefined, request('{"password": "abcd"}'));
  expect(redact(String.raw`abcd cabcd "\nabcd" é`)).toBe(String.raw`*** cabcd "\n***" é`);
});

test.each([
  ['{"a": true, "token": "abc", "pin": 12, "b": "abc"}', 'abc', 'true', '12'],
  ['{"token": "off"}', 'off'],
])('what stands in too many words is hidden only in its place: %s', (payload, ...words) => {
  const redact = redactor(undefined, { ...request(payload), body: Buffer.from(payload) });
  expect(redact(words.join(' '))).toBe(words.join(' '));
  expect(redact(payload)).toBe(payload.replace(/(?<="(?:token|pin)": "?)(?:abc|12|off)/g, '***'));
});

const PEM = `-----BEGIN KEY-----\r\n${'QUJD'.repeat(8)}\r\n-----END KEY-----`;
const part = (name: string, content: string, more = '') =>
  `--x\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n${content}\r\n`;

test.each<[string, string, Record<string, string>]>([
  ['a field of a form that comes twice', 'token=SECRET01&a=1&token=SECRET02', FORM],
  ['a form that cannot be parsed', 'a=%zz;token=SECRET01;SECRET02&to%6ben=SECRET03%zz&b=2', FORM],
  ['a value with quotes in a form', `token="SECRET01'SECRET02"SECRET03&a=1`, FORM],
  ['a form of another content type', 'a=1&token=SECRET01', { 'Content-Type': 'text/plain' }],
  ['a name in brackets', 'user[password]=SECRET01', FORM],
  ['XML with entities', '<a><password>SECRET01 &amp; SECRET02</password></a>', {}],
  ['CDATA', '<a><x:token b="c"><![CDATA[SECRET01]]></x:token></a>', {}],
  ['attributes', `<a password="SECRET01 &amp; SECRET02" token='SECRET03'/>`, {}],
  ['elements in an element', '<credentials><a>SECRET01</a><b>SECRET02</b></credentials>', {}],
  ['XML that ends early', '<a><password>SECRET01', {}],
  [
    'parts',
    `${part('a', '1')}${part('token', 'SECRET01')}${part('token', 'SECRET02\r\n--SECRET03')}--x--`,
    {},
  ],
  ['a part that ends early', `${part('ssh_key', 'SECRET01', '; filename="f"')}SECRET02`, {}],
  ['URLs', 'see https://user:SECRET01@host/?a=1&token=SECRET02#access_token=SECRET03', {}],
  ['a URL with a user alone', 'https://SECRET01@host/', {}],
])('secrets of a body are hidden: %s', (_, text, headers) => {
  const redact = redactor(undefined, { ...request('{}', headers), body: Buffer.from(text) });
  expect(redact(text)).not.toMatch(/SECRET0/);
  expect(redact(text)).toMatch(/\*\*\*/);
});

test('what a body gives under the name of a secret is hidden wherever it stands', () => {
  const bodies = ['token=one&token=SECRET01', part('token', 'SECRET01'), '<token>SECRET01</token>'];
  for (const body of bodies) {
    const redact = redactor(undefined, { ...request('{}', FORM), body: Buffer.from(body) });
    expect(redact('output SECRET01.')).toBe('output ***.');
  }
});

test.each(['Referer', 'X-Forwarded-Uri', 'X-Original-Url'])(
  'secrets of the target in the header %s are hidden',
  (name) => {
    const value = 'https://me:SECRET01@h/a?b=1&token=SECRET02&c=SECRET02';
    const redact = redactor(undefined, request('{}', { [name]: value }));
    expect(redact(value)).toBe('https://me:***@h/a?b=1&token=***&c=***');
  },
);

test('the lines of a secret are hidden one by one too', () => {
  const redact = redactor(undefined, request(JSON.stringify({ ssh_key: PEM })));
  expect(redact(`a ${PEM} b`)).toBe('a *** b');
  expect(redact(PEM.replaceAll('\r\n', '\n  > '))).toBe('***\n  > ***\n  > ***');
});

test('bytes that are no UTF-8 are hidden also where they were replaced', () => {
  const query = new Map([['token', 'SECRET01\udcff\udcfeSECRET02']]);
  const redact = redactor(undefined, { ...request('{}'), query });
  const shown = ['\udcff\udcfe', String.raw`\xff\xfe`, '\ufffd\ufffd', '%ff%FE'];
  for (const bytes of shown) expect(redact(`"SECRET01${bytes}SECRET02"`)).toBe('"***"');
});

test.each([
  ['as it is', 'output: SECRET0'],
  ['in quotes', String.raw`output: \u0053ECRET0`],
  ['within an escape', String.raw`output: SECRET01\u00`],
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
