import { describe, expect, test } from 'vitest';
import { decodeHookText } from '../../../src/webhook/file/load-hooks.ts';

/** The faults of a hook file, without their places. */
async function faultsIn(text: string, env?: Record<string, string>): Promise<string[]> {
  const options = { template: env !== undefined, env: env ?? {} };
  const { faults } = await decodeHookText(Buffer.from(text), options);
  return faults.map(({ text, weight }) => `${weight}: ${text.replace(/^hook "a": /, '')}`);
}

const HOOK = { id: 'a', 'execute-command': '/bin/true' };
const inHook = (fields: object) => faultsIn(JSON.stringify([{ ...HOOK, ...fields }]));
const inRule = (rule: unknown) => inHook({ 'trigger-rule': rule });
const parameter = { source: 'header', name: 'X-Token' };
/** The faults of a condition, by the fields in `match`. */
const inMatch = async (match: object) =>
  (await inRule({ match })).map((line) => line.replace('trigger-rule.match.', ''));

const SIGNED = ['hmac', 'hash'].flatMap((kind) =>
  ['sha1', 'sha256', 'sha512'].map((hash) => `payload-${kind}-${hash}`),
);

const OF_SERVICES = ['scalr-signature', 'slack-signature', 'stripe-signature'];

describe('a condition needs what its type compares with', () => {
  test.each<readonly [type: string, field: string, effect: string]>([
    ['value', 'value', 'an empty parameter satisfies it'],
    ['regex', 'regex', 'every text satisfies it'],
    ...SIGNED.map((type) => [type, 'secret', 'no signature satisfies it'] as const),
    ...OF_SERVICES.map((type) => [type, 'secret', 'no signature satisfies it'] as const),
    ['ip-whitelist', 'ip-range', 'no address satisfies it'],
  ])('%s needs %s', async (type, field, effect) => {
    const others = type === 'ip-whitelist' || OF_SERVICES.includes(type) ? {} : { parameter };
    const fine = { value: 'x', regex: 'x', secret: 'x', 'ip-range': '10.0.0.0/8' };
    const good = { type, ...others, [field]: fine[field as keyof typeof fine] };
    expect(await inMatch(good)).toEqual([]);
    for (const [given, word] of [
      [{}, 'missing'],
      [{ [field]: null }, 'missing'],
      [{ [field]: '' }, 'empty'],
    ] as const) {
      const [first, ...more] = await inMatch({ type, ...others, ...given });
      expect(first).toContain(`error: ${field} is ${word}: ${effect}`);
      expect(more).toEqual([]);
    }
    for (const other of ['value', 'regex', 'secret', 'ip-range'].filter((name) => name !== field)) {
      const useless = `error: ${other} has no effect: the type "${type}" does not use it`;
      expect(await inMatch({ ...good, [other]: '10.0.0.1' })).toEqual([useless]);
      const misplaced = await inMatch({ type, ...others, [other]: '10.0.0.1' });
      expect(misplaced).toEqual([expect.stringContaining(`${field} is missing`), useless]);
    }
  });

  test('a blank network is no network', async () => {
    expect(await inMatch({ type: 'ip-whitelist', 'ip-range': ' ' })).toEqual([
      'error: ip-range is blank: no address satisfies it',
    ]);
  });

  test.each(['ip-whitelist', ...OF_SERVICES])('%s does not use a parameter', async (type) => {
    const match = type === 'ip-whitelist' ? { 'ip-range': '::1' } : { secret: 'x' };
    expect(await inMatch({ type, ...match, parameter })).toEqual([
      `warning: parameter has no effect: the type "${type}" does not use it`,
    ]);
  });

  test.each([
    [{}, 'type is missing: it is never satisfied'],
    [{ type: null, value: 'x' }, 'type is missing: it is never satisfied'],
    [{ type: 'Value', value: 'x' }, 'type: unknown type "Value"'],
  ])('%j has no type', async (match, text) => {
    expect(await inMatch(match)).toEqual([`error: ${text}`]);
  });

  test.each([
    [{}, 'parameter is missing: there is no value'],
    [{ parameter: null }, 'parameter is missing: there is no value'],
    [{ parameter: {} }, 'parameter.source is missing: there is no value'],
    [{ parameter: { source: '' } }, 'parameter.source is empty: there is no value'],
    [{ parameter: { source: 'Header', name: 'x' } }, 'parameter.source: unknown source "Header"'],
    ...['url', 'query', 'header', 'payload'].flatMap((source) => [
      [{ parameter: { source } }, `parameter.name is missing: there is no value in "${source}"`],
      [
        { parameter: { source, name: '' } },
        `parameter.name is empty: there is no value in "${source}"`,
      ],
    ]),
    [
      { parameter: { source: 'request', name: 'path' } },
      'parameter.name: the source "request" has only "method" and "remote-addr"',
    ],
    [
      { parameter: { source: 'header', name: 'host' } },
      'parameter.name: hooks do not see the header host',
    ],
  ] as [object, string][])('%j has no value', async (given, text) => {
    expect(await inMatch({ type: 'value', value: 'x', ...given })).toEqual([`error: ${text}`]);
  });

  test.each([
    [{ source: 'string', name: 'x' }, 'source: "string" is a fixed text'],
    [{ ...parameter, envname: 'A' }, 'envname has no effect here'],
    [{ ...parameter, base64decode: true }, 'base64decode has no effect here'],
    [{ source: 'raw-request-body', name: 'x' }, 'name has no effect'],
  ])('%j warns', async (given, text) => {
    expect(await inMatch({ type: 'value', value: 'x', parameter: given })).toEqual([
      expect.stringContaining(`warning: parameter.${text}`),
    ]);
  });
});

describe('rules', () => {
  const bad = { match: { type: 'value', secret: 'x', parameter } };
  const good = { match: { type: 'value', value: 'x', parameter } };

  test.each([
    ['and[1]', { and: [good, bad] }],
    ['or[0]', { or: [bad] }],
    ['not', { not: bad }],
    ['and[0].or[0].not.not', { and: [{ or: [{ not: { not: bad } }] }] }],
  ])('are checked inside %s', async (where, rule) => {
    const lines = (await inRule(rule)).filter((line) => line.startsWith('error'));
    expect(lines).toEqual([
      expect.stringContaining(`trigger-rule.${where}.match.value is missing`),
      expect.stringContaining(`trigger-rule.${where}.match.secret has no effect`),
    ]);
  });

  test.each([
    ['match', 'and', { and: [good], match: good.match }],
    [
      'match',
      'not',
      {
        not: { match: { ...good.match, parameter: { source: 'request', name: 'method' } } },
        match: good.match,
      },
    ],
    ['or', 'and', { or: [good], and: [good] }],
  ])('%s beside %s is never looked at', async (ignored, counts, rule) => {
    expect(await inRule(rule)).toEqual([
      `error: trigger-rule.${ignored} has no effect: beside "${counts}" it is never read`,
    ]);
  });

  test('a null part is none', async () => {
    expect(await inRule({ and: null, or: null, not: null, ...good })).toEqual([]);
  });

  test('without a rule every request runs the command', async () => {
    expect(await inHook({ 'trigger-rule': null, 'trigger-signature-soft-failures': true })).toEqual(
      [
        'warning: trigger-rule is null: every request runs the command',
        'warning: trigger-signature-soft-failures has no effect: the hook has no rule, and every request runs the command',
      ],
    );
    expect(await inHook({})).toEqual([]);
  });

  const note =
    'note: trigger-rule.not: a request without the header X-Token does not satisfy it; webhook 2.8.0 lets it in';
  test.each([
    ['at the top', { not: good }, [note]],
    ['of an or', { or: [{ not: good }] }, [note.replace('rule.not', 'rule.or[0].not')]],
    ['of an and, as in 2.8.0', { and: [{ not: good }] }, []],
    ['in a not, once', { not: { not: good } }, [note]],
    [
      'of what no request lacks',
      { not: { match: { type: 'ip-whitelist', 'ip-range': '::1' } } },
      [],
    ],
  ])('not of a parameter that may be missing: %s', async (_, rule, lines) => {
    expect(await inRule(rule)).toEqual(lines);
  });

  test('YAML and templates are checked as JSON is', async () => {
    const yaml = `
- id: a
  execute-command: /bin/true
  trigger-rule:
    match:
      type: value
      value: '{{ getenv "TOKEN" }}'
      parameter: {source: url, name: token}
`;
    expect(await faultsIn(yaml, { TOKEN: 'x' })).toEqual([]);
    expect(await faultsIn(yaml, {})).toEqual([
      expect.stringContaining('error: trigger-rule.match.value is empty'),
    ]);
  });
});

test.each([
  ['zzz', ['warning: unknown key "zzz"; the hook has no rule']],
  ['constructor', ['warning: unknown key "constructor"; the hook has no rule']],
  ['$schema', []],
])('the key %s of a hook', async (name, lines) => {
  expect(await inHook({ [name]: 'x' })).toEqual(lines);
});

describe('what is passed to the command', () => {
  const url = { source: 'url', name: 'a' };
  test.each([
    [
      'pass-arguments-to-command',
      [url, { source: 'string', name: '' }, { source: 'entire-payload' }],
      [],
    ],
    [
      'pass-arguments-to-command',
      [{ source: 'string' }],
      ['warning: pass-arguments-to-command.name is missing: the text is empty'],
    ],
    [
      'pass-arguments-to-command',
      [{ ...url, envname: 'A' }],
      ['warning: pass-arguments-to-command.envname has no effect here'],
    ],
    [
      'pass-arguments-to-command',
      [null],
      ['error: pass-arguments-to-command has an entry that is null: there is no value'],
    ],
    ['pass-environment-to-command', [url, { source: 'string', name: 'x', envname: 'A' }], []],
    [
      'pass-environment-to-command',
      [{ source: 'entire-payload' }],
      [
        'warning: pass-environment-to-command.envname is missing: the name of the variable is made from the value',
      ],
    ],
    [
      'pass-environment-to-command',
      [{ ...url, envname: 'A=B' }],
      ['error: pass-environment-to-command.envname: a variable cannot have "=" in its name'],
    ],
    [
      'pass-environment-to-command',
      [{ ...url, base64decode: true }],
      [
        'warning: pass-environment-to-command.base64decode has no effect here: only pass-file-to-command decodes',
      ],
    ],
    ['pass-file-to-command', [{ ...url, base64decode: true }], []],
    [
      'pass-file-to-command',
      [{ source: 'payload', name: 'a/b' }],
      ['error: pass-file-to-command.name: no file is created for a variable with "/" in its name'],
    ],
    ['parse-parameters-as-json', [url], []],
    [
      'parse-parameters-as-json',
      [{ source: 'entire-payload' }],
      ['error: parse-parameters-as-json.source: "entire-payload" is never parsed as JSON'],
    ],
  ])('%s: %j', async (name, list, lines) => {
    expect(await inHook({ [name]: list })).toEqual(lines);
  });
});

test.each([
  ['http-methods', ['get', ' POST '], []],
  ['http-methods', ['GET,POST'], ['error: http-methods: "GET,POST": list the methods one by one']],
  ['http-methods', [''], ['error: http-methods: "": no request has this method']],
  ['http-methods', ['FETCH'], ['error: http-methods: "FETCH": no request has this method']],
  ['incoming-payload-content-type', 'application/json', []],
  [
    'incoming-payload-content-type',
    'application/JSON',
    [
      'warning: incoming-payload-content-type: no body is parsed as "application/JSON", so the payload is empty',
    ],
  ],
  ['success-http-response-code', 299, ['error: success-http-response-code: unknown status 299']],
  [
    'response-headers',
    [{ value: 'x' }],
    ['error: response-headers.name is missing: it is not sent'],
  ],
  [
    'response-headers',
    [{ name: 'X Y' }],
    ['error: response-headers.name: "X Y" is no name of a header'],
  ],
  [
    'response-headers',
    [{ name: 'Trailer' }],
    ['warning: response-headers.name: Trailer is ignored'],
  ],
  [
    'include-command-output-in-response-on-error',
    true,
    [
      'warning: include-command-output-in-response-on-error has no effect without include-command-output-in-response',
    ],
  ],
])('%s: %j', async (name, value, lines) => {
  expect(await inHook({ [name]: value })).toEqual(lines);
});
