import { createHmac } from 'node:crypto';

/** A request that is sent to both servers. */
export interface HookCase {
  readonly name: string;
  readonly request: string | Buffer;
}

const send = (
  name: string,
  target: string,
  options: { method?: string; headers?: string[]; body?: string | Buffer } = {},
): HookCase => {
  const { method = options.body === undefined ? 'GET' : 'POST', headers = [], body } = options;
  const bytes = Buffer.from(body ?? '');
  const length = body === undefined ? [] : [`Content-Length: ${bytes.length}`];
  const lines = [
    `${method} ${target} HTTP/1.1`,
    'Host: h.example',
    ...headers,
    ...length,
    'Connection: close',
  ];
  return { name, request: Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`), bytes]) };
};
const JSON_TYPE = 'Content-Type: application/json';
const json = (name: string, target: string, body: string, headers: string[] = []) =>
  send(name, target, { body, headers: [JSON_TYPE, ...headers] });
const form = (name: string, target: string, body: string) =>
  send(name, target, { body, headers: ['Content-Type: application/x-www-form-urlencoded'] });
const xml = (name: string, body: string) =>
  send(`xml ${name}`, '/hooks/entire', { body, headers: ['Content-Type: text/xml'] });
const part = (disposition: string, content: string, type = '') =>
  `--b0\r\nContent-Disposition: form-data; ${disposition}\r\n${type && `Content-Type: ${type}\r\n`}\r\n${content}\r\n`;
const multipart = (name: string, body: string, target = '/hooks/entire') =>
  send(`multipart ${name}`, target, {
    body,
    headers: ['Content-Type: multipart/form-data; boundary=b0'],
  });
const signed = (algorithm: string, body: string) =>
  createHmac(algorithm, 'mysecret').update(body).digest('hex');

function hostCase(host: string): HookCase {
  return {
    name: `host ${host}`,
    request: `GET / HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`,
  };
}

/** What is sent, in order. */
export const CASES: readonly HookCase[] = [
  send('root', '/'),
  send('right token', '/hooks/token?token=letmein42'),
  send('wrong token', '/hooks/token?token=other'),
  send('no token', '/hooks/token'),
  send('empty token', '/hooks/token?token='),
  send('first of two tokens', '/hooks/token?token=letmein42&token=x'),
  send('escaped token', '/hooks/token?token=%6cetmein42'),
  send('bad escape elsewhere', '/hooks/token?x=%zz&token=letmein42'),
  send('unknown hook', '/hooks/nope?q=1'),
  send('unknown path', '/nope'),
  send('prefix alone', '/hooks'),
  send('empty id', '/hooks/'),
  send('double slash', '/hooks//token?a=b'),
  send('dots', '/hooks/../hooks/token'),
  send('encoded dots', '/hooks/%2e%2e/x y'.replace(' ', '%20')),
  send('id with slash', '/hooks/a%20b%2Fc'),
  send('trailing slash', '/hooks/token/'),
  send('case of the id', '/hooks/TOKEN?token=letmein42'),
  ...['code', 'odd-code', 'no-content', 'interim'].flatMap((id) => [
    send(`${id} yes`, `/hooks/${id}?token=letmein42`),
    send(`${id} no`, `/hooks/${id}?token=x`),
  ]),
  send('head', '/hooks/token?token=letmein42', { method: 'HEAD' }),
  send('options', '/hooks/token?token=letmein42', { method: 'OPTIONS' }),
  send('method refused', '/hooks/post'),
  send('method allowed', '/hooks/post', { body: '' }),
  send('regex yes', '/hooks/rx?q=abc'),
  send('regex no', '/hooks/rx?q=abcd'),
  send('regex newline', '/hooks/rx?q=a%0Ac'),
  send('regex bytes', '/hooks/rx?q=a%ffc'),
  send('regex classes', '/hooks/rx-class?q=ab%CE%B1'),
  send('regex bad', '/hooks/rx-bad?q=a'),
  send('regex bad without parameter', '/hooks/rx-bad'),
  send('regex repeat', '/hooks/rx-repeat?q=a'),
  ...['sha1', 'sha256', 'sha512'].flatMap((algorithm) => {
    const id = `/hooks/hmac${algorithm.slice(3)}`;
    const sig = signed(algorithm, '{"a":1}');
    return [
      json(`${algorithm} right`, id, '{"a":1}', [`X-Sig: ${algorithm}=${sig}`]),
      json(`${algorithm} bare`, id, '{"a":1}', [`X-Sig: ${sig}`]),
      json(`${algorithm} list`, id, '{"a":1}', [`X-Sig: ${algorithm}=00,${algorithm}=${sig}`]),
      json(`${algorithm} list without prefix`, id, '{"a":1}', [`X-Sig: ${sig},x`]),
      json(`${algorithm} upper case`, id, '{"a":1}', [`X-Sig: ${sig.toUpperCase()}`]),
      json(`${algorithm} wrong`, id, '{"a":2}', [`X-Sig: ${sig}`]),
      send(`${algorithm} empty body`, id, { headers: ['X-Sig: 00'] }),
      send(`${algorithm} missing`, id),
    ];
  }),
  json('hash right', '/hooks/hash1', 'x', [`X-Sig: ${signed('sha1', 'x')}`]),
  send('empty secret', '/hooks/no-secret', { headers: ['X-Sig: 00'] }),
  send('soft failure', '/hooks/soft?token=letmein42', { headers: ['X-Sig: 00'] }),
  send('hard failure', '/hooks/hard?token=letmein42', { headers: ['X-Sig: 00'] }),
  send('scalr without headers', '/hooks/scalr'),
  send('scalr wrong', '/hooks/scalr', {
    headers: ['X-Signature: 00', 'Date: Fri 08 Sep 2017 11:24:32 UTC'],
  }),
  send('scalr outdated', '/hooks/scalr', {
    headers: [
      `X-Signature: ${signed('sha1', 'Fri 08 Sep 2017 11:24:32 UTC')}`,
      'Date: Fri 08 Sep 2017 11:24:32 UTC',
    ],
  }),
  ...[
    'ip',
    'ip-no',
    'ip-bad',
    'ip-mapped',
    'and-empty',
    'or-empty',
    'nothing',
    'type',
    'source',
    'empty',
  ].map((id) => send(id, `/hooks/${id}`)),
  send('and yes', '/hooks/and?token=letmein42&a=b'),
  send('and no', '/hooks/and?token=letmein42&a=c'),
  send('or yes', '/hooks/or?a=b'),
  send('or no', '/hooks/or?a=c'),
  send('not yes', '/hooks/not?a=c'),
  send('not no', '/hooks/not?a=b'),
  send('type with parameter', '/hooks/type?q=x'),
  send('absent value', '/hooks/absent-value?q='),
  send('absent value missing', '/hooks/absent-value'),
  json('below null', '/hooks/null-below', '{"a":null}'),
  json('below text', '/hooks/null-below', '{"a":"t"}'),
  json('arguments', '/hooks/args?q=x%20y%22', '{"a":{"b":[1,{"c":"<é>"}]},"n":null,"x.y":1.50}', [
    'X-In: one',
    'X-In: two',
  ]),
  json('dotted key below', '/hooks/args', '{"a":true,"n":[1,"a"],"x":{"y":1E5}}'),
  send('no payload', '/hooks/args'),
  json('raw body', '/hooks/raw', ' {"a" :1}\n'),
  json(
    'entire',
    '/hooks/entire?b=2&a=1&a=3',
    '{"z":1,"a":[{"k":"\\u2028&\\u0007"}],"__proto__":1,"é":"\\ud83d\\ude00","l":"\\ud800"}',
  ),
  ...[
    '',
    '[1,{"a":2}]',
    '"text"',
    '5',
    'true',
    'null',
    '{"a":1} trailing',
    '{"a":1,}',
    '{"a":',
    '{"a"',
    '[1,',
    'nul',
    'tru1',
    '{"a":01}',
    '{"a":1.}',
    '{"a":-}',
    '{"a":1e}',
    "{'a':1}",
    '{"a":"\n"}',
    '{"a":"\\x"}',
    '{"a":"\\u12g4"}',
    '\ufeff{}',
    '{"a":1,"a":2}',
    '{"a" 1}',
    '{1:2}',
    '{"a":1 "b":2}',
    '[1 2]',
  ].map((body) => json(`json ${JSON.stringify(body)}`, '/hooks/entire', body)),
  json('json with bad bytes', '/hooks/entire', '{"a":"é"}'),
  send('json by substring', '/hooks/entire', {
    body: '{"a":1}',
    headers: ['Content-Type: x/yjsonz'],
  }),
  send('type by hook', '/hooks/typed', { body: '{"a":1}', headers: ['Content-Type: text/plain'] }),
  form('form', '/hooks/entire?q=1', 'a=1&a=2&b=x+y%21&c&=d&%C3%A9=1'),
  form('form bad escape', '/hooks/entire', 'a=%zz&b=1'),
  form('form short escape', '/hooks/entire', 'a=1&b=%4'),
  form('form semicolon', '/hooks/entire', 'a=1;b=2'),
  xml('simple', '<a>x</a>'),
  xml(
    'tree',
    '<?xml version="1.0"?><r k="v" n:m="w"><a>1</a><a>2</a><b/><c x="1">t</c><n:d> s </n:d></r>',
  ),
  xml('mixed after', '<r><a>1</a>tail</r>'),
  xml('cdata', '<r><![CDATA[<x>]]></r>'),
  xml('entities', '<r>&lt;&amp;&#65;&#x42;</r>'),
  xml('namespace', '<r xmlns="u" xmlns:n="v"><n:a/></r>'),
  xml('comment and doctype', '<!DOCTYPE r [<!ENTITY x "y">]><!-- c --><r>a</r>'),
  xml('second root', '<r/><s/>'),
  xml('mismatch', '<a>x</b>'),
  xml('unclosed', '<a><b></b>'),
  xml('empty', ''),
  multipart('fields', `${part('name="a"', '1')}${part('name="a"', '2')}--b0--\r\n`),
  multipart(
    'json file',
    `${part('name="f"; filename="x"', '{"k":[1]}', 'application/json')}--b0--`,
  ),
  multipart('other file', `${part('name="f"; filename="x"', '{"k":[1]}', 'text/plain')}--b0--`),
  multipart(
    'json file that is a list',
    `${part('name="f"; filename="x"', '[1]', 'application/json')}--b0--`,
  ),
  multipart(
    'file by parameter',
    `${part('name="p"; filename="x"', '{"a":"v"}')}--b0--`,
    '/hooks/parsed',
  ),
  multipart('preamble', `before\r\n${part('name="a"', 'x\r\ny')}--b0--\r\nafter`),
  multipart('nothing', 'abc'),
  send('unsupported type', '/hooks/entire', { body: 'abc', headers: ['Content-Type: text/plain'] }),
  send('type in capitals', '/hooks/entire', {
    body: '{}',
    headers: ['Content-Type: APPLICATION/JSON'],
  }),
  json('parsed', '/hooks/parsed?u={"x":5}', '{"p":"{\\"a\\":{\\"b\\":1}} rest"}', [
    'X-J: {"k":"v"}',
  ]),
  json('not parsed', '/hooks/parsed?u=[1]', '{"p":"nope"}'),
  send('environment', '/hooks/env?q=a%20b&a.b=c'),
  json('files', '/hooks/files', '{"bin":"AAEC/w==","text":"t\\u00e9\\n","bad":"QUJDREVG!x"}'),
  ...[
    'fails',
    'fails-shown',
    'missing',
    'missing-path',
    'not-executable',
    'no-folder',
    'folder',
    'in-folder',
    'order',
    'long',
    'html',
  ].map((id) => send(`command ${id}`, `/hooks/${id}`)),
  {
    name: 'chunked',
    request: `POST /hooks/raw HTTP/1.1\r\nHost: h\r\n${JSON_TYPE}\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n3;x=y\r\n{"a\r\n4\r\n":1}\r\n0\r\n\r\n`,
  },
  {
    name: 'pipelined',
    request:
      'GET /hooks/html HTTP/1.1\r\nHost: h\r\n\r\nGET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n',
  },
  { name: 'http 1.0, a long answer', request: 'GET /hooks/long HTTP/1.0\r\n\r\n' },
  {
    name: 'http 1.0 keep-alive, a long answer',
    request: 'GET /hooks/long HTTP/1.0\r\nConnection: keep-alive\r\n\r\n',
  },
  send('head of a long answer', '/hooks/long', { method: 'HEAD' }),
  send('continue without a body', '/hooks/html', { headers: ['Expect: 100-continue'] }),
  { name: 'http 1.0', request: 'GET /hooks/html HTTP/1.0\r\n\r\n' },
  {
    name: 'http 1.0 keep-alive',
    request: 'GET /hooks/html HTTP/1.0\r\nConnection: keep-alive\r\n\r\nGET / HTTP/1.0\r\n\r\n',
  },
  {
    name: 'continue',
    request: `POST /hooks/raw HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}`,
  },
  { name: 'unknown expectation', request: 'GET / HTTP/1.1\r\nHost: h\r\nExpect: x\r\n\r\n' },
  hostCase("a'(b)"),
  {
    name: 'absolute target',
    request: 'GET http://other/hooks/html?x=1 HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n',
  },
];

/** What is no HTTP for Node's parser: it is refused with 400, as 2.8.0 refuses most of it, in Node's words. */
export const REFUSED: readonly HookCase[] = [
  ...['h/', 'a@b', 'a|'].map(hostCase),
  send('invented method', '/hooks/token?token=letmein42', { method: 'FOO' }),
  send('letters in a target that are not ASCII', '/hooks/token?token=letmein42&q=\u00e9'),
  ...['', ' ', '\r\nContent-Length:'].map((length) => ({
    name: `length ${JSON.stringify(length)}`,
    request: `POST /hooks/entire HTTP/1.1\r\nHost: h\r\nContent-Length:${length}\r\nConnection: close\r\n\r\n`,
  })),
  { name: 'no host', request: 'GET / HTTP/1.1\r\n\r\n' },
  { name: 'two hosts', request: 'GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n' },
  { name: 'malformed line', request: 'GARBAGE\r\n\r\n' },
  { name: 'bad escape in path', request: 'GET /hooks/%zz HTTP/1.1\r\nHost: h\r\n\r\n' },
  { name: 'bad header', request: 'GET / HTTP/1.1\r\nHost: h\r\nbad header: x\r\n\r\n' },
  { name: 'bad length', request: 'POST / HTTP/1.1\r\nHost: h\r\nContent-Length: x\r\n\r\n' },
  { name: 'CONNECT', request: 'CONNECT h:1 HTTP/1.1\r\nHost: h\r\n\r\n' },
];
