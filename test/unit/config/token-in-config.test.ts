import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openConfigFile } from '../../../src/config/config-file.ts';
import { tokenInConfig } from '../../../src/config/token-store.ts';

const TEXT =
  '# mine\n[one]\ntype = onedrive\ntoken = {"access_token":"a"}\n; kept\ndrive_id = x\n\n[two]\ntype = local\n';

let folder: string;
let path: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'syncer-token-'));
  path = join(folder, 'syncer.conf');
  await writeFile(path, TEXT);
});
afterEach(() => rm(folder, { recursive: true }));

/** As another process would have it. */
const place = (section = 'one') =>
  tokenInConfig(
    openConfigFile(
      path,
      () => {},
      async () => '',
    ),
    section,
  );

describe('a token in the configuration', () => {
  it('is replaced, and nothing else', async () => {
    const one = place();
    expect(await one.read()).toBe('{"access_token":"a"}');
    await one.write('{"access_token":"b;#"}');
    expect(await place().read()).toBe('{"access_token":"b;#"}');
    expect(await readFile(path, 'utf8')).toBe(TEXT.replace('"a"', '"b;#"'));
  });

  it('does not bring back a section that somebody deleted', async () => {
    await place('gone').write('{}');
    expect(await readFile(path, 'utf8')).toBe(TEXT);
  });

  it('is renewed by one at a time, and others may change the file meanwhile', async () => {
    let inside = 0;
    let most = 0;
    const work = async () => {
      most = Math.max(most, ++inside);
      await place('two').write('{"access_token":"other"}');
      inside--;
    };
    await Promise.all(Array.from({ length: 5 }, () => place().alone(work)));
    expect(most).toBe(1);
    expect(await readdir(folder)).toEqual(['syncer.conf']);
  });

  it('tells what goes wrong with the renewal', async () => {
    const failing = place().alone(async () => {
      throw new Error('of the renewal');
    });
    await expect(failing).rejects.toThrow('of the renewal');
    expect(await place().alone(async () => 'next')).toBe('next');
  });

  it('is kept in memory where the configuration is', async () => {
    const file = openConfigFile(
      undefined,
      () => {},
      async () => '',
    );
    await file.update(() => [
      { raw: '[one]\n', kind: 'header', section: 'one', key: '', value: '' },
    ]);
    const one = tokenInConfig(file, 'one');
    await one.alone(() => one.write('{}'));
    expect(await one.read()).toBe('{}');
  });
});
