import { access, chmod, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { someOf, testOfAll } from '../support/in-part.ts';
import { makeSyncerWorld, type SyncerWorld } from '../support/run-syncer.ts';

/** A directory whose name is not UTF-8, and one of the name by which Node knows it. */
const SHELL_NAME = '$(printf "p\\377")';
const bytes = (dir: string) => Buffer.concat([Buffer.from(`${dir}/p`), Buffer.of(0xff)]);
const SIBLING = 'p\ufffd';

let world: SyncerWorld;
beforeEach(async () => {
  world = await makeSyncerWorld({ inOwnProcess: true });
  await writeFile(world.config, '');
  await mkdir(bytes(world.dir));
  await mkdir(join(world.dir, SIBLING));
  await writeFile(inside('x'), 'own');
  await writeFile(join(world.dir, SIBLING, 'x'), "sibling's");
});
afterEach(async () => {
  // Nothing may touch the other directory.
  expect(await readdir(join(world.dir, SIBLING))).toEqual(['x']);
  await world.remove();
});

function inside(name: string): Buffer {
  return Buffer.concat([bytes(world.dir), Buffer.from(`/${name}`)]);
}

/** Runs syncer in the directory; in its words, `@` at the start is its path. */
async function run(line: string) {
  const script = `here="$PWD/${SHELL_NAME}"; cd "$here"
    for word do case $word in @*) word=$here\${word#@};; esac; set -- "$@" "$word"; shift; done; exec "$@"`;
  const ended = await world.run(line.split(' '), { through: ['sh', '-c', script, 'sh'] });
  return { code: ended.code, stdout: ended.stdout.toString(), stderr: ended.stderr };
}

describe.runIf(process.platform === 'linux')('a directory whose name is not UTF-8', () => {
  test.each(someOf(['.', '@', ''], 1))('is the place of %j', async (place) => {
    const path = (name: string) => (place === '' ? name : `${place}/${name}`);
    expect((await run(`lsf ${place || '.'}`)).stdout).toBe('x\n');
    expect((await run(`cat ${path('x')}`)).stdout).toBe('own');
    expect(await run(`copyto ${path('x')} ${path('sub/y')}`)).toMatchObject({ code: 0 });
    expect((await run(`check ${place || '.'} ${path('sub')}`)).code).toBe(1);
    expect(await readFile(inside('sub/y'), 'utf8')).toBe('own');
    expect(await run(`delete ${place || '.'}`)).toMatchObject({ code: 0 });
    expect(await readdir(inside('sub'))).toEqual([]);
    expect(await run(`purge ${place || '.'}`)).toMatchObject({ code: 0 });
    await expect(access(bytes(world.dir))).rejects.toThrow('ENOENT');
  });

  test.each(someOf(['', '@/'], 1))('holds the files that flags name: %j', async (dir) => {
    await writeFile(inside('names'), 'x\n');
    expect((await run(`lsf . --files-from ${dir}names`)).stdout).toBe('x\n');
    expect((await run(`lsf . --include-from ${dir}names`)).stdout).toBe('x\n');
    expect((await run(`md5sum . --output-file ${dir}sums`)).code).toBe(0);
    expect((await run(`copy . ../copied --log-file ${dir}log -v --report ${dir}r.json`)).code).toBe(
      0,
    );
    expect((await run(`check . ../copied --combined ${dir}combined`)).code).toBe(1);
    expect((await run(`ncdu . -o ${dir}export`)).code).toBe(0);
    expect((await run(`--config ${dir}conf config create r alias remote=/`)).code).toBe(0);
    expect((await run(`--config ${dir}conf listremotes`)).stdout).toBe('r:\n');
    const made = ['combined', 'conf', 'export', 'log', 'names', 'r.json', 'sums', 'x'];
    expect((await readdir(bytes(world.dir))).sort()).toEqual(made);
  });

  testOfAll('keeps its name in plans and in the history', async () => {
    expect((await run('sync . ../copied --save ../plan')).code).toBe(0);
    expect(await world.run(['apply', 'plan'])).toMatchObject({ code: 0 });
    expect(await readFile(join(world.dir, 'copied/x'), 'utf8')).toBe('own');

    await writeFile(join(world.dir, 'copied/x'), 'changed');
    expect((await run('copy ../copied . --trash')).code).toBe(0);
    const [, id = ''] = /^(\S+) /.exec((await world.run(['history'])).stdout.toString()) ?? [];
    expect(await world.run(['undo', id])).toMatchObject({ code: 0 });
    expect(await readFile(inside('x'), 'utf8')).toBe('own');
  });

  test('takes no mount', async () => {
    for (const more of ['', ' --daemon']) {
      const { code, stderr } = await run(`mount ../copied .${more}`);
      expect([code, stderr]).toEqual([1, expect.stringContaining('its path is not UTF-8\n')]);
    }
  });

  test('keeps its name in programs that are started, and in variables', async () => {
    await writeFile(inside('run.sh'), '#!/bin/sh\necho "$PWD" "$NOTED" > "$NOTED/ran"\n');
    await chmod(inside('run.sh'), 0o755);
    const script = `here="$PWD/${SHELL_NAME}"; export NOTED=$here SYNCER_LOG_FILE=$here/log
      exec "$@" "$here" --on-success "$here/run.sh" --log-level INFO`;
    const through = ['sh', '-c', script, 'sh'];
    expect((await world.run(['copy', 'empty'], { through })).code).toBe(3);
    await mkdir(join(world.dir, 'empty'));
    expect((await world.run(['copy', 'empty'], { through })).code).toBe(0);
    expect((await readdir(bytes(world.dir))).sort()).toEqual(['log', 'ran', 'run.sh', 'x']);
    const noted = await readFile(inside('ran'));
    expect(noted).toEqual(
      Buffer.concat([Buffer.from(`${world.dir} `), bytes(world.dir), Buffer.of(0x0a)]),
    );
  });

  test('is written into units with its bytes', async () => {
    const { stdout } = await run('mount @ /mnt --print-unit');
    expect(stdout).toContain(String.raw`/p\xff" /mnt`);
  });
});
