import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BACKENDS } from '../../../../src/backends/index.ts';
import { KnownSecrets } from '../../../../src/shell/log/known-secrets.ts';
import { shownText, shownWords } from '../../../../src/shell/log/shown-words.ts';

test('what was given as a secret is hidden wherever a text quotes it', () => {
  const secrets = new KnownSecrets(
    ['copy', ':s3,secret_access_key=aaaaaaaa:b', '--header', 'X-Any: bbbbbbbb'],
    { RCLONE_CONFIG_PASS: 'cccccccc', HTTPS_PROXY: 'http://u:dddddddd@h', HOME: '/eeeeeeee' },
  );
  secrets.add('{"access_token":"ffffffff","expiry":"2026"}');
  secrets.add('gg"gg+gg');
  expect(
    secrets.hide(
      'aaaaaaaa bbbbbbbb cccccccc dddddddd eeeeeeee ffffffff {"x":"gg\\"gg+gg"} gg%22gg%2Bgg',
    ),
  ).toBe('REDACTED REDACTED REDACTED REDACTED eeeeeeee REDACTED {"x":"REDACTED"} REDACTED');
});

test('a sentence that only speaks of secrets stays', () => {
  const secrets = new KnownSecrets(['--s3-secret-access-key', 'aaaaaaaa'], {});
  for (const text of [
    'password: the rest',
    'config_token: it must begin with "{"',
    'dir/token: directory not found',
    'cookie: Copied (new)',
    'option secret_access_key is missing although access_key_id is set',
  ])
    expect(secrets.hide(text)).toBe(text);
});

test('short values and REDACTED itself are not searched for', () => {
  const secrets = new KnownSecrets();
  for (const value of ['', 'a', 'false', 'REDACTED']) secrets.add(value);
  expect(secrets.hide('a false REDACTED')).toBe('a false REDACTED');
});

const SECRETS = BACKENDS.flatMap(({ type, options }) =>
  options.filter(({ secret }) => secret === true).map(({ name }) => ({ type, name })),
);
const secretValue = fc
  .string({ unit: 'grapheme-ascii', minLength: 8, maxLength: 40 })
  .filter((value) => value.trim() === value && !/^REDACTED|:\/\//.test(value))
  // A mark that nothing else has.
  .map((value) => `${value}Zq7`);

test('no way to give a secret shows it, and every text that quotes it is without it', () => {
  fc.assert(
    fc.property(fc.constantFrom(...SECRETS), secretValue, ({ type, name }, value) => {
      const quoted = `"${value.replaceAll('"', '""')}"`;
      const single = `'${value.replaceAll("'", "''")}'`;
      const flag = `--${type}-${name.replaceAll('_', '-')}`;
      for (const words of [
        ['copy', `:${type},${name}=${quoted}:b`, 'to'],
        ['copy', `:${type},x=1,${name}=${single}:b`, 'to'],
        ['copy', `r,${name}=${quoted},x=1:b`, 'to'],
        ['copy', flag, value, 'to'],
        ['copy', `${flag}=${value}`, 'to'],
        ['config', 'create', 'r', type, name, value],
        ['config', 'update', 'r', `${name}=${value}`],
      ]) {
        expect(JSON.stringify(shownWords(words))).not.toContain('Zq7');
        const { length } = shownWords(words);
        expect(length).toBe(words.length);
        const secrets = new KnownSecrets(words, {});
        for (const text of [`bad: ${value}`, JSON.stringify({ a: value })])
          expect(secrets.hide(text)).not.toContain('Zq7');
      }
      expect(shownText(`:${type},${name}=${quoted}:b`)).toBe(`:${type},${name}=REDACTED:b`);
      const env = { [`RCLONE_${type}_${name}`.toUpperCase()]: value };
      expect(new KnownSecrets([], env).hide(`x ${value} y`)).not.toContain('Zq7');
    }),
  );
});
