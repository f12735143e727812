import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestS3, type TestS3 } from '../../servers/test-s3.ts';
import { hasRclone, isRcloneNow, PROVIDER, runRclone } from '../../support/rclone.ts';
import { makeSyncerWorld, type SyncerWorld } from '../../support/run-syncer.ts';
import { section } from '../../support/s3-world.ts';
import { writeOddTree } from './odd-tree.ts';

/** Commands on a directory of odd names; the lines of each are compared as a set, their order is rclone's chance. */
const LISTINGS = [
  'ls',
  'ls --max-depth 1',
  'ls --include *.txt',
  'ls --exclude /a/**',
  'lsl',
  'lsf -R',
  'lsf -R --max-depth 2',
  'lsf -R --include *.jpg',
  'lsf --files-only',
  'lsf --dirs-only -R',
  'lsf --csv -F ps --files-only',
  'lsf -F pshi --files-only',
  'lsf -F tpm --files-only',
  'lsf --hash SHA-1 -F hp',
  'lsf -R --exclude-if-present in.txt',
  'lsjson --files-only',
  'lsjson --no-modtime --no-mimetype',
  'lsjson -R --max-depth 0 --dirs-only --no-modtime',
  'lsjson -R --fast-list --max-depth 2 --dirs-only --no-modtime',
  'lsjson --files-only --hash-type md5 --hash-type sha1',
  'size',
  'tree',
  'tree -D',
  'tree -d',
  'tree --level 2 -s',
  'tree --include *.jpg',
  'md5sum',
  'sha1sum',
  'hashsum crc32',
  'hashsum QuickXorHash',
  'hashsum sha256 --download',
  'sha1sum --download',
];

/** What does not depend on the store. */
const FORMATS = [
  'ls --human-readable',
  'lsl --human-readable',
  'lsf --files-only --dirs-only',
  'lsf --absolute',
  'lsf -d=false',
  'lsf --csv -F sp -s |',
  'lsf -F px',
  'lsjson --hash-type nonsense',
  'size --json',
  'tree -r',
  'tree --version',
  'tree --human-readable',
  'tree --noreport --noindent -Q --full-path',
  'md5sum --base64',
  'ls --min-size 3B --max-size 7B',
  'lsl --max-age 2010-01-01',
  'lsf --max-depth 2',
  'lsd -R --max-depth 1',
  'size --include *.zip',
  'tree --level 1 -s',
  'tree -a -s -p',
];

/** Commands of which the output has one order only. */
const ORDERED = ['lsf', 'lsf -F p', 'ls --max-depth 1', 'tree', 'tree -a', 'lsjson --files-only'];

/** Commands on single files and on what does not exist; the path is the last word. */
const PATHS = [
  ...['ls', 'lsl', 'lsd', 'lsf', 'lsjson', 'size', 'tree', 'cat', 'md5sum'].flatMap((command) => [
    `${command} num`,
    `${command} nowhere`,
  ]),
  'lsjson --stat num',
  'lsjson --stat --exclude * num',
  'ls --include *.txt num',
  'cat --head 3 num',
  'cat --tail 3 num',
  'cat --offset 2 --count 3 num',
  'cat --offset -3 num',
  'cat --offset 3 empty.dat',
  'cat a/deep',
  'deletefile --dry-run num',
  'delete --dry-run a',
  'purge --dry-run a',
  'rmdir --dry-run a',
];

let world: SyncerWorld;
let s3: TestS3;

beforeAll(async () => {
  world = await makeSyncerWorld({ inOwnProcess: true });
  s3 = await startTestS3();
  await writeFile(world.config, section(s3, 's', { region: s3.region, ...PROVIDER }));
  await writeOddTree(join(world.dir, 'disk'), true);
  await writeOddTree(join(world.dir, 'plain'), false);
  if (hasRclone) {
    const how = { cwd: world.dir, config: world.config };
    const copied = await runRclone(['copy', 'plain', 's:bucket/dir'], how);
    expect(copied.stderr).toBe('');
  }
});

afterAll(async () => {
  await s3.stop();
  await world.remove();
});

async function both(line: string, path: string) {
  const args = [...line.split(' '), path];
  const [ours, theirs] = await Promise.all([
    world.run(args),
    runRclone(args, { cwd: world.dir, config: world.config }),
  ]);
  return {
    ours: { code: ours.code, text: asTheirs(line, ours.stdout.toString('latin1')) },
    theirs: { code: theirs.code, text: withoutClock(theirs.stdout.toString('latin1')) },
    stderr: ours.stderr,
  };
}

/** Without the clock in `tree -D`, where 1.75 has the year if it is another one. */
function withoutClock(text: string): string {
  return text.replace(/([A-Z][a-z]{2} \d\d) [ :\d]{5}(?=\] {2})/g, '$1');
}

/** Our output, but for what is meant to differ, and what the installed rclone does otherwise. */
function asTheirs(line: string, text: string): string {
  if (!isRcloneNow) return asBefore(text);
  const shown = withoutClock(text).replaceAll('\\ufffd', '\xef\xbf\xbd');
  return line.startsWith('tree') ? withControls(shown) : shown;
}

/**
 * Names with control characters, as rclone 1.75 prints them in a tree, instead of their symbols, but for those that
 * steer a terminal; as latin1.
 */
function withControls(text: string): string {
  const controls = text.replace(
    /(\xe2\x80\x9b)?\xe2\x90([\x80-\x9f\xa1])/g,
    (symbol, quote, last) => {
      if (quote !== undefined) return symbol.slice(3);
      return last === '\xa1' ? '\x7f' : String.fromCharCode(last.charCodeAt(0) - 0x80);
    },
  );
  return controls.replaceAll('\x1bq', '');
}

/** Our output, without what changed in rclone since 1.60.1: the size of a directory on disk, counts below 1000. */
function asBefore(text: string): string {
  return withoutClock(text)
    .replace(/^ {2,}4096 (?=.* -1 )/gm, '          -1 ')
    .replace(/"Size":4096(?=.*"IsDir":true)/g, '"Size":-1')
    .replace(/^(Total objects.*: )(\d{1,3})$/gm, '$1$2 ($2)');
}

/** Hashes of services that syncer has no backend for. */
const FOREIGN_HASH = /,?"(?:dropbox|hidrive|mailru|whirlpool)":"\w+"/g;

/** The lines as a set; a comma at the end of a JSON line says only that it is not the last. */
function sorted(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.replace(/\},$/, '}').replace(FOREIGN_HASH, ''))
    .sort();
}

describe.skipIf(!hasRclone).each([
  ['a disk', 'disk'],
  ['S3', 's:bucket/dir'],
])('beside rclone on %s', (_, root) => {
  test.concurrent.each(LISTINGS)('%s', async (line) => {
    const { ours, theirs, stderr } = await both(line, root);
    expect(ours.code, `stderr: ${stderr}`).toBe(theirs.code);
    expect(sorted(ours.text)).toEqual(sorted(theirs.text));
  });

  test.concurrent.each(ORDERED)('in the same order: %s', async (line) => {
    const { ours, theirs } = await both(line, root);
    expect(ours).toEqual(theirs);
  });

  test.concurrent.each(PATHS)('%s', async (line) => {
    const words = line.split(' ');
    const name = words.pop() ?? '';
    const { ours, theirs, stderr } = await both(words.join(' '), `${root}/${name}`);
    expect(ours.code, `stderr: ${stderr}`).toBe(theirs.code);
    expect(ours.text).toBe(theirs.text);
  });
});

describe.skipIf(!hasRclone)('beside rclone on what only one kind has', () => {
  test.concurrent.each(FORMATS)('formats: %s', async (line) => {
    const { ours, theirs, stderr } = await both(line, 'disk');
    expect(ours.code, `stderr: ${stderr}`).toBe(theirs.code);
    // Names of hashes that only rclone has, and help, are not data.
    if (!line.includes('nonsense')) expect(sorted(ours.text)).toEqual(sorted(theirs.text));
  });

  const PARTS = [
    '--offset 30',
    '--head 3 --tail 3',
    '--count 0',
    '--discard',
    '--head 0',
    '--tail -1',
  ];
  test.concurrent.each(PARTS)('cat %s', async (flags) => {
    const { ours, theirs } = await both(`cat ${flags}`, 'disk/num');
    expect(ours).toEqual(theirs);
  });

  const DISK = ['lsd', 'lsd -R', 'lsjson -R', 'lsf -R -F tp', 'tree -a -D'];
  test.concurrent.each(DISK)('times of directories on disk: %s', async (line) => {
    const { ours, theirs } = await both(line, 'disk');
    expect(ours.code).toBe(theirs.code);
    expect(sorted(ours.text)).toEqual(sorted(theirs.text));
  });

  test.concurrent.each([
    ['lsjson', 's:'],
    ['lsd', 's:'],
    ['lsf', 's:'],
    ['ls', 's:'],
    ['size', 's:'],
    ['ls', 's:nobucket'],
    ['lsjson', 's:nobucket'],
    ['lsf', 's:nobucket/dir'],
    ['tree', 's:nobucket'],
    ['lsd', 's:bucket'],
  ])('%s %s', async (line, path) => {
    const { ours, theirs } = await both(line, path);
    expect(ours.code).toBe(theirs.code);
    // The times of prefixes: 1.60 shows those of the moment, 1.75 the start of 2000.
    const seen = (text: string) => sorted(text.replaceAll(/ [\d-]{10} \d\d:\d\d:\d\d /g, ' '));
    expect(seen(ours.text)).toEqual(seen(theirs.text));
  });
});
