import { execFileSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Names that are easy to get wrong: blanks, quotes, separators, order, control characters, Unicode. */
const FILES: readonly (readonly [name: string, content: string])[] = [
  ['a.txt', '123456'],
  ['a-b.txt', '0123456789ab'],
  ['a/in.txt', '12345'],
  ['a/deep/x.tar', '1234567'],
  ['a/deep/y.jpg', '12345678'],
  ['.hidden', '123'],
  ['.hd/f', '123'],
  ['ünï/ß.mp3', '1234'],
  ['q"u\\o<t>&\'e', '1'],
  ['comma,semi;', '1'],
  [' lead trail ', '1'],
  ['full．', '1'],
  ['\u{1f600}', '1'],
  ['\uff00', '1'],
  ['␊symbol', '1'],
  ['empty.dat', ''],
  ['file2.zip', '1'],
  ['file10.zip', '1'],
  ['num', '0123456789'],
  ['kilo', 'x'.repeat(2000)],
];

/** Names that XML and S3 cannot carry as they are. */
const RAW: readonly Buffer[] = [
  Buffer.from('new\nline'),
  Buffer.from('esc\x1bq\x7f'),
  Buffer.from('tab\tx'),
  Buffer.from([0x62, 0x61, 0x64, 0xff, 0xfe]),
];

/** Writes the tree below `root`; with `raw` also names with control characters and bytes that are not UTF-8. */
export async function writeOddTree(root: string, raw: boolean): Promise<void> {
  for (const [name, content] of FILES) {
    await mkdir(dirname(`${root}/${name}`), { recursive: true });
    await writeFile(`${root}/${name}`, content);
  }
  await mkdir(`${root}/emptydir/below`, { recursive: true });
  for (const name of raw ? RAW : []) {
    await writeFile(Buffer.concat([Buffer.from(`${root}/`), name]), 'raw');
  }
  const touch = (time: string, ...names: string[]) =>
    execFileSync('touch', ['-d', time, ...names.map((name) => `${root}/${name}`)]);
  touch('2021-05-06T07:08:09.123456789Z', ...FILES.map(([name]) => name));
  touch('1969-12-31T23:59:54.5Z', 'num');
  touch('2001-09-09T01:46:40Z', 'emptydir', 'emptydir/below', 'a', 'a/deep', '.hd', 'ünï');
}
