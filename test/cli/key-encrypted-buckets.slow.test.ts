import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { keyEncrypted } from '../servers/lies/key-encrypted.ts';
import { type LieWorld, makeLieWorld } from '../support/lie-world.ts';

// Buckets that are encrypted by default with a key of the key service: no ETag is the MD5 that it looks like.

const FILES = { a: 'one', 'd/b': 'two two', 'd/c': 'three' };
const YEAR_MS = 365 * 24 * 3_600_000;
const MD5_OF_NEW_B = 'b7e7b6a7aa2facba9c4a8304e7d5f3b5';
const MD5_OF_A = 'f97c5d29941bfb1b2fdab0874906ab82';

let world: LieWorld;
beforeEach(async () => {
  world = await makeLieWorld();
  await world.fill('src', FILES, -YEAR_MS);
  // By others, and long ago, so that their times are remembered.
  await world.fill('s:src', FILES, -YEAR_MS);
  world.proxy.setLie({ lie: keyEncrypted() });
});
afterEach(() => world.remove());

const place = (name: string) => join(world.disk, name);
const requests = () => world.proxy.log.counts();

async function ok(...args: string[]) {
  world.proxy.log.clear();
  const ended = await world.run(args);
  expect(ended.code, `${args}: ${ended.stderr}`).toBe(0);
  return ended;
}

describe('a bucket that is encrypted by default', () => {
  it('is downloaded, also where the times are known from a run before', async () => {
    for (const dst of ['first', 'second', 'third']) {
      await ok('sync', 's:src', place(dst));
      expect(await world.read(dst)).toEqual(FILES);
      expect(requests()['GetObject']).toBe(3);
    }
    expect(requests()['HeadObject']).toBeUndefined();
  });

  it.each([
    [['--use-server-modtime']],
    [['-I']],
    [['--no-index']],
    [['--multi-thread-cutoff=1', '--multi-thread-streams=2']],
    [['--checksum', '--fast-list']],
    [['--transfers=1', '--metadata']],
  ])('is downloaded with %s', async (flags) => {
    for (const dst of ['first', 'second']) {
      await ok('sync', ...flags, 's:src', place(dst));
      expect(await world.read(dst)).toEqual(FILES);
    }
  });

  it('is moved to a disk', async () => {
    await ok('sync', 's:src', place('first'));
    await ok('move', 's:src', place('dst'));
    expect([await world.read('dst'), await world.read('s:src')]).toEqual([FILES, {}]);
  });

  it('is checked and synced by checksum without sending all again', async () => {
    await ok('check', '--checksum', place('src'), 's:src');
    await ok('check', '--checksum', 's:src', place('src'));
    for (const flags of [[], ['--fast-list']]) {
      await ok('sync', '--checksum', ...flags, place('src'), 's:src');
      expect(requests()['PutObject']).toBeUndefined();
    }
    await world.fill('dst', FILES);
    await ok('sync', '--checksum', 's:src', place('dst'));
    expect(requests()['GetObject']).toBeUndefined();
  });

  it('keeps the MD5 with objects once it is known to be encrypted', async () => {
    await world.fill('src', { ...FILES, a: 'new', 'd/b': 'new new' });
    await ok('sync', '--transfers=1', '--checkers=1', '-I', place('src'), 's:src');
    const { stdout } = await ok('md5sum', 's:src');
    expect(stdout).toContain(`${MD5_OF_NEW_B}  d/b`);
  });

  it.each([
    ['md5sum', 's:src'],
    ['hashsum', 'md5', 's:src'],
    ['lsf', '-R', '--format', 'hp', '--hash', 'md5', 's:src'],
    ['lsjson', '-R', '--hash', 's:src'],
  ])('has no hash that is none: %s', async (...args) => {
    const { stdout } = await ok(...args);
    expect(stdout).toContain('a');
    expect(stdout).not.toMatch(/[0-9a-f]{32}/);
  });

  it('is copied within the store, and to a bucket that is not', async () => {
    world.proxy.setLie({ lie: keyEncrypted((path) => path.startsWith('/src')) });
    for (const [bucket, flags] of [
      ['plain', []],
      ['src/again', []],
      ['plain-2', ['--checksum', '--transfers=1']],
    ] as const) {
      await ok('copy', ...flags, '--exclude=/again/**', 's:src', `s:${bucket}`);
      expect(await world.read(`s:${bucket}`)).toMatchObject(FILES);
    }
    await ok('check', 's:plain', 's:src/again');
  });

  it('may have objects of both kinds', async () => {
    world.proxy.setLie({ lie: keyEncrypted((path) => path.endsWith('/b')) });
    for (const dst of ['first', 'second', 'third']) {
      await ok('copy', '--transfers=1', '--checkers=1', 's:src', place(dst));
      expect(await world.read(dst)).toEqual(FILES);
    }
    await ok('check', 's:src', place('third'));
  });
});

describe('a bucket that is not encrypted by a key', () => {
  beforeEach(() => world.proxy.setLie(undefined));

  it('gets no request more to be downloaded or compared', async () => {
    await ok('copy', 's:src', place('first'));
    await ok('copy', 's:src', place('second'));
    expect(requests()).toMatchObject({ GetObject: 3 });
    expect(requests()['HeadObject']).toBeUndefined();
    await ok('sync', '--checksum', place('second'), 's:src');
    expect(requests()['HeadObject']).toBeUndefined();
  });

  it('gets one where a hash is shown, or differs', async () => {
    const { stdout } = await ok('md5sum', 's:src');
    expect(stdout).toContain(`${MD5_OF_A}  a\n`);
    expect(requests()['HeadObject']).toBe(1);
    await world.fill('dst', { a: 'two', 'd/b': 'owt owt', 'd/c': 'eerht' });
    await ok('copy', '--checksum', 's:src', place('dst'));
    expect(requests()['HeadObject']).toBe(1);
    expect(await world.read('dst')).toEqual(FILES);
  });

  it('is still checked: a body that is not what its ETag says is none', async () => {
    await ok('copy', 's:src', place('first'));
    world.proxy.setLie({
      lie: {
        about: 'other bytes',
        of: ['GetObject'],
        tell: async ({ ask }) => {
          const answer = await ask();
          answer.body[0] = (answer.body[0] ?? 0) ^ 1;
          return answer;
        },
      },
    });
    expect((await world.run(['copy', 's:src', place('second')])).code).toBe(1);
    expect(await world.read('second')).toEqual({});
  });
});
