// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references look like that
import { describe, expect, test } from 'vitest';
import { decodeHooks } from '../../../src/webhook/file/decode-hooks.ts';
import { readHookFile } from '../../../src/webhook/file/read-hook-file.ts';
import { ReferenceReader } from '../../../src/webhook/file/reference-reader.ts';

const FILES: Readonly<Record<string, string>> = {
  '/run/secrets/x': 'from file\n',
  '/credentials/token': 'from systemd\r\n\n',
  '/run/secrets/empty': '\n',
};
const reader = (env: Record<string, string> = {}) =>
  new ReferenceReader({
    env: { NAME: 'from env', EMPTY: '', CREDENTIALS_DIRECTORY: '/credentials', ...env },
    read: (path) => {
      const content = FILES[path];
      if (content === undefined) throw Object.assign(new Error(), { code: 'ENOENT' });
      return Buffer.from(content);
    },
  });
const place = { line: 3, column: 7 };
const expand = (text: string, env?: Record<string, string>) => reader(env).expand(text, place, 'o');

describe('a reference stands for', () => {
  test.each([
    ['${env:NAME}', 'from env'],
    ['Bearer ${env:NAME}!', 'Bearer from env!'],
    ['${file:/run/secrets/x}', 'from file'],
    ['${credential:token}', 'from systemd'],
    ['${env:NAME}${env:NAME}', 'from envfrom env'],
    ['$NAME ${NAME} ${ENV:NAME} $${', '$NAME ${NAME} ${ENV:NAME} $${'],
    ['$env:NAME', '$env:NAME'],
  ])('%s: %s', (text, expected) => {
    expect(expand(text)).toBe(expected);
  });

  test('nothing of its own', () => {
    expect(expand('${env:NAME}', { NAME: '${file:/run/secrets/x}' })).toBe(
      '${file:/run/secrets/x}',
    );
  });
});

describe('what stands for nothing is refused with its place', () => {
  test.each([
    ['${env:NOPE}', {}, 'not set in the environment'],
    ['${file:/nope}', {}, 'no such file'],
    ['${env:EMPTY}', {}, 'it is empty'],
    ['Bearer ${file:/run/secrets/empty}', {}, 'it is empty'],
    ['${file:nope}', {}, 'the path must be absolute'],
    ['${credential:nope}', {}, 'no such file'],
    ['${credential:../x}', {}, 'not a valid credential name'],
    ['${credential:token}', { CREDENTIALS_DIRECTORY: '' }, 'CREDENTIALS_DIRECTORY is not set'],
  ])('%s', (text, env, why) => {
    expect(() => expand(text, env)).toThrow(/^line 3, column 7: o: \$\{[^}]*\}: /);
    expect(() => expand(text, env)).toThrow(why);
  });
});

describe('in a hook file', () => {
  const file = JSON.stringify([
    {
      id: 'a',
      'response-message': '${env:NAME}',
      'response-headers': [{ name: 'X', value: '${env:NAME}' }],
      'pass-arguments-to-command': [
        { source: 'string', name: '${credential:token}' },
        { source: 'string', name: 'echo ${env:NAME}' },
        { source: 'header', name: '${env:NAME}' },
      ],
      'trigger-rule': {
        and: [
          {
            match: { type: 'value', value: '${file:/run/secrets/x}', parameter: { source: 'url' } },
          },
          { match: { type: 'payload-hmac-sha1', secret: '${env:NAME}' } },
        ],
      },
    },
    { id: 'b' },
  ]);

  test('they count in rules, in headers and as whole arguments', async () => {
    const references = reader();
    const { hooks } = decodeHooks(await readHookFile(file), references);
    const [first, second] = hooks;
    expect(first?.responseMessage).toBe('${env:NAME}');
    expect(first?.responseHeaders).toEqual([['X', 'from env']]);
    expect(first?.arguments.map(({ name }) => name)).toEqual([
      ...['from systemd', 'echo ${env:NAME}', '${env:NAME}'],
    ]);
    expect(first?.rule?.and?.map(({ match }) => [match?.value, match?.secret])).toEqual([
      ['from file', ''],
      ['', 'from env'],
    ]);
    expect([...(first?.secrets ?? [])].sort()).toEqual(['from env', 'from file', 'from systemd']);
    expect(second?.secrets).toEqual([]);
    expect(references.paths).toEqual(['/credentials/token', '/run/secrets/x']);
  });
});
