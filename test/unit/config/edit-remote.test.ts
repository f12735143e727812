import { describe, expect, test } from 'vitest';
import { formatConfig, formatRemote } from '../../../commands/config/show-config.ts';
import { createRemote, parsePairs, storedValues } from '../../../src/config/edit-remote.ts';
import { iniText, parseIni } from '../../../src/config/ini-lines.ts';
import { obscure, reveal } from '../../../src/config/obscure.ts';

const option = { type: 'string', help: 'Help.' } as const;
const FTP = {
  type: 'ftp',
  options: [
    { ...option, name: 'host' },
    { ...option, name: 'pass', obscured: true },
  ],
};
const values = (pairs: Record<string, string>) =>
  Object.fromEntries(storedValues(new Map(Object.entries(pairs)), FTP));

describe('arguments', () => {
  test('come in both forms, mixed; later ones win', () => {
    const pairs = parsePairs(['a=1', 'b', '2', 'c=x=y', 'd=', 'a', '3', 'e', 'f=g']);
    expect(Object.fromEntries(pairs)).toEqual({ a: '3', b: '2', c: 'x=y', d: '', e: 'f=g' });
  });

  test('a key at the end needs a value', () => {
    expect(() => parsePairs(['a=1', 'b'])).toThrow('the key "b" has no value');
  });
});

describe('passwords', () => {
  test('are obscured once', () => {
    const { host, pass } = values({ host: 'h', pass: 'hunter2' });
    expect(host).toBe('h');
    expect(pass).not.toContain('hunter2');
    expect(reveal(pass ?? '')).toBe('hunter2');
    expect(values({ pass: pass ?? '' })).toEqual({ pass });
    expect(values({ pass: '' })).toEqual({ pass: '' });
  });

  test('are not shown', () => {
    const section = new Map([
      ['type', 'ftp'],
      ['host', 'h'],
      ['pass', obscure('hunter2')],
    ]);
    expect(formatRemote('r', section, FTP)).toBe(
      '[r]\ntype = ftp\nhost = h\npass = *** ENCRYPTED ***\n',
    );
  });
});

test("answers to rclone's wizard are not stored", () => {
  expect(values({ config_is_local: 'false', host: 'h' })).toEqual({ host: 'h' });
});

test('a section is made anew where it stands', () => {
  const lines = parseIni('[a]\nold = 1\ntype = s3\n# c\n\n[b]\nold = 1\n', 'f');
  const changed = createRemote(lines, 'a', 'ftp', new Map([['host', 'h']]));
  expect(iniText(changed)).toBe('[a]\ntype = ftp\nhost = h\n# c\n\n[b]\nold = 1\n');
});

test.each([
  ['# only a comment\n', '# only a comment\n; empty config\n'],
  ['[x]\nk=v\n# at the end', '[x]\nk = v\n# at the end\n\n'],
])('comments are shown: %j', (text, shown) => {
  expect(formatConfig(parseIni(text, 'f'))).toBe(shown);
});
