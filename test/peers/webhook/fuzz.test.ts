import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { NIL_MAP } from '../../../src/go/go-value.ts';
import { parseQuery } from '../../../src/webhook/payload/parse-body.ts';
import { judge, type Trace } from '../../../src/webhook/rule/judge-rule.ts';
import { QUERY, randomRules } from '../../support/random-rules.ts';
import { hasWebhook, startWebhook, type WebhookServer } from '../../support/webhook-beside.ts';

const all = ['entire-payload', 'entire-query', 'entire-headers', 'raw-request-body'];
const of = (source: string, name: string) => ({ source, name });
const hook = (id: string, more: object = {}) => ({
  id,
  'execute-command': '/usr/bin/printf',
  'include-command-output-in-response': true,
  'pass-arguments-to-command': [of('string', '%s\\n'), ...all.map((source) => of(source, ''))],
  ...more,
});
const match = (type: string, source: string, name: string, more: object) => ({
  match: { type, parameter: of(source, name), ...more },
});
const HOOKS = [
  hook('all'),
  hook('rule', {
    'trigger-rule': {
      and: [
        match('value', 'url', 'a', { value: '1' }),
        {
          or: [
            match('regex', 'payload', 'a.b', { regex: '^[a-z]+\\d?$' }),
            match('value', 'header', 'X-A', { value: 'b' }),
          ],
        },
      ],
    },
    'trigger-rule-mismatch-http-response-code': 403,
  }),
  hook('parsed', { 'parse-parameters-as-json': [of('payload', 'a'), of('url', 'q')] }),
  hook('nested', {
    'pass-arguments-to-command': [
      ...[of('string', '%s|'), of('payload', 'a.b'), of('payload', 'a.0'), of('payload', 'root.1')],
      ...[of('url', 'a'), of('header', 'x-a'), of('request', 'method')],
    ],
  }),
];

const word = fc.constantFrom(
  'a',
  'b',
  '1',
  'a.b',
  '%20',
  '%C3%A4',
  '%ff',
  '+',
  '',
  'é',
  ';',
  '%zz',
  'x=y',
);
const pairs = fc
  .array(fc.tuple(word, word), { maxLength: 3 })
  .map((list) => list.map(([key, value]) => `${key}=${value}`).join('&'));
const json = fc.oneof(
  fc.json({ maxDepth: 3 }),
  fc.constantFrom(
    '{"a":{"b":"x1"}}',
    '{"a":["b",1.0,2e5]}',
    '[1,"z"]',
    '{"a":"{\\"b\\":1}"}',
    '{"a":1',
    '{"a":"\\ud83d"}',
    ' 1',
    'nul',
  ),
);
const xml = fc.constantFrom(
  '<a><b>x</b></a>',
  '<a b="1">t</a>',
  '<a><b/><b>2</b></a>',
  '<a>',
  '<a>&lt;</a>',
);
const body = fc.oneof(
  fc.tuple(fc.constant('application/json'), json),
  fc.tuple(fc.constant('application/x-www-form-urlencoded'), pairs),
  fc.tuple(fc.constant('text/xml'), xml),
  fc.tuple(
    fc.constantFrom(
      '',
      'text/plain',
      'application/json; charset=x',
      'multipart/form-data; boundary=b',
    ),
    json,
  ),
);
const header = fc.tuple(
  fc.constantFrom('X-A', 'x-a', 'Accept', 'X_b', 'Cookie'),
  fc.constantFrom('b', '', 'a, b', 'ä', '"q"', ' x '),
);
const request = fc.record({
  method: fc.constantFrom('GET', 'POST', 'PUT', 'HEAD', 'OPTIONS'),
  path: fc.oneof(
    {
      weight: 8,
      arbitrary: fc.constantFrom('all', 'rule', 'parsed', 'nested').map((id) => `/hooks/${id}`),
    },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        '/',
        '/hooks',
        '/hooks/',
        '//hooks/all',
        '/hooks/./all',
        '/hooks/all/',
        '/x?y',
      ),
    },
  ),
  query: pairs,
  headers: fc.array(header, { maxLength: 3 }),
  body,
  chunked: fc.boolean(),
});

type Request = typeof request extends fc.Arbitrary<infer T> ? T : never;

function bytesOf({ method, path, query, headers, body: [type, text], chunked }: Request): Buffer {
  const content = Buffer.from(text);
  const length = chunked ? 'Transfer-Encoding: chunked' : `Content-Length: ${content.length}`;
  const lines = [
    `${method} ${path}${query && `?${query.replaceAll('é', '%C3%A9')}`} HTTP/1.1`,
    ...['Host: h', 'Connection: close', length],
    ...(type === '' ? [] : [`Content-Type: ${type}`]),
    ...headers.map(([name, value]) => `${name}: ${value}`),
  ];
  const size = `${content.length.toString(16)}\r\n`;
  const whole = chunked
    ? [
        ...(content.length > 0 ? [Buffer.from(size), content, Buffer.from('\r\n')] : []),
        Buffer.from('0\r\n\r\n'),
      ]
    : [content];
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`), ...whole]);
}

/** An answer with its headers sorted, without its date. */
function comparable(answer: string): string {
  const end = answer.indexOf('\r\n\r\n');
  const lines = answer
    .slice(0, end)
    .replace(/Date: .*/, 'Date: D')
    .split('\r\n');
  return [...lines.sort(), answer.slice(end)].join('\n');
}

/** Whether webhook 2.8.0 may decide otherwise: docs/webhook.md, "Differences", on `not`. */
function mayDiffer({ rule, outcome, parts }: Trace): boolean {
  const triggersNothing = outcome === 'missing' || outcome === 'wrong';
  return (rule.not !== undefined && triggersNothing) || parts.some(mayDiffer);
}

describe.skipIf(!hasWebhook)("random requests beside Debian's webhook 2.8.0", () => {
  let folder: string;
  let servers: WebhookServer[] = [];
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'webhook-fuzz-'));
    await writeFile(join(folder, 'hooks.json'), JSON.stringify(HOOKS));
    const start = (whose: 'ours' | 'theirs') => startWebhook(whose, { cwd: folder, args: [] });
    servers = await Promise.all([start('ours'), start('theirs')]);
  });
  afterAll(async () => {
    for (const server of servers) server.kill('SIGTERM');
    await Promise.all(servers.map(({ ended }) => ended));
    await rm(folder, { recursive: true, force: true });
  });

  test('have the same answers', async () => {
    const same = async (wanted: Request) => {
      const [mine, theirs] = await Promise.all(
        servers.map(async (server) => comparable(await server.exchange(bytesOf(wanted)))),
      );
      expect(mine).toBe(theirs);
    };
    await fc.assert(fc.asyncProperty(request, same), { numRuns: 400, endOnFailure: false });
  });
});

describe.skipIf(!hasWebhook)("random rules beside Debian's webhook 2.8.0", () => {
  test('random rules let in, refuse and fail for the same requests', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'webhook-rules-'));
    const rules = [...randomRules(280, 1200)];
    const hooks = rules.map((rule, index) => ({
      ...{ id: `h${index}`, 'execute-command': '/bin/true', 'trigger-rule': rule },
      ...{ 'success-http-response-code': 201, 'trigger-signature-soft-failures': index % 2 === 1 },
    }));
    await writeFile(join(directory, 'hooks.json'), JSON.stringify(hooks));
    const start = (whose: 'ours' | 'theirs') => startWebhook(whose, { cwd: directory, args: [] });
    const servers = await Promise.all([start('ours'), start('theirs')]);
    const request = {
      ...{ method: 'GET', remoteAddress: '', headers: NIL_MAP, payload: NIL_MAP },
      ...{ query: parseQuery(QUERY).values, body: Buffer.alloc(0) },
    };
    let compared = 0;
    const statuses = new Set<string | undefined>();
    try {
      for (const [index, rule] of rules.entries()) {
        const softSignatures = index % 2 === 1;
        const context = { nowMs: 0, softSignatures, regexes: new WeakMap(), warn: () => {} };
        if (mayDiffer(judge(rule, request, context))) continue;
        compared++;
        const text = `GET /hooks/h${index}?${QUERY} HTTP/1.0\r\n\r\n`;
        const responses = servers.map(async (server) => comparable(await server.exchange(text)));
        const [ours, theirs] = await Promise.all(responses);
        statuses.add(/HTTP\/1\.0 (\d+)/.exec(theirs ?? '')?.[1]);
        if (ours !== theirs) expect({ rule, softSignatures, response: ours }).toBe(theirs);
      }
    } finally {
      for (const server of servers) server.kill('SIGTERM');
      await Promise.all(servers.map(({ ended }) => ended));
      await rm(directory, { recursive: true, force: true });
    }
    expect(compared).toBeGreaterThan(900);
    expect([...statuses].sort()).toEqual(['200', '201', '500']);
  });
});
