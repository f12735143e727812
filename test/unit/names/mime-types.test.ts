import { expect, test, vi } from 'vitest';
import { systemMimeTypes } from '../../../src/names/mime-types.ts';

const typesWith = (files: Readonly<Record<string, string>>) =>
  systemMimeTypes((path) => files[path]);

test('without tables of the system: the common types, others are octet streams', () => {
  const type = typesWith({});
  expect(['a/b.html', 'c.JPG', 'x.json', 'x.mp3', 'x.mkv', '.png'].map(type)).toEqual([
    'text/html; charset=utf-8',
    'image/jpeg',
    'application/json',
    'audio/mpeg',
    'video/x-matroska',
    'image/png',
  ]);
  expect(['a', 'a.', 'dir.html/a', 'a.unknown'].map(type)).toEqual(
    Array(4).fill('application/octet-stream'),
  );
});

test('the freedesktop table adds types, the heaviest line first; nothing else is read then', () => {
  const type = typesWith({
    '/usr/share/mime/globs2':
      '# comment\n50:text/x-c++src:*.C:cs\n50:text/x-csrc:*.c\n50:text/weak:*.html\n10:x/y:*.c\n50:a/b:*.tar.gz\n5:c/d:name\n',
    '/etc/mime.types': 'other/type c\n',
  });
  expect(['a.C', 'a.c', 'a.html', 'a.gz'].map(type)).toEqual([
    'text/x-c++src; charset=utf-8',
    'text/x-csrc; charset=utf-8',
    'text/html; charset=utf-8',
    'application/octet-stream',
  ]);
});

test('tables of types win over the common ones, the last of them over all', () => {
  const type = typesWith({
    '/etc/mime.types': '# comment\n\nimage/one\tjpg  jpeg # no more\ntext/x-two two\n',
    '/etc/apache2/mime.types': 'image/three jpg\n',
  });
  expect(['a.jpg', 'a.jpeg', 'a.two', 'a.more'].map(type)).toEqual([
    'image/three',
    'image/one',
    'text/x-two; charset=utf-8',
    'application/octet-stream',
  ]);
});

test('the tables are read once, at the first question', () => {
  const read: string[] = [];
  const type = systemMimeTypes((path) => {
    read.push(path);
    return undefined;
  });
  expect(read).toEqual([]);
  type('a.txt');
  const once = [...read];
  type('b.txt');
  expect(read).toEqual(once);
});

test('an extension has the same type whether it is looked up or the tables are parsed', () => {
  const files = {
    '/usr/share/mime/globs2':
      '50:text/x-c++src:*.C:cs\n50:text/x-csrc:*.c\n50:a/gz:*.tar.gz\n50:a/plus:*.c++\n50:a/sh:*.SH\n40:a/sh2:*.sh\n',
  };
  const tables = [
    files,
    {
      '/etc/mime.types': 'a/b C  Sh.x\tsh # c\n#x c\nd/e c',
      '/etc/httpd/conf/mime.types': 'f/g SH\n',
    },
    {},
  ];
  const names = [
    'c',
    'C',
    'gz',
    'c++',
    'C++',
    'sh',
    'SH',
    'Sh',
    'x',
    '*',
    'a:b',
    'FLAC',
    'Ts',
    '.',
    'e/f',
    '#x',
    'no',
  ];
  for (const table of tables) {
    const all = typesWith(table);
    for (let n = 0; n < 40; n++) all(`a.other${n}`);
    for (const name of names)
      expect([name, typesWith(table)(`a.${name}`)]).toEqual([name, all(`a.${name}`)]);
  }
});

test('the first file costs no look at the other lines of the tables', () => {
  const lines = Array.from({ length: 2_000 }, (_, n) => `50:a/t${n}:*.e${n}`).join('\n');
  const split = vi.spyOn(String.prototype, 'split');
  try {
    expect(typesWith({ '/usr/share/mime/globs2': lines })('dir/a.E77')).toBe('a/t77');
    expect(split.mock.calls.length).toBeLessThan(10);
  } finally {
    split.mockRestore();
  }
});
