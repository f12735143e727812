import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import {
  chmod,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  rm,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { encryptConfig, keyOfPassword } from '../../../src/config/encrypted-config.ts';
import { writeTree } from '../../support/file-tree.ts';
import { hasProgram } from '../../support/has-program.ts';
import { hasTmux } from '../../support/tmux-terminal.ts';
import { program, startNcdu } from './ncdu-screen.ts';

let folder = '';
let tree = '';
let env: Record<string, string> = {};

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ncdu-screen-'));
  tree = join(folder, 'tree');
  env = { SYNCER_CONFIG: join(folder, 'none.conf'), HOME: folder, TZ: 'UTC' };
  await writeTree(tree, {
    'big/one': 'x'.repeat(30_000),
    'big/two': 'x'.repeat(20_000),
    'mid/deep/three': 'x'.repeat(1500),
    'mid/four': 'x'.repeat(100),
    日本語の名前: 'x'.repeat(50),
    'ctrl\x1b[31m\x07name': 'x'.repeat(40),
    small: 'text of the file\nsecond line\n',
    'none/': '',
  });
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const start = (args: readonly string[] = [tree], size = {}) => startNcdu(args, { env, ...size });

describe.skipIf(!hasTmux)('syncer ncdu on a local tree', () => {
  test('shows what the tree holds, largest first', async () => {
    const terminal = await start();
    const shown = await terminal.waitFor(/7 files, .* on disk in 4 directories/);
    const rows = shown.split('\n').slice(1, 7);
    for (const line of rows)
      expect(line).toMatch(/^[❯ ] [e ] +[\d.]+ +(B|KiB) +\d+% [█▏▎▍▌▋▊▉ ]{16} {2}\S+$/);
    const names = rows.map((line) => line.slice(37));
    // What small files and directories themselves take is the file system's.
    expect([...names.slice(0, 2), ...names.slice(2).sort()]).toEqual([
      ...['big/', 'mid/', 'ctrl␛[31m␇name', 'none/', 'small', '日本語の名前'],
    ]);
    expect(shown.split('\n')).toHaveLength(24);
    const [, row = ''] = (await terminal.screen(true)).split('\n');
    // One reversed line, through the bar.
    expect(row.replaceAll(/\x1b\[(39|49|0;1;7|1)m/g, '')).toMatch(
      /^\x1b\[(0;)?7m❯( |\x1b\[0;7m)+[\d.]+ KiB +\d+% █{16} {2}big\/ {39}$/,
    );
    await terminal.keys('q');
    const left = await terminal.waitFor('ended 0');
    expect(left).toContain('before');
    expect(left).not.toContain('big/');
  });

  test('works at 40x12 and follows the size', async () => {
    const terminal = await start([tree], { columns: 40, rows: 12 });
    const shown = await terminal.waitFor('big/');
    expect(shown.split('\n')).toHaveLength(12);
    expect(shown).toMatch(/^ +[\d.]+ +(B|KiB) +\d+% [█▏▎▍▌▋▊▉ ]{5} {2}日本語の名前$/m);
    await terminal.resize(80, 24);
    await terminal.waitFor('████████████████  big/');
    await terminal.keys('q');
    await terminal.waitFor('ended 0');
  });

  test('deletes a directory after a question, and tells how much went', async () => {
    const terminal = await start();
    await terminal.waitFor('7 files');
    await terminal.keys('d');
    await terminal.waitFor(['Delete 1 directory: 2 files, ', 'y delete']);
    await terminal.keys('n');
    await terminal.waitUntilGone('Delete 1');
    expect(existsSync(join(tree, 'big'))).toBe(true);
    await terminal.keys('d');
    await terminal.waitFor('Delete 1');
    await terminal.keys('y');
    await terminal.waitFor(['2 files deleted, ', '5 files, ', 'in 3 directories']);
    expect((await readdir(tree)).includes('big')).toBe(false);
    await terminal.keys('q');
    await terminal.waitFor(['delete big: 2 files deleted, ', 'ended 0']);
  });

  test('a key typed behind fg confirms nothing', async () => {
    const terminal = await start();
    await terminal.waitFor('7 files');
    await terminal.keys('d');
    await terminal.waitFor('Delete 1');
    await terminal.keys('C-z');
    await terminal.waitFor('Stopped');
    await terminal.type('fg\ny');
    await terminal.waitFor(['Delete 1', 'Press y again']);
    expect(existsSync(join(tree, 'big'))).toBe(true);
    await terminal.keys('y');
    await terminal.waitFor('2 files deleted, ');
    await terminal.keys('q');
    await terminal.waitFor('delete big');
  });

  test.each([
    ['--dry-run', 'would be deleted'],
    ['--read-only', 'nothing is deleted with --read-only'],
  ])('%s deletes nothing and says so', async (flag, text) => {
    const terminal = await start([flag, tree]);
    await terminal.waitFor('7 files');
    await terminal.keys('d');
    if (flag === '--dry-run') {
      await terminal.waitFor('--dry-run: nothing is deleted');
      await terminal.keys('y');
    }
    await terminal.waitFor(text);
    expect(existsSync(join(tree, 'big/one'))).toBe(true);
    await terminal.keys('q');
    await terminal.waitFor('ended 0');
  });

  test('copies the marked to a folder, keeping their directories', async () => {
    const terminal = await start();
    await terminal.waitFor('7 files');
    await terminal.keys('v', 'j', 'l', 'v', 'B');
    await terminal.waitFor(['2 entries', 'big/', 'mid/deep/', '3 files, ']);
    await terminal.keys('p');
    await terminal.waitFor('copy to:');
    await terminal.type(join(folder, 'copy'));
    await terminal.keys('Enter');
    await terminal.waitFor('3 files copied, 50.3 KiB');
    expect((await readFile(join(folder, 'copy/mid/deep/three'))).length).toBe(1500);
    expect((await readdir(join(folder, 'copy'), { recursive: true })).sort()).toEqual([
      ...['big', 'big/one', 'big/two', 'mid', 'mid/deep', 'mid/deep/three'],
    ]);
  });

  test('moves a directory away, and downloads a file here', async () => {
    const terminal = await startNcdu([tree], { env, cwd: folder });
    await terminal.waitFor('7 files');
    await terminal.keys('P');
    await terminal.waitFor('move to:');
    await terminal.type(join(folder, 'moved'));
    await terminal.keys('Enter');
    await terminal.waitFor(['Move 1 entry: 2 files', 'y move']);
    await terminal.keys('y');
    await terminal.waitFor(['5 files, ', 'in 3 directories']);
    expect(await readdir(join(folder, 'moved/big'))).toEqual(['one', 'two']);
    expect(existsSync(join(tree, 'big'))).toBe(false);
    await terminal.keys('n', 'G', 'End');
    await terminal.waitFor('by name');
    await terminal.keys('/');
    await terminal.type('small');
    await terminal.keys('Enter');
    await terminal.keys('w');
    await terminal.waitFor([`to ${folder}`, 'y download']);
    await terminal.keys('y');
    await terminal.waitFor('1 file downloaded');
    expect(existsSync(join(folder, 'small'))).toBe(true);
  });

  test('views a file, tells all of it, and lists a directory again', async () => {
    const terminal = await start();
    await terminal.waitFor('7 files');
    await terminal.keys('/');
    await terminal.type('small');
    await terminal.keys('Enter', 'Enter');
    await terminal.waitFor(['text of the file', 'second line', 'x text or hex']);
    await terminal.keys('x');
    await terminal.waitFor('00000000  74 65 78 74');
    await terminal.keys('Escape');
    await terminal.waitFor('/small 1 of 6');
    await terminal.keys('i');
    await terminal.waitFor([/exact time +2001-09-09T01:46:40.000Z/, 'H compute hashes']);
    await terminal.keys('H');
    await terminal.waitFor('md5');
    await terminal.keys('Escape');
    await terminal.waitFor('/small 1 of 6');
    await writeFile(join(tree, 'small-too'), 'new');
    await terminal.keys('r');
    await terminal.waitFor(['small-too', '8 files']);
  });

  test('opens with the last scan, and shows what has changed since', async () => {
    const first = await start();
    await first.waitFor('7 files');
    await first.keys('q');
    await first.waitFor('ended 0');
    await rm(join(tree, 'big/two'));
    await writeFile(join(tree, 'mid/more'), 'x'.repeat(90_000));
    const lines = execFileSync(
      process.execPath,
      [program, 'ncdu', tree, '--diff', '1d', '-o', '-'],
      {
        ...{
          encoding: 'utf8',
          env: { ...process.env, ...env },
          stdio: ['ignore', 'pipe', 'ignore'],
        },
      },
    );
    expect(lines).toMatch(
      /^\+\d+\t\d+\t\d+\t\+1\tmid\/\n\+\d+\t\d+\t\d+\t0\t\/\n-\d+\t\d+\t\d+\t-1\tbig\/\n$/,
    );
    const again = await start([tree, '--diff', '1d']);
    await again.waitFor([/❯ +\+.* mid\/ *\n +-.* big\/ *\n/, / since \d{4}-.* s ago/]);
    await again.keys('b');
    await again.waitFor(/❯ .* mid\//);
  });

  test('Ctrl-L writes the whole screen anew', async () => {
    const terminal = await start();
    const before = await terminal.waitFor('7 files');
    const tty = await readlink(`/proc/${await terminal.pid()}/fd/0`);
    await writeFile(tty, '\x1b7\x1b[3;1Hgarbage\x1b[15;9Hgarbage\x1b8');
    await terminal.waitFor('garbage');
    await terminal.keys('C-l');
    await terminal.waitUntilGone('garbage');
    expect(await terminal.waitFor('7 files')).toBe(before);
  });

  test.each(['TERM', 'HUP'])('SIG%s leaves the terminal as it was', async (signal) => {
    const terminal = await start();
    await terminal.waitFor('7 files');
    const shell = await terminal.pid();
    const pid = execFileSync('pgrep', ['-P', String(shell)], { encoding: 'utf8' }).trim();
    process.kill(Number(pid), `SIG${signal}`);
    const after = await terminal.waitFor('ended 143');
    expect(after).toContain('before');
    expect(after).not.toContain('big/');
    await terminal.type('echo visible');
    await terminal.keys('Enter');
    await terminal.waitFor(/^visible$/m);
  });

  test('in lines of text without cursor movement', async () => {
    const terminal = await startNcdu([tree], { env: { ...env, SYNCER_PLAIN: '1' } });
    await terminal.waitFor('big/');
    await terminal.type('directory');
    await terminal.keys('Enter');
    await terminal.waitFor('directory: does nothing here');
    await terminal.type('@');
    await terminal.keys('Enter');
    await terminal.waitFor('@: does nothing here');
    await terminal.type('down');
    await terminal.keys('Enter');
    await terminal.waitFor(/❯ +[\d.]+ .*mid/);
    await terminal.type('q');
    await terminal.keys('Enter');
    await terminal.waitFor('ended 0');
  });

  test.each([{}, { SYNCER_PLAIN: '1' }])(
    'what is not there is told in one line %o',
    async (how) => {
      const terminal = await startNcdu([join(folder, 'none')], { env: { ...env, ...how } });
      const shown = await terminal.waitFor('ended 3');
      expect(shown.match(/directory not found/g)).toHaveLength(1);
      expect(shown).not.toContain('    at ');
    },
  );

  test('the password of the configuration is asked before the screen is there', async () => {
    const config = join(folder, 'encrypted.conf');
    const text = Buffer.from(`[here]\ntype = alias\nremote = ${tree}\n`);
    await writeFile(config, await encryptConfig(text, keyOfPassword('jdq pw')));
    const terminal = await startNcdu(['here:'], { env: { ...env, SYNCER_CONFIG: config } });
    await terminal.waitFor('password:');
    await terminal.type('jdq pw');
    await terminal.keys('Enter');
    await terminal.waitFor(['syncer ncdu  here:', '7 files']);
    await terminal.keys('q');
    await terminal.waitFor('ended 0');
  });

  const hasNcdu = hasProgram('ncdu');
  test.skipIf(!hasNcdu)('a scan of ncdu is shown, from standard input, too', async () => {
    const scan = join(folder, 'scan.json');
    execFileSync('ncdu', ['-o', scan, tree], { stdio: 'ignore' });
    const terminal = await start(['-f', scan]);
    await terminal.waitFor(['7 files, ', ' on disk in 4 directories', 'big/']);
    await terminal.keys('d');
    await terminal.waitFor('nothing can be deleted');
    await terminal.keys('q');
    await terminal.waitFor('ended 0');
    await terminal.type(`clear; cat ${scan} | ${process.execPath} ${program} ncdu -f -; echo over`);
    await terminal.keys('Enter');
    await terminal.waitFor(['7 files', 'big/']);
    await terminal.keys('l', 'q');
    await terminal.waitFor('over');
  });

  test.skipIf(process.getuid?.() === 0)('marks what it may not read', async () => {
    await mkdir(join(tree, 'locked'));
    await chmod(join(tree, 'locked'), 0);
    const terminal = await start();
    await terminal.waitFor(['1 error (e)', /! .*locked/]);
    await chmod(join(tree, 'locked'), 0o700);
  });
});
