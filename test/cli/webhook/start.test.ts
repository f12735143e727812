import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { hasWebhook, PROGRAMS } from '../../support/webhook-beside.ts';

let cwd: string;
beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'webhook-start-'));
});
afterEach(() => rm(cwd, { recursive: true, force: true, maxRetries: 5 }));

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

function run(whose: keyof typeof PROGRAMS, args: readonly string[]): Promise<Ended> {
  const [command, ...words] = PROGRAMS[whose];
  return new Promise((resolve) => {
    execFile(command, [...words, ...args], { cwd, timeout: 120_000 }, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : -1;
      resolve({ code, stdout, stderr });
    });
  });
}

const BARE = ['-ip', '127.0.0.1', '-port', '0'];

describe.skipIf(!hasWebhook)("ends as Debian's webhook 2.8.0 does", () => {
  test.each([
    ['-version', ['-version']],
    ['an unknown flag', ['-nope']],
    ['a bad value', ['-port', 'x']],
    ['the suites of TLS 1.3', ['-list-cipher-suites', '-tls-min-version=1.3']],
    ['setuid alone', ['-setuid', '1', ...BARE]],
    ['the suites of no version', ['-list-cipher-suites', '-tls-min-version=9']],
    ['a port that is none', ['-ip', '127.0.0.1', '-port', '99999']],
    ['a log file in no folder', ['-logfile', 'no/such/file', ...BARE]],
    ['a log file that is a folder', ['-logfile', '/tmp', ...BARE]],
    ['a pid file that is a folder', ['-verbose', '-pidfile', '/tmp', ...BARE]],
    ['a pid file whose folder cannot be made', ['-verbose', '-pidfile', '/proc/x/y', ...BARE]],
  ])('%s', async (_, args) => {
    const [mine, theirs] = [await run('ours', args), await run('theirs', args)];
    const comparable = ({ code, stdout, stderr }: Ended) => ({
      code,
      stdout: stdout.replace(/[\d/]{10} [\d:]{8}/, 'T'),
      // The help text has flags of our own.
      stderr: stderr.replace(/[\d/]{10} [\d:]{8}/, 'T').split('\nUsage of')[0],
    });
    expect(comparable(mine)).toEqual(comparable(theirs));
  });

  test('the suites, in another order', async () => {
    const [mine, theirs] = [
      await run('ours', ['-list-cipher-suites']),
      await run('theirs', ['-list-cipher-suites']),
    ];
    const sorted = ({ code, stdout }: Ended) => [code, stdout.split('\n').toSorted()];
    expect(sorted(mine)).toEqual(sorted(theirs));
  });

  test('no hooks, but with the reason', async () => {
    await writeFile(join(cwd, 'hooks.json'), '[{"id":"a"},\n {"id":"b" "c":1}]');
    const [mine, theirs] = [await run('ours', BARE), await run('theirs', BARE)];
    const undated = ({ code, stdout }: Ended) => [code, stdout.replace(/[\d/]{10} [\d:]{8}/, '')];
    expect(undated(mine)).toEqual(undated(theirs));
    expect(mine.stderr).toMatch(
      /^\[webhook\] [\d/]{10} [\d:]{8} couldn't load hooks from hooks\.json: line 2, column 12: .+\n$/,
    );
  });

  test('the help text has all of their flags, word for word', async () => {
    const [mine, theirs] = [await run('ours', ['-h']), await run('theirs', ['-h'])];
    expect(mine.code).toBe(0);
    for (const flag of theirs.stderr.split(/\n(?= {2}-)/))
      expect(mine.stderr).toContain(flag.trim());
  });
});

describe('why it does not start', () => {
  test('a certificate that cannot be read is an error, told without -verbose', async () => {
    await writeFile(join(cwd, 'hooks.json'), '[{"id":"a"}]');
    const { code, stderr } = await run('ours', ['-secure', '-pidfile', 'p', ...BARE]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/open cert\.pem: no such file or directory/);
    expect(existsSync(join(cwd, 'p'))).toBe(false);
  });

  test('a certificate that is none is named', async () => {
    await writeFile(join(cwd, 'hooks.json'), '[{"id":"a"}]');
    await writeFile(join(cwd, 'c.pem'), 'text');
    const { code, stderr } = await run('ours', [
      ...['-secure', '-cert', 'c.pem', '-key', 'c.pem', ...BARE],
    ]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/ error loading the certificate: c\.pem holds no certificate\n$/);
  });

  test('an address without a host is told in one line', async () => {
    const { code, stderr } = await run('ours', ['-ip', '999.1.1.1', '-port', '0']);
    expect(code).toBe(1);
    expect(stderr).toMatch(/error listening on port: listen tcp: lookup 999\.1\.1\.1: .+\n$/);
  });

  test('an id in two files is an error, told without -verbose', async () => {
    for (const name of ['a', 'b']) await writeFile(join(cwd, name), '[{"id":"x"}]');
    const { code, stderr } = await run('ours', ['-hooks', 'a', '-hooks', 'b', '-nopanic', ...BARE]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/error: hook with the id x has already been loaded!/);
  });

  test('the fault of one of two files is told without -verbose', async () => {
    for (const [name, text] of Object.entries({ a: '[{"id":"x"}]', b: '[{' })) {
      await writeFile(join(cwd, name), text);
    }
    const cert = join(cwd, 'none.pem');
    const hooks = ['-hooks', 'a', '-hooks', 'b'];
    const { code, stderr } = await run('ours', [...hooks, '-secure', '-cert', cert, ...BARE]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/ couldn't load hooks from b: line 1, column \d+: .+\n.*none\.pem/);
  });

  test('the pid file of a living process stays', async () => {
    await writeFile(join(cwd, 'pid'), String(process.pid));
    const { code, stderr } = await run('ours', ['-pidfile', 'pid', ...BARE]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/pid file found, ensure webhook is not running or delete pid/);
    expect(await readFile(join(cwd, 'pid'), 'utf8')).toBe(String(process.pid));
  });
});

describe('-check', () => {
  const check = async (text: string) => {
    await writeFile(join(cwd, 'f'), text);
    return run('ours', ['-check', 'f']);
  };

  test('says nothing of a file that is right', async () => {
    const parameter = { source: 'url', name: 'a' };
    const texts = [
      ...['command-working-directory', 'response-message', 'incoming-payload-content-type'],
      ...['command-timeout', 'rate-limit', 'on-full', 'response-mode'],
    ];
    const switches = [
      ...['include-command-output-in-response', 'include-command-output-in-response-on-error'],
      ...['stream-command-output', 'trigger-signature-soft-failures', 'coalesce'],
    ];
    const lists = [
      ...['pass-arguments-to-command', 'pass-environment-to-command', 'pass-file-to-command'],
      'parse-parameters-as-json',
    ];
    const right = JSON.stringify([
      {
        ...{ id: 'a', 'execute-command': '/bin/true', 'http-methods': ['GET'] },
        ...{ 'success-http-response-code': 200, 'trigger-rule-mismatch-http-response-code': 403 },
        ...{
          'max-concurrency': 1,
          'queue-size': 1,
          'response-headers': [{ name: 'X', value: '' }],
        },
        ...Object.fromEntries(texts.map((name) => [name, ''])),
        ...Object.fromEntries(switches.map((name) => [name, false])),
        ...Object.fromEntries(lists.map((name) => [name, [parameter]])),
        'pass-environment-to-command': [{ ...parameter, envname: 'A' }],
        'pass-file-to-command': [{ ...parameter, envname: 'A', base64decode: true }],
        'trigger-rule': {
          ...{ and: [{ not: { match: { type: 'value', value: 'x', parameter } } }] },
        },
      },
    ]);
    expect(await check(right)).toEqual({ code: 0, stdout: '', stderr: '' });
  });

  test('warns of keys that are ignored and of empty lists, with exit code 0', async () => {
    const parameter = { source: 'url', name: 'q', x: 1 };
    const match = { type: 'value', value: 'x', vaule: 'x', parameter };
    const hooks = [
      { id: 'a', 'execute-command': 'x', 'trigger-rulez': { match } },
      { id: 'b', 'execute-command': 'x', 'trigger-rule': { and: [] } },
      { id: 'c', 'Execute-Command': 'x', 'trigger-rule': { or: [{ match }, { or: [] }] } },
      { id: 'd', 'execute-command': 'x', 'response-headers': [{ name: 'X', vaule: '1' }] },
    ];
    const { code, stdout, stderr } = await check(JSON.stringify(hooks));
    expect([code, stdout]).toEqual([0, '']);
    expect(stderr.replaceAll(/column \d+/g, 'column N').split('\n')).toEqual([
      'f: line 1, column N: warning: hook "a": unknown key "trigger-rulez"; the hook has no rule',
      'f: line 1, column N: warning: hook "b": trigger-rule.and: without a rule in it it is always satisfied',
      'f: line 1, column N: warning: hook "c": trigger-rule.or[0].match: unknown key "vaule"',
      'f: line 1, column N: warning: hook "c": trigger-rule.or[0].match.parameter: unknown key "x"',
      'f: line 1, column N: warning: hook "c": trigger-rule.or[1].or: without a rule in it it is never satisfied',
      'f: line 1, column N: warning: hook "d": response-headers: unknown key "vaule"',
      '',
    ]);
  });

  test.each([
    ['broken', '[{"id":"a"', /^f: line 1, column \d+: /],
    [
      'a wrong type',
      '- id: a\n  execute-command: []\n',
      /^f: line 2, column 20: hook "a": execute-command must be a string/,
    ],
    ['no command', '[{"id":"a"}]', /^f: line 1, column 2: hook "a": execute-command is missing$/m],
    [
      'a regex',
      JSON.stringify([
        {
          id: 'a',
          'execute-command': 'x',
          'trigger-rule': {
            or: [
              { match: { type: 'regex', regex: '(?=x)', parameter: { source: 'url', name: 'q' } } },
            ],
          },
        },
      ]),
      /trigger-rule\.or\[0\]\.match\.regex: error parsing regexp/,
    ],
    [
      'a network',
      '[{"id":"a","execute-command":"x","trigger-rule":{"match":{"type":"ip-whitelist","ip-range":"1.2.3.400"}}}]',
      /ip-range: invalid CIDR address: 1\.2\.3\.400/,
    ],
    [
      'a source',
      '[{"id":"a","execute-command":"x","pass-arguments-to-command":[{"source":"nope"}]}]',
      /unknown source "nope"/,
    ],
    [
      'no secret',
      '[{"id":"a","execute-command":"x","trigger-rule":{"match":{"type":"payload-hmac-sha1","parameter":{"source":"header","name":"x"}}}}]',
      /secret is missing/,
    ],
    [
      'a code',
      '[{"id":"a","execute-command":"x","success-http-response-code":299}]',
      /unknown status 299/,
    ],
    [
      'an id twice',
      '[{"id":"a","execute-command":"x"},{"id":"a","execute-command":"x"}]',
      /duplicate id, also in f/,
    ],
  ])('names what is wrong: %s', async (_, text, message) => {
    const { code, stderr } = await check(text);
    expect(code).toBe(1);
    expect(stderr).toMatch(message);
  });
});
