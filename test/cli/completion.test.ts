import { execFile } from 'node:child_process';
import { chmod, mkdir, readdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { someOf } from '../support/in-part.ts';
import { runInProcess } from '../support/run-in-process.ts';
import { makeSyncerWorld, PROGRAM } from '../support/run-syncer.ts';

const world = await makeSyncerWorld();
afterAll(() => world.remove());

const bin = join(world.dir, 'bin');
const work = join(world.dir, 'work');
const env = {
  PATH: `${bin}:${process.env['PATH']}`,
  HOME: world.dir,
  SYNCER_CONFIG: world.config,
  LC_ALL: 'C.UTF-8',
};

beforeAll(async () => {
  await mkdir(bin);
  await mkdir(join(work, 'a dir'), { recursive: true });
  await writeFile(join(work, 'a dir/f one'), '');
  await writeFile(join(work, '$odd'), '');
  await writeFile(join(work, 'tab\tname'), '');
  await writeFile(world.config, `[loc]\ntype = alias\nremote = ${work}\n\n[my store]\ntype = s3\n`);
  await writeFile(
    join(dirname(world.config), 'jobs.json'),
    JSON.stringify({ nightly: { command: ['copy', 'a', 'b'] } }),
  );
  await writeFile(join(bin, 'syncer'), `#!/bin/sh\nexec "${process.execPath}" "${PROGRAM}" "$@"\n`);
  await chmod(join(bin, 'syncer'), 0o755);
});

/** The words that can follow, without descriptions. */
async function complete(...words: string[]): Promise<readonly string[]> {
  const { code, stdout, stderr } = await runInProcess(['__complete', 'words', '--', ...words], env);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout
    .split('\n')
    .slice(0, -1)
    .map((line) => line.replace(/\t.*/, ''));
}

describe('what can follow', () => {
  test.each<[string[], string[]]>([
    [['lsjs'], ['lsjson']],
    [['nosuch', ''], []],
    [['__'], []],
    [['config', 'en'], ['encryption']],
    [
      ['config', 'encryption', ''],
      ['set', 'remove', 'check'],
    ],
    [
      ['config', 'show', ''],
      ['loc', 'my store'],
    ],
    [
      ['config', 'userinfo', ''],
      ['loc:', 'my store:'],
    ],
    [['config', 'create', 'x', 'lo'], ['local']],
    [['config', 'create', 'x', 's3', 'access'], ['access_key_id=']],
    [['config', 'update', 'my store', 'secret_acc'], ['secret_access_key=']],
    [['ls', 'lo'], ['loc:']],
    [
      ['ls', 'loc:'],
      ['loc:$odd', 'loc:a dir/', 'loc:tab␉name'],
    ],
    [['ls', 'loc:a dir/'], ['loc:a dir/f one']],
    [['-v', '--transfers', '3', 'ls', 'loc:a'], ['loc:a dir/']],
    [['copy', 'loc:', 'loc:$'], ['loc:$odd']],
    [['copy', 'a', 'b', ''], []],
    [['copy', '--log-level', 'deb'], ['debug']],
    [['copy', '--log-level=deb'], ['--log-level=debug']],
    [['copy', '--backup-dir', 'loc:a'], ['loc:a dir/']],
    [['copy', '--backup-dir=loc:a'], ['--backup-dir=loc:a dir/']],
    [['copy', '--dry-run=t'], ['--dry-run=true']],
    [['copy', '--s3-endp'], ['--s3-endpoint']],
    [['check', '--one-w'], ['--one-way']],
    [['ls', '--one-w'], []],
    [['ls', '--', '--dry'], []],
    [['hashsum', 'sha2'], ['sha256']],
    [['completion', 'z'], ['zsh']],
    [['help', 'filt'], ['filters']],
    [['run', 'n'], ['nightly']],
    [['job', ''], ['nightly']],
    [['job', 'x', '--', 'copy', 'loc:a'], ['loc:a dir/']],
    [['job', 'x', '--', 'copy', '--max-t'], ['--max-transfer']],
    [['ls', 'nosuch:'], []],
    [['ls', ':s3,'], []],
  ])('%j', async (words, expected) => {
    expect(await complete(...words)).toEqual(expected);
  });

  test('local files and remotes stand side by side where there is no slash', async () => {
    const { stdout } = await world.run(['__complete', 'words', '--', 'ls', ''], { cwd: work });
    const lines = stdout.toString().trimEnd().split('\n');
    expect(lines.slice(0, 2)).toEqual(['loc:\talias', 'my store:\ts3']);
    expect(lines.slice(2).sort()).toEqual(['$odd', 'a dir/']);
  });

  test('an encrypted configuration asks nobody', async () => {
    const encrypted = join(world.dir, 'encrypted.conf');
    await writeFile(encrypted, 'RCLONE_ENCRYPT_V0:\nAAAA');
    expect(await complete('--config', encrypted, 'ls', 'lo')).toEqual([]);
  });
});

const LINES: readonly (readonly [typed: string, replies: readonly string[]])[] = [
  ['syncer lsjs', ['lsjson']],
  ['syncer ls loc:a', ['a\\ dir/']],
  ['syncer ls loc:a\\ dir/', ['a\\ dir/f\\ one']],
  ['syncer ls "loc:a', ['loc:a dir/']],
  ["syncer ls 'loc:$", ['loc:$odd']],
  ['syncer cat loc:\\$', ['\\$odd']],
  ['X=1 syncer ls my', ['my\\ store:']],
  ['syncer copy --log-level=deb', ['debug']],
  ['syncer cat $(touch hit) loc:$', []],
];

describe('bash', () => {
  test.each(someOf(LINES, 4))('%s', async (typed, replies) => {
    const script = `source <(syncer completion bash)
COMP_LINE=$1 COMP_POINT=\${#1} COMP_TYPE=9
_syncer_complete syncer
printf '%s\\n' "\${COMPREPLY[@]}"`;
    const printed = await shell('bash', ['--norc', '-c', script, 'bash', typed]);
    expect(printed.split('\n').filter((line) => line !== '')).toEqual(replies);
    expect(await readdir(work)).not.toContain('hit');
  });

  test('bash knows the completion once the script is read', async () => {
    const printed = await shell('bash', [
      '-c',
      'source <(syncer completion bash); complete -p syncer',
    ]);
    expect(printed).toMatch(/ -F _syncer_complete syncer\n$/);
  });
});

test('genautocomplete writes a file, and prints with "-"', async () => {
  const file = join(world.dir, 'new/folder/_syncer');
  expect((await runInProcess(['genautocomplete', 'zsh', file], env)).code).toBe(0);
  const { stdout } = await runInProcess(['genautocomplete', 'zsh', '-'], env);
  expect(stdout).toBe((await runInProcess(['completion', 'zsh'], env)).stdout);
  expect(stdout).toMatch(/^#compdef syncer\n/);
  const plain = await runInProcess(['completion', 'zsh', '--no-descriptions'], env);
  expect(plain.stdout).not.toBe(stdout);
  expect((await runInProcess(['completion', 'powershell'], env)).stdout).toContain('Register-Arg');
  expect(await runInProcess(['completion'], env)).toMatchObject({ code: 1, stdout: '' });
});

/** What a shell prints on standard output, with `syncer` on its path. */
function shell(program: string, args: readonly string[]): Promise<string> {
  return new Promise((resolve) => {
    execFile(program, [...args], { env, cwd: work }, (_, stdout) => resolve(stdout));
  });
}

test('an empty word of PowerShell is one, with its quotes, too', async () => {
  const { stdout } = await runInProcess(
    ['__complete', 'powershell', '--', 'config', 'encryption', '""'],
    env,
  );
  expect(stdout).toBe('set\nremove\ncheck\n');
});
