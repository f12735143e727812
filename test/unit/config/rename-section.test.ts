import { expect, test } from 'vitest';
import { leadingTo } from '../../../src/config/alias-target.ts';
import { renameSection } from '../../../src/config/ini-edit.ts';
import { iniSections, iniText, parseIni } from '../../../src/config/ini-lines.ts';

const FILE =
  '# top\n[ a ]  \nk = a\n; in a\n\n[b]\nremote = a:x\n[c]\nremote = a,k=v:x\n[a]\nl = w\n';
const lines = parseIni(FILE, 'file');

test('the header alone changes, wherever it stands', () => {
  const text = iniText(renameSection(lines, 'a', 'new one'));
  expect(text).toBe(FILE.replace('[ a ]', '[ new one ]').replace('[a]', '[new one]'));
  expect(iniSections(parseIni(text, 'file')).get('new one')?.get('l')).toBe('w');
});

test('a name that is taken or none is refused, the same name is fine', () => {
  expect(() => renameSection(lines, 'a', 'b')).toThrow(/a remote named "b" already exists/);
  expect(() => renameSection(lines, 'a', 'x:y')).toThrow(/invalid remote name/);
  expect(renameSection(lines, 'a', 'a')).toBe(lines);
});

test('remotes that lead to another are found', () => {
  expect(leadingTo(iniSections(lines), 'a')).toEqual(['b', 'c']);
  expect(leadingTo(iniSections(lines), 'b')).toEqual([]);
});
