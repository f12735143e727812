import { execFileSync, spawnSync } from 'node:child_process';
import { chmod, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { writeTree } from '../../support/file-tree.ts';
import { makeS3World, type S3World } from '../../support/s3-world.ts';
import { hasTmux } from '../../support/tmux-terminal.ts';
import { startNcdu } from './ncdu-screen.ts';

let world: S3World;
let home = '';
beforeAll(async () => {
  world = await makeS3World({ inOwnProcess: true });
});
afterAll(() => world.remove());
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'ncdu-places-'));
  await writeTree(home, { 'tmp/': '', 'up/a': 'new', 'up/b': 'bb' });
});
afterEach(() => rm(home, { recursive: true, force: true }));

/** A program that notes what it is given, and does something with it. */
async function program(name: string, does: string): Promise<string> {
  const path = join(home, name);
  await writeFile(
    path,
    `#!/bin/sh\necho "$1 $(stat -c %a "$(dirname "$1")")" >> ${home}/log\n${does}\n`,
  );
  await chmod(path, 0o755);
  return path;
}

async function start(path: string, pager = 'cat "$1"; read -r key') {
  const env = {
    ...{ SYNCER_CONFIG: world.config, HOME: home, TMPDIR: join(home, 'tmp'), SHELL: '/bin/sh' },
    PAGER: await program('pager', pager),
    EDITOR: await program('editor', 'echo edited >> "$1"'),
  };
  const terminal = await startNcdu([path], { env });
  const enter = async (key: string, label: string, text: string) => {
    await terminal.keys(key);
    await terminal.waitFor(label);
    await terminal.type(text);
    await terminal.keys('Enter');
  };
  return { terminal, enter };
}

describe.skipIf(!hasTmux)('what is done where the browser is', () => {
  test('on a disk: renames, creates, uploads, edits, and lists again after a shell', async () => {
    const tree = join(home, 'tree');
    await writeTree(tree, { 'dir/x': 'x'.repeat(9000), 'up/a': 'before', file: 'text\n' });
    const { terminal, enter } = await start(tree);
    await terminal.waitFor('3 files');
    await enter('R', 'rename: 1 file', '2');
    await terminal.waitFor('1 file renamed, 8.8 KiB');
    await enter('N', 'name:', 'dir2');
    await terminal.waitFor('"dir2" exists already; nothing is replaced');
    await terminal.keys('C-u');
    await terminal.type('made');
    await terminal.keys('Enter');
    await terminal.waitFor([/❯ e .* made\//, 'created: ']);
    await enter('W', 'upload:', '~/up');
    await terminal.waitFor([/replace .* a/, '1 file there']);
    await terminal.keys('Enter');
    await terminal.waitFor([
      'Upload 2 files, 5 B',
      'is replaced',
      /old 6 bytes, 20.*\n.*new 3 bytes, 20/,
    ]);
    await terminal.keys('y');
    await terminal.waitFor(['2 files uploaded, 5 B', /❯ .* up\//]);
    expect(await readFile(join(tree, 'up/a'), 'utf8')).toBe('new');
    await enter('/', '/', 'file');
    await terminal.keys('O');
    await expect.poll(() => readFile(join(tree, 'file'), 'utf8')).toBe('text\nedited\n');
    await terminal.waitFor(/❯ .* file/);
    await terminal.keys('!');
    await terminal.waitFor('exit goes back');
    await terminal.type(`touch by-shell; exit`);
    await terminal.keys('Enter', 'Escape');
    await terminal.waitFor(['by-shell', '5 files']);
    await terminal.keys('q');
    await terminal.waitFor('ended 0');
    expect((await readdir(tree)).sort()).toEqual(['by-shell', 'dir2', 'file', 'made', 'up']);
  });

  test('on S3: copies of objects are private and go; an edit is uploaded after a question', async () => {
    await writeTree(world.bucket, { 'dir/x': 'x', 'conf.ini': 'a=1\n' });
    const { terminal, enter } = await start('store:bucket');
    await terminal.waitFor('2 files');
    await enter('/', '/', 'conf');
    await terminal.waitFor('/conf 1 of');
    await terminal.keys('o');
    await terminal.waitFor(/^a=1$/m);
    await terminal.keys('Enter');
    await terminal.waitFor('/conf 1 of 2');
    expect(await readFile(join(home, 'log'), 'utf8')).toMatch(/tmp\/syncer-\w+\/conf\.ini 700\n/);
    await expect.poll(() => readdir(join(home, 'tmp'))).toEqual([]);
    await terminal.keys('O');
    await terminal.waitFor(['upload store:bucket/conf.ini', 'edited 11 bytes', 'before 4 bytes']);
    await terminal.keys('y');
    await terminal.waitFor('1 file uploaded, 11 B');
    expect(await readFile(join(world.bucket, 'conf.ini'), 'utf8')).toBe('a=1\nedited\n');
    await expect.poll(() => readdir(join(home, 'tmp'))).toEqual([]);
    await terminal.keys('O');
    await terminal.waitFor('Unchanged since it was opened');
    await writeFile(join(world.bucket, 'conf.ini'), 'by another');
    await terminal.keys('y');
    await terminal.waitFor('1 failed');
    expect(await readFile(join(world.bucket, 'conf.ini'), 'utf8')).toBe('by another');
    await terminal.keys('!');
    await terminal.waitFor('SYNCER_REMOTE=store:bucket');
    await terminal.type('exit');
    await terminal.keys('Enter');
    await terminal.waitFor('back from the shell');
    await terminal.keys('q');
    await terminal.waitFor(['store:bucket/conf.ini was edited and not uploaded', 'ended 1']);
    const [kept = ''] = await readdir(join(home, 'tmp'));
    expect(await readFile(join(home, 'tmp', kept, 'conf.ini'), 'utf8')).toContain(
      'edited\nedited\n',
    );
  });

  test('what a program saves beside its copy is kept, and said', async () => {
    await writeTree(world.bucket, { 'page.txt': 'text\n' });
    const { terminal, enter } = await start('store:bucket', 'echo note > notes; rm "$1"');
    await terminal.waitFor('files, ');
    await enter('/', '/', 'page');
    await terminal.waitFor('/page 1 of');
    await terminal.keys('o');
    await terminal.waitFor('kept: other files were saved in');
    await terminal.keys('q');
    await terminal.waitFor('ended 0');
    const [kept = ''] = await readdir(join(home, 'tmp'));
    expect(await readdir(join(home, 'tmp', kept))).toEqual(['notes']);
  });

  test('SIGTERM ends the pager, too, and its copy goes', async () => {
    await writeTree(world.bucket, { 'late.txt': 'shown late\n' });
    const { terminal, enter } = await start('store:bucket');
    await terminal.waitFor('files, ');
    await enter('/', '/', 'late');
    await terminal.waitFor('/late 1 of');
    await terminal.keys('o');
    await terminal.waitFor(/^shown late$/m);
    const [, copy = ''] = /^(\S+) 700/.exec(await readFile(join(home, 'log'), 'utf8')) ?? [];
    const shell = await terminal.pid();
    const pid = execFileSync('pgrep', ['-P', String(shell)], { encoding: 'utf8' }).trim();
    process.kill(Number(pid), 'SIGTERM');
    await terminal.waitFor('ended 143');
    await expect.poll(() => readdir(join(home, 'tmp'))).toEqual([]);
    const left = spawnSync('pgrep', ['-f', copy], { encoding: 'utf8' });
    expect([copy === '', left.stdout]).toEqual([false, '']);
  });
});
