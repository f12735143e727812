import { createHash } from 'node:crypto';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { runInProcess } from '../support/run-in-process.ts';
import { makeSyncerWorld } from '../support/run-syncer.ts';

/** Files that users write, as editors and shells on Windows encode them. */

const world = await makeSyncerWorld();
afterAll(() => world.remove());

const at = (...names: string[]) => join(world.dir, ...names);
const env = { HOME: at('home'), SYNCER_CONFIG: at('syncer.conf'), TZ: 'UTC', NO_COLOR: '1' };
const run = (words: readonly string[], input?: Uint8Array) =>
  runInProcess(words, env, input === undefined ? {} : { input });

const crlf = (text: string) => text.replaceAll('\n', '\r\n');
const utf16 = (text: string) => Buffer.from(`\ufeff${crlf(text)}`, 'utf16le');
const ENCODINGS: readonly [string, (text: string) => Buffer][] = [
  ['UTF-8 with a mark', (text) => Buffer.from(`\ufeff${crlf(text)}`)],
  ['UTF-16', utf16],
  ['UTF-16 with the high byte first', (text) => utf16(text).swap16()],
];

beforeEach(async () => {
  await rm(world.dir, { recursive: true, force: true });
  for (const dir of ['a', 'b', 'home']) await mkdir(at(dir), { recursive: true });
  for (const name of ['é.key', 'x', 'y']) await writeFile(at('a', name), name);
});

const LISTS: readonly [flag: string, text: string, copied: readonly string[]][] = [
  ['--exclude-from', 'é.key\nx\n', ['y']],
  ['--include-from', 'é.key\nx\n', ['x', 'é.key']],
  ['--filter-from', '+ é.key\n+ x\n- *\n', ['x', 'é.key']],
  ['--files-from', 'é.key\nx\n', ['x', 'é.key']],
  ['--files-from-raw', 'é.key\nx\n', ['x', 'é.key']],
  ['--metadata-exclude-from', 'k=v\n', ['x', 'y', 'é.key']],
];

describe.each(ENCODINGS)('%s', (_, encoded) => {
  test.each(LISTS)('%s is read whole, also from standard input', async (flag, text, copied) => {
    await writeFile(at('list'), encoded(text));
    expect(await run(['copy', at('a'), at('b'), flag, at('list')])).toMatchObject({ code: 0 });
    expect((await readdir(at('b'))).toSorted()).toEqual(copied);
    await rm(at('b'), { recursive: true });
    const piped = await run(['copy', at('a'), at('b'), flag, '-'], encoded(text));
    expect(piped).toMatchObject({ code: 0 });
    expect((await readdir(at('b'))).toSorted()).toEqual(copied);
  });

  test('a SUM file', async () => {
    const sums = ['é.key', 'x', 'y'].map(
      (name) => `${createHash('md5').update(name).digest('hex')}  ${name}\n`,
    );
    await writeFile(at('sums'), encoded(sums.join('')));
    const words = ['hashsum', 'md5', at('a'), '--checkfile', at('sums')];
    expect(await run(words)).toMatchObject({ code: 0, stdout: '= x\n= y\n= é.key\n' });
  });

  test('the configuration, also one that changes', async () => {
    await writeFile(env.SYNCER_CONFIG, encoded('[r]\ntype = alias\nremote = /é\n'));
    await run(['config', 'create', 's', 'alias', 'remote=/s']);
    const { code, stdout } = await run(['config', 'dump']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual({
      r: { type: 'alias', remote: '/é' },
      s: { type: 'alias', remote: '/s' },
    });
  });

  test('defaults.conf and jobs.json', async () => {
    await writeFile(at('defaults.conf'), encoded('[default]\nexclude = é.key\n'));
    const job = { j: { command: ['copy', at('a'), at('b')] } };
    await writeFile(at('jobs.json'), encoded(JSON.stringify(job, undefined, 2)));
    expect(await run(['run', 'j'])).toMatchObject({ code: 0 });
    expect((await readdir(at('b'))).toSorted()).toEqual(['x', 'y']);
  });

  test('a saved plan', async () => {
    const saved = await run(['copy', at('a'), at('b'), '--review', '--save', '-']);
    expect(saved.code).toBe(0);
    await writeFile(at('plan'), encoded(saved.stdout));
    expect(await run(['apply', at('plan')])).toMatchObject({ code: 0 });
    expect(await readdir(at('b'))).toHaveLength(3);
  });
});

test.each(['--exclude-from', '--files-from'])(
  '%s in UTF-16 without a mark is refused, and nothing is copied',
  async (flag) => {
    await writeFile(at('list'), Buffer.from('x\r\n', 'utf16le'));
    const { code, stderr } = await run(['copy', at('a'), at('b'), flag, at('list')]);
    expect(code).toBe(1);
    expect(stderr).toContain(
      `cannot read ${flag} ${at('list')}: it contains NUL bytes; if it is UTF-16, save it as UTF-8`,
    );
    expect(await readdir(at('b'))).toEqual([]);
  },
);

test('a list of names that end with NUL may begin with a mark, and a name that does so has a slash before it', async () => {
  await writeFile(at('a', '\ufeffm'), 'm');
  await writeFile(at('list'), '\ufeffx\0/\ufeffm\0');
  await run(['copy', at('a'), at('b'), '--files-from0', at('list')]);
  expect((await readdir(at('b'))).toSorted()).toEqual(['x', '\ufeffm']);
});

test.each(['--exclude-from', '--include-from', '--files-from', '--files-from-raw'])(
  '%s in Latin-1, or of two files with marks joined, is used as it is and says so',
  async (flag) => {
    await writeFile(at('list'), Buffer.from('x\n\xe9.key\n', 'latin1'));
    const latin = await run(['lsf', at('a'), flag, at('list')]);
    expect(latin.code).toBe(0);
    const kept = flag === '--exclude-from' ? 'y\né.key\n' : 'x\n';
    expect(latin.stdout).toBe(kept);
    expect(latin.stderr).toContain(
      `NOTICE: ${at('list')}, line 2 is not UTF-8 and fits only names with the same bytes`,
    );
    const joined = await run(['lsf', at('a'), flag, '-'], Buffer.from('\ufeffx\n\ufeffé.key\n'));
    expect(joined).toMatchObject({ code: 0, stdout: kept });
    expect(joined.stderr).toContain('NOTICE: standard input, line 2: the byte order mark is part');
    const plain = await run(['lsf', at('a'), flag, '-'], Buffer.from('\ufeffx\né\n😀\n'));
    expect(plain.stderr).not.toContain('standard input');
    const comments = Buffer.from('# \xe9\n ; \xe9\nx\n', 'latin1');
    expect((await run(['lsf', at('a'), flag, '-'], comments)).stderr).not.toContain('UTF-8');
  },
);

test('--filter-from of two files with marks joined says why a rule is wrong', async () => {
  await writeFile(at('list'), '\ufeff- x\n\ufeff- y\n');
  const { code, stderr } = await run(['lsf', at('a'), '--filter-from', at('list')]);
  expect(code).toBe(1);
  expect(stderr).toContain('line 2: the byte order mark is part');
  expect(stderr).toContain('malformed rule');
});
