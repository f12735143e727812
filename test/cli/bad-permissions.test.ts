import { chmod, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { expectFailure } from '../support/expect-failure.ts';
import { readTree, writeTree } from '../support/file-tree.ts';
import { testOfAll } from '../support/in-part.ts';
import { makeS3World, type S3World } from '../support/s3-world.ts';
import { withoutPrivileges } from '../support/without-privileges.ts';

let world: S3World;
beforeEach(async () => {
  world = await makeS3World();
});
afterEach(async () => {
  for (const dir of ['src', 'new'])
    await chmod(join(world.dir, dir, 'shut'), 0o755).catch(() => {});
  await world.remove();
});

const through = withoutPrivileges ?? [];
const run = (args: readonly string[]) => world.run(args, { through });
const old = 'is not to be deleted';
const denied = (path: string) => [
  `${world.dir}/${path}: permission denied`,
  'run as a user with that permission',
];

describe.skipIf(withoutPrivileges === undefined)('what may not be read', () => {
  describe.each([
    ['a file', 'secret', 1],
    ['a directory', 'shut', 6],
  ])('%s', (_what, name, code) => {
    const testOnce = name === 'secret' ? test : testOfAll;

    beforeEach(async () => {
      const large = 'x'.repeat(3_000_000);
      await writeTree(join(world.dir, 'src'), {
        ...{ a: 'content of a', 'd/b': large, 'z/c': 'content of c' },
        ...(name === 'secret' ? { secret: large } : { 'shut/x': 'content of x' }),
      });
      await chmod(join(world.dir, 'src', name), 0);
      await writeTree(join(world.dir, 'dst'), {
        old,
        [name === 'secret' ? name : 'shut/x']: 'old',
      });
    });

    testOnce('copy takes everything else', async () => {
      expectFailure(await run(['copy', 'src', 'dst', '-vv']), {
        code,
        says: denied(`src/${name}`),
      });
      const copied = await readTree(join(world.dir, 'dst'));
      expect(
        Object.keys(copied ?? {})
          .filter((path) => !path.endsWith('/'))
          .sort(),
      ).toEqual(['a', 'd/b', 'old', name === 'secret' ? name : 'shut/x', 'z/c'].sort());
      expect(copied?.[name === 'secret' ? name : 'shut/x']).toMatch(/^old@/);
    });

    testOnce('move renames a directory as a whole', async () => {
      const { code, stderr } = await run(['move', 'src', 'new', '-v']);
      expect([code, stderr]).toEqual([0, expect.stringContaining('directory move succeeded')]);
      expect(await readdir(world.dir)).not.toContain('src');
      expect((await stat(join(world.dir, 'new', name))).mode & 0o777).toBe(0);
    });

    test('sync deletes nothing', async () => {
      // With directories unread nothing else is told than that nothing was deleted, as in rclone.
      const ended = await run(['sync', 'src', 'dst']);
      const says = name === 'secret' ? denied('src/secret') : ['not deleting files'];
      expectFailure(ended, { code: 1, says });
      expect(ended.stderr).toContain('not deleting files as there were IO errors');
      expect(await readTree(join(world.dir, 'dst'))).toMatchObject({
        old: expect.stringContaining(old),
        a: expect.any(String),
      });
    });

    test('move into the store leaves it, and its directory, in place', async () => {
      const words = ['move', 'src', 'store:bucket', '--delete-empty-src-dirs'];
      // With anything left behind no directory goes, as in rclone.
      expectFailure(await run(words), { code: 1, says: denied(`src/${name}`) });
      await chmod(join(world.dir, 'src', name), 0o755);
      const left = Object.keys((await readTree(join(world.dir, 'src'))) ?? {});
      expect(left.sort()).toEqual([
        'd/',
        ...(name === 'secret' ? ['secret'] : ['shut/', 'shut/x']),
        'z/',
      ]);
      expect(await readFile(join(world.bucket, 'a'), 'utf8')).toBe('content of a');
      expect(await world.unfinishedUploads()).toEqual([]);
    });
  });

  test('the source itself, a file or a directory, is told', async () => {
    await mkdir(join(world.dir, 'src/shut'), { recursive: true });
    await chmod(join(world.dir, 'src/shut'), 0);
    await writeFile(join(world.dir, 'secret'), 'x', { mode: 0 });
    const dir = await run(['sync', 'src/shut', 'dst']);
    expectFailure(dir, { code: 6, says: denied('src/shut') });
    const file = await run(['copy', 'secret', 'dst']);
    expectFailure(file, { code: 1, says: denied('secret') });
    const catted = await run(['cat', 'secret']);
    expectFailure(catted, { code: 1, says: denied('secret') });
    const hashed = await run(['md5sum', 'secret']);
    expectFailure(hashed, { code: 1, says: denied('secret') });
    expect(await readTree(join(world.dir, 'dst'))).toBeUndefined();
  });
});

describe.skipIf(withoutPrivileges === undefined)('where may not be written', () => {
  const tree = { a: 'content of a', 'd/b': 'content of b', large: 'x'.repeat(3_000_000) };
  beforeEach(async () => {
    await writeTree(join(world.dir, 'src'), tree);
    await writeTree(join(world.dir, 'dst'), { a: 'old content', old });
    await chmod(join(world.dir, 'dst'), 0o555);
  });

  test.each(['copy', 'sync', 'move'])('%s fails and changes nothing', async (verb) => {
    const before = await readTree(world.dir);
    const ended = await run([verb, 'src', 'dst', '-vv']);
    expectFailure(ended, { code: 1, says: denied('dst.*').slice(1) });
    expect(ended.stderr).toMatch(
      /ERROR : a: Failed to (copy|move): .*\/dst\/\S*a\S*: permission denied/,
    );
    expect(await readTree(world.dir)).toEqual(before);
  });

  testOfAll('rcat, delete, purge, mkdir and deletefile name the path', async () => {
    const before = await readTree(world.dir);
    const inDst = /\/dst\/\S+: permission denied; run as a user with that permission/;
    const says = [inDst];
    expectFailure(await run(['rcat', 'dst/new']), { code: 1, says });
    expectFailure(await run(['delete', 'dst', '-vv']), { code: 1, says });
    expectFailure(await run(['deletefile', 'dst/old']), { code: 1, says });
    const purged = await run(['purge', 'dst']);
    expectFailure(purged, { code: 1, says: [inDst, 'Failed to purge with 2 errors'] });
    for (const name of ['a', 'old'])
      expect(purged.stderr).toContain(`ERROR : ${name}: Couldn't delete: `);
    expectFailure(await run(['mkdir', 'dst/new']), { code: 1, says });
    expect(await readTree(world.dir)).toEqual(before);
  });
});

describe('a key of a bucket', () => {
  const ONLY_PUT = ['--s3-no-check-bucket', '--s3-no-head', '--s3-no-head-object'];
  const mayOnly = (...operations: string[]) =>
    world.s3.setFaults(({ operation }) =>
      operations.includes(operation) ? undefined : { status: 403, code: 'AccessDenied' },
    );

  test.each([[[]], [['--size', '4']]])(
    'that may only write stores input: rcat %j',
    async (more) => {
      mayOnly('PutObject');
      const args = ['rcat', 'store:bucket/d/dump', ...ONLY_PUT, '--no-check-dest', ...more];
      expect(await world.run(args, { input: 'dump' })).toMatchObject({ code: 0 });
      expect(world.s3.log.count('PutObject')).toBe(1);
      world.s3.setFaults(undefined);
      expect(await world.objects()).toEqual({ 'd/dump': expect.stringMatching(/^dump@/) });
      // What was there before is unknown: nothing is restored, and nothing deleted.
      const history = await world.run(['history', '--json']);
      const undo = await world.run(['undo', JSON.parse(history.stdout.toString()).id, ...ONLY_PUT]);
      expectFailure(undo, { code: 4, says: ['the old content of 1 path is not kept'] });
      expect(await world.objects()).toEqual({ 'd/dump': expect.stringMatching(/^dump@/) });
    },
  );

  test('that may only write stores nothing if --trash is to keep what was there', async () => {
    mayOnly('PutObject');
    const ended = await world.run(['rcat', 'store:bucket/f', '--trash', ...ONLY_PUT], {
      input: 'dump',
    });
    expectFailure(ended, { code: 1, says: ['access denied'] });
    expect(world.s3.log.count('PutObject')).toBe(0);
  });

  test('that may not list stores a file of its own, and input', async () => {
    await writeTree(join(world.dir, 'src'), { a: 'content of a' });
    mayOnly('PutObject', 'HeadObject', 'HeadBucket', 'GetObject');
    expect(await world.run(['copyto', 'src/a', 'store:bucket/d/a'])).toMatchObject({ code: 0 });
    const piped = await world.run(['rcat', 'store:bucket/d/b'], { input: 'b' });
    expect(piped).toMatchObject({ code: 0 });
    // A directory that cannot be listed is not one that is missing.
    expectFailure(await world.run(['ls', 'store:bucket/e']), { code: 1, says: ['access denied'] });
    expect(Object.keys(await world.objects())).toEqual(['d/a', 'd/b']);
  });
});
