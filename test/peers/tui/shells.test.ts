import { execFile } from 'node:child_process';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasProgram } from '../../support/has-program.ts';
import { makeSyncerWorld } from '../../support/run-syncer.ts';

// Completion in shells that few machines have; bash is in test/cli/completion.test.ts.

const world = await makeSyncerWorld({ inOwnProcess: true });
afterAll(() => world.remove());

const main = resolve(import.meta.dirname, '../../../src/main.ts');
const bin = join(world.dir, 'bin');
const work = join(world.dir, 'work');

beforeAll(async () => {
  await mkdir(bin);
  await mkdir(join(work, 'a dir'), { recursive: true });
  await writeFile(join(work, 'a dir/f one'), '');
  await writeFile(world.config, `[loc]\ntype = alias\nremote = ${work}\n\n[my store]\ntype = s3\n`);
  await writeFile(join(bin, 'syncer'), `#!/bin/sh\nexec "${process.execPath}" "${main}" "$@"\n`);
  await chmod(join(bin, 'syncer'), 0o755);
});

/** What a shell prints on standard output, with `syncer` on its path. */
function shell(program: string, args: readonly string[]): Promise<string> {
  const env = {
    PATH: `${bin}:${process.env['PATH']}`,
    HOME: world.dir,
    SYNCER_CONFIG: world.config,
    LC_ALL: 'C.UTF-8',
  };
  return new Promise((resolve) => {
    execFile(program, [...args], { env, cwd: work }, (_, stdout) => resolve(stdout));
  });
}

describe.skipIf(!hasProgram('fish'))('fish', () => {
  test.each([
    ['syncer lsjs', 'lsjson\tList '],
    ['syncer ls loc:a', 'loc:a dir/'],
    ['syncer ls "loc:a dir/', 'loc:a dir/f one'],
    ['syncer config update my\\ store acces', 'access_key_id=\t'],
  ])('%s', async (typed, reply) => {
    const script = 'syncer completion fish | source; complete -C $argv[1]';
    const printed = await shell('fish', ['--no-config', '-c', script, typed]);
    expect(printed.slice(0, reply.length)).toBe(reply);
    expect(printed.trimEnd().split('\n')).toHaveLength(1);
  });
});

describe.skipIf(!hasProgram('zsh'))('zsh', () => {
  test('the script registers the completion with compdef', async () => {
    const script = `autoload -Uz compinit; compinit -D -u
source <(syncer completion zsh); print -r -- $_comps[syncer]`;
    expect(await shell('zsh', ['-f', '-c', script])).toBe('_syncer\n');
  });

  test('the script passes on the words that can follow', async () => {
    const script = `compdef() { : }; source <(syncer completion zsh)
compadd() { local -a all; while [[ $1 != -a ]]; do shift; done; print -rl -- "\${(@P)2}" }
words=(syncer ls loc:a) CURRENT=3 PREFIX=loc:a
_syncer`;
    expect(await shell('zsh', ['-f', '-c', script])).toBe('loc:a dir/\n');
  });
});
