const SHOW = '/bin/sh';
const p = (source: string, name = '', more: object = {}) => ({ source, name, ...more });
const match = (type: string, more: object = {}) => ({ match: { type, ...more } });
const value = (text: string, source = 'url', name = 'token') =>
  match('value', { value: text, parameter: p(source, name) });
const out = { 'include-command-output-in-response': true };
const echo = (id: string, parameters: object[], more: object = {}) => ({
  id,
  'execute-command': 'echo',
  'pass-arguments-to-command': parameters,
  ...out,
  ...more,
});
const ruled = (id: string, rule: object, more: object = {}) => ({
  id,
  'execute-command': 'true',
  'response-message': 'yes',
  'trigger-rule': rule,
  ...more,
});
const hmac = (algorithm: string) =>
  match(`payload-hmac-${algorithm}`, { secret: 'mysecret', parameter: p('header', 'X-Sig') });

/** The hooks that both servers get. */
export const HOOKS = [
  ruled('token', value('letmein42'), { 'response-message': 'test success!\n' }),
  ruled('code', value('letmein42'), {
    'trigger-rule-mismatch-http-response-code': 403,
    'success-http-response-code': 201,
    'response-headers': [
      { name: 'x-one-two', value: 'a' },
      { name: 'X-ONE-TWO', value: 'b' },
      { name: 'bad name', value: 'c' },
    ],
  }),
  ruled('odd-code', value('letmein42'), { 'success-http-response-code': 299 }),
  ruled('no-content', value('letmein42'), { 'success-http-response-code': 204 }),
  ruled('interim', value('letmein42'), { 'success-http-response-code': 102 }),
  ruled('rx', match('regex', { regex: '^a.c$', parameter: p('url', 'q') })),
  ruled(
    'rx-class',
    match('regex', { regex: '(?i)^[[:alpha:]]+\\p{Greek}$', parameter: p('url', 'q') }),
  ),
  ruled('rx-bad', match('regex', { regex: 'a(', parameter: p('url', 'q') })),
  ruled('rx-repeat', match('regex', { regex: 'a{1001}', parameter: p('url', 'q') })),
  ruled('hmac1', hmac('sha1')),
  ruled('hmac256', hmac('sha256')),
  ruled('hmac512', hmac('sha512')),
  ruled(
    'hash1',
    match('payload-hash-sha1', { secret: 'mysecret', parameter: p('header', 'X-Sig') }),
  ),
  ruled('no-secret', match('payload-hmac-sha1', { parameter: p('header', 'X-Sig') })),
  ruled(
    'soft',
    { or: [hmac('sha1'), value('letmein42')] },
    { 'trigger-signature-soft-failures': true },
  ),
  ruled('hard', { or: [hmac('sha1'), value('letmein42')] }),
  ruled('scalr', match('scalr-signature', { secret: 'mysecret' })),
  ruled('ip', match('ip-whitelist', { 'ip-range': '10.0.0.0/8 127.0.0.1' })),
  ruled('ip-no', match('ip-whitelist', { 'ip-range': '10.0.0.0/8 ::1' })),
  ruled('ip-bad', match('ip-whitelist', { 'ip-range': '10.0.0.0/8 bad' })),
  ruled('ip-mapped', match('ip-whitelist', { 'ip-range': '::ffff:127.0.0.1/128' })),
  ruled('and', { and: [value('letmein42'), value('b', 'url', 'a')] }),
  ruled('and-empty', { and: [] }),
  ruled('or-empty', { or: [] }),
  ruled('or', { or: [value('x', 'url', 'missing'), value('b', 'url', 'a')] }),
  ruled('not', { not: value('b', 'url', 'a') }),
  ruled('nothing', {}),
  ruled('type', match('VALUE', { value: 'x', parameter: p('url', 'q') })),
  ruled('source', match('value', { value: 'x', parameter: p('nope', 'q') })),
  ruled('absent-value', match('value', { parameter: p('url', 'q') })),
  ruled('null-below', value('x', 'payload', 'a.b')),
  echo('args', [
    p('url', 'q'),
    p('query', 'q'),
    p('header', 'x-in'),
    p('payload', 'a.b.1.c'),
    p('payload', 'a'),
    p('payload', 'n'),
    p('payload', 'x.y'),
    p('request', 'METHOD'),
    p('string', '$HOME é'),
  ]),
  echo('entire', [p('entire-payload'), p('entire-query'), p('entire-headers')]),
  echo('raw', [p('raw-request-body')]),
  echo('typed', [p('entire-payload')], { 'incoming-payload-content-type': 'application/json' }),
  echo(
    'parsed',
    [p('payload', 'p.a'), p('url', 'u.x'), p('header', 'X-J.k'), p('entire-payload')],
    {
      'parse-parameters-as-json': [
        p('payload', 'p'),
        p('url', 'u'),
        p('header', 'x-j'),
        p('string', 'z'),
      ],
    },
  ),
  {
    id: 'env',
    'execute-command': SHOW,
    ...out,
    'pass-arguments-to-command': [
      p('string', '-c'),
      p('string', 'env | grep -E "^(HOOK_|NAMED)" | sort'),
    ],
    'pass-environment-to-command': [
      p('url', 'q'),
      p('url', 'a.b'),
      p('url', 'none'),
      p('url', 'q', { envname: 'NAMED' }),
      p('entire-query'),
    ],
  },
  {
    id: 'files',
    'execute-command': SHOW,
    ...out,
    'pass-arguments-to-command': [
      p('string', '-c'),
      p(
        'string',
        'cat "$HOOK_BIN" "$NAMED" "$HOOK_BAD" | od -c; stat -c %a "$NAMED"; readlink /proc/self/fd/0',
      ),
    ],
    'pass-file-to-command': [
      p('payload', 'bin', { base64decode: true }),
      p('payload', 'text', { envname: 'NAMED' }),
      p('payload', 'bad', { base64decode: true }),
      p('payload', 'none'),
      p('url', 'a/b'),
    ],
  },
  {
    id: 'fails',
    'execute-command': SHOW,
    ...out,
    'pass-arguments-to-command': [p('string', '-c'), p('string', 'echo no; exit 3')],
    'response-headers': [{ name: 'Content-Type', value: 'x/y' }],
  },
  {
    id: 'fails-shown',
    'execute-command': SHOW,
    ...out,
    'include-command-output-in-response-on-error': true,
    'pass-arguments-to-command': [p('string', '-c'), p('string', 'echo no; kill -9 $$')],
  },
  { id: 'missing', 'execute-command': 'nocmd a b', ...out },
  { id: 'missing-path', 'execute-command': '/no/such', ...out },
  { id: 'not-executable', 'execute-command': '/etc/hostname', ...out },
  {
    id: 'no-folder',
    'execute-command': '/bin/pwd',
    'command-working-directory': '/no/such',
    ...out,
  },
  { id: 'folder', 'execute-command': '/bin/pwd', 'command-working-directory': '/usr/bin', ...out },
  { id: 'in-folder', 'execute-command': './pwd', 'command-working-directory': '/usr/bin', ...out },
  {
    id: 'order',
    'execute-command': SHOW,
    ...out,
    'pass-arguments-to-command': [
      p('string', '-c'),
      p('string', 'for i in 1 2 3; do echo o$i; echo e$i >&2; done; echo x >/dev/stderr'),
    ],
  },
  {
    id: 'long',
    'execute-command': SHOW,
    ...out,
    'pass-arguments-to-command': [
      p('string', '-c'),
      p('string', 'head -c 5000 /dev/zero | tr "\\0" x'),
    ],
  },
  { id: 'html', 'execute-command': 'true', 'response-message': ' <HTML >' },
  {
    id: 'post',
    'execute-command': 'true',
    'response-message': 'm',
    'http-methods': [' post', 'Put'],
  },
  { id: 'a b/c', 'execute-command': 'true', 'response-message': 'slash' },
  { id: 'empty', 'execute-command': 'true' },
];
