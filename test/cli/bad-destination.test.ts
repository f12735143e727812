import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { expectFailure } from '../support/expect-failure.ts';
import { readTree, writeTree } from '../support/file-tree.ts';
import { oneOfEach } from '../support/in-part.ts';
import { leftovers } from '../support/leftovers.ts';
import { canMount, remount, withDisk } from '../support/mount-disk.ts';
import { makeS3World, type S3World } from '../support/s3-world.ts';

let world: S3World;
let src: string;
let dst: string;
beforeEach(async () => {
  world = await makeS3World();
  src = join(world.dir, 'src');
  dst = join(world.dir, 'dst');
  await mkdir(dst);
});
afterEach(() => world.remove());

const large = 'x'.repeat(6_000_000);
const tree = { a: 'content of a', large, 'z/b': 'content of b' };
const oldTree = { large: 'old content', old: 'is not to be deleted' };

describe.skipIf(!canMount)('a full disk', () => {
  const filling = [
    ['sync', 'src'],
    ['move', 'src'],
    ['copy', 'src/large'],
    ['sync', 'store:bucket'],
    ['move', 'store:bucket'],
  ] as const;
  test.each(oneOfEach(filling, ([verb]) => verb))(
    '%s of %s fails; old files and the source stay, nothing half is left',
    async (verb, from) => {
      await writeTree(from.startsWith('store') ? world.bucket : src, tree);
      const source = from.startsWith('store') ? world.bucket : src;
      await withDisk(dst, 'size=4m', async () => {
        await writeTree(dst, oldTree);
        // Whichever file is written when the disk is full: the large one, or a small one beside it.
        const full = [
          /\/dst\/\S*(?:large|a|b)\S*: no space left on device/,
          'free some space there',
        ];
        const ended = await world.run([verb, from, 'dst', '--transfers', '3', '-vv']);
        expectFailure(ended, { code: 1, says: full });
        expect(leftovers(dst)).toEqual([]);
        const there = (await readTree(dst)) ?? {};
        expect(there).toMatchObject({
          old: expect.stringMatching(/^is not/),
          large: expect.stringMatching(/^old content@/),
        });
        // What was moved is on the other side, whole.
        const left = (await readTree(source)) ?? {};
        for (const path of ['a', 'large', 'z/b'] as const) {
          const whole = path === 'large' || left[path] !== undefined ? left[path] : there[path];
          expect(whole?.startsWith(tree[path])).toBe(true);
        }
      });
    },
  );

  test('a full directory fails its files and no others, unless a full disk is fatal', async () => {
    const names = Array.from({ length: 400 }, (_, n) => `f${n}`);
    const below = (dir: string) => names.map((name) => `${dir}/${name}`);
    const content = 'x'.repeat(4000);
    const paths = [...below('a'), ...below('z')];
    await writeTree(src, Object.fromEntries(paths.map((path) => [path, content])));
    await mkdir(join(dst, 'a'));
    await withDisk(join(dst, 'a'), 'size=128k', async () => {
      const ended = await world.run(['copy', 'src', 'dst', '--check-first']);
      expectFailure(ended, { code: 1, says: [/\/dst\/a\/\S+: no space left on device/] });
      const there = Object.keys((await readTree(dst)) ?? {});
      expect(there).toEqual(expect.arrayContaining(below('z')));
      expect(leftovers(dst)).toEqual([]);
      const fatal = ['copy', 'src', 'dst', '--local-fatal-if-no-space'];
      expectFailure(await world.run(fatal), { code: 7, says: ['no space left on device'] });
    });
  });

  test('rcat leaves the old file', async () => {
    await withDisk(dst, 'size=4m', async () => {
      await writeTree(dst, oldTree);
      const before = await readTree(dst);
      const ended = await world.run(['rcat', 'dst/large'], { input: large });
      expectFailure(ended, { code: 1, says: ['no space left on device; free some space'] });
      expect(await readTree(dst)).toEqual(before);
    });
  });
});

describe.skipIf(!canMount)('a disk that is mounted read-only', () => {
  const refused = [
    ['sync', 'src', 'dst'],
    ['copy', 'src', 'dst/new'],
    ['move', 'src', 'dst'],
    ['copy', 'store:bucket', 'dst'],
    ['move', 'dst', 'store:bucket/moved'],
  ] as const;
  test.each(oneOfEach(refused, ([verb]) => verb))(
    '%s %s %s fails and changes nothing',
    async (...words) => {
      await Promise.all([writeTree(src, tree), writeTree(world.bucket, tree)]);
      await withDisk(dst, 'size=4m', async () => {
        await writeTree(dst, oldTree);
        remount(dst, 'ro');
        const before = await readTree(world.dir);
        const says = [/\/dst\/\S+: read-only file system; mount it writable/];
        expectFailure(await world.run(words), { code: 1, says });
        expect(await readTree(world.dir)).toEqual(before);
      });
    },
  );
});

describe('a destination that is a file, or leads through one', () => {
  const places = [
    ['copy', 'src', 'file', /destination "file" is a file not a directory/],
    ['sync', 'src', 'file', /destination "file" is a file not a directory/],
    ['move', 'src/a', 'file', /destination "file" is a file not a directory/],
    ['sync', 'store:bucket', 'file', /destination "file" is a file not a directory/],
    ['sync', 'src', 'file/below', /\/file\/below\S*: not a directory; choose a path/],
    ['move', 'src', 'file/below', /\/file\/below\S*: not a directory; choose a path/],
    ['copy', 'src/a', 'file/below/it', /\/file\/below\/it\/a: not a directory; choose/],
    ['sync', 'src', 'store:bucket/a', /destination "store:bucket\/a" is a file not a directory/],
  ] as const;
  test.each(oneOfEach(places, ([verb]) => verb))(
    '%s %s %s is refused',
    async (verb, from, to, says) => {
      await Promise.all([writeTree(src, tree), writeTree(world.bucket, tree)]);
      await writeFile(join(world.dir, 'file'), 'old');
      const before = [await readTree(world.dir), await world.objects()];
      expectFailure(await world.run([verb, from, to]), { code: 1, says: [says] });
      expect([await readTree(world.dir), await world.objects()]).toEqual(before);
    },
  );

  test('a directory where a file should go, and a file where a directory should, stay', async () => {
    await writeTree(src, { 'a/below': 'x', b: 'content of b', c: 'content of c' });
    await writeTree(dst, { a: 'old a', 'b/below': 'old b', old: 'is not to be deleted' });
    const ended = await world.run(['copy', 'src', 'dst', '-vv']);
    expectFailure(ended, {
      code: 1,
      says: [
        /(open|copy to) \S*\/dst\/(a\/below: not|b: the destination is) a directory; (choose|delete)/,
      ],
    });
    const there = await readTree(dst);
    expect(there).toMatchObject({
      a: expect.stringMatching(/^old a@/),
      'b/below': expect.stringMatching(/^old b@/),
      c: expect.stringMatching(/^content of c@/),
      old: expect.any(String),
    });
    expect(leftovers(dst)).toEqual([]);
  });
});

describe('a name that is too long for the disk', () => {
  const name = 'n'.repeat(256);

  test('is told with its path; everything else is copied and nothing deleted', async () => {
    const key = `${name}/below`;
    for (const path of [name, key, 'short']) {
      expect(
        (
          await world.run(['rcat', `store:bucket/${path === key ? `d/${key}` : path}`], {
            input: path,
          })
        ).code,
      ).toBe(0);
    }
    await writeTree(dst, oldTree);
    const words = ['sync', 'store:bucket', 'dst', '--transfers', '1'];
    const says = [/\/dst\/(d\/)?n{256}(\/below)?: file name too long/, 'exclude it with --exclude'];
    expectFailure(await world.run(words), { code: 1, says });
    const there = await readTree(dst);
    expect(there).toMatchObject({ short: expect.any(String), old: expect.any(String) });
    expect(leftovers(dst)).toEqual([]);
    const excluded = await world.run([...words, '--exclude', `${name}`, '--exclude', `${name}/**`]);
    expect(excluded).toMatchObject({ code: 0, stderr: '' });
  });

  test('in the store is told too', async () => {
    const deep = Array.from({ length: 11 }, () => 'd'.repeat(100)).join('/');
    await writeTree(src, { [`${deep}/file`]: 'x', short: 'content' });
    const says = [/bucket\/(d{100}\/)+\S*/, 'the name is too long for the server'];
    expectFailure(await world.run(['move', 'src', 'store:bucket']), { code: 1, says });
    expect(Object.keys((await readTree(src)) ?? {})).toContain(`${deep}/file`);
    expect(await world.objects()).toMatchObject({ short: expect.any(String) });
  });
});
