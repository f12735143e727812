import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { obscure } from '../../../src/config/obscure.ts';
import { startTestS3 } from '../../servers/test-s3.ts';
import { newerRclone } from '../../support/open-rclone.ts';
import { makeSyncerWorld, type SyncerWorld } from '../../support/run-syncer.ts';

let world: SyncerWorld;
const env = { SYNCER_RCLONE: newerRclone };
const run = (...args: string[]) => world.run(args, { env });

beforeEach(async () => {
  world = await makeSyncerWorld({ inOwnProcess: true });
  for (const name of ['one', 'two', 'enc', 'from', 'to']) mkdirSync(join(world.dir, name));
  writeFileSync(
    world.config,
    `[crypt]
type = crypt
remote = ${world.dir}/enc
password = ${obscure('secret')}

[straße]
type = crypt
remote = ${world.dir}/enc
password = ${obscure('other')}

[my ref]
type = crypt
remote = ${world.dir}/enc
password = \${env:OF_CRYPT}

[union]
type = union
upstreams = ${world.dir}/one ${world.dir}/two

[nocreate]
type = union
upstreams = ${world.dir}/one:nc ${world.dir}/two
`,
    { mode: 0o600 },
  );
});

afterEach(() => world.remove());

describe.skipIf(newerRclone === undefined)('remotes through rclone', () => {
  it('keep what the destination has when no name of a crypt can be decrypted', async () => {
    writeFileSync(join(world.dir, 'from/file'), 'text');
    expect(await run('copy', 'from', 'crypt:')).toMatchObject({ code: 0 });
    writeFileSync(join(world.dir, 'to/kept'), 'kept');
    const wrong = `:crypt,remote=${world.dir}/enc,password=${obscure('other')}:`;
    for (const source of ['straße:', wrong, `:chunker,remote='${wrong}':`]) {
      expect((await run('sync', source, 'to')).code, source).not.toBe(0);
      expect(readdirSync(join(world.dir, 'to'))).toEqual(['kept']);
    }
  });

  it.each(['copy', 'move'])(
    '%s to a union shows the new file where rclone hides it',
    async (verb) => {
      for (const dir of ['one', 'two']) mkdirSync(join(world.dir, dir), { recursive: true });
      writeFileSync(join(world.dir, 'one/file'), 'old');
      writeFileSync(join(world.dir, 'from/file'), 'newer');
      expect(await run(verb, 'from', 'nocreate:')).toMatchObject({ code: 0 });
      expect(readFileSync(join(world.dir, 'one/file'), 'utf8')).toBe('newer');
      expect((await run('cat', 'nocreate:file')).stdout.toString()).toBe('newer');
    },
  );

  it.each(['copy from union: --no-traverse', 'copy from union: --no-check-dest', 'rcat union:f'])(
    '%s hides no directory on another upstream of the union',
    async (line) => {
      mkdirSync(join(world.dir, 'two/f'));
      writeFileSync(join(world.dir, 'two/f/inner'), 'inner');
      writeFileSync(join(world.dir, 'from/f'), 'file');
      const { code, stderr } = await world.run(line.split(' '), { env, input: 'text' });
      expect({ code, stderr }).toMatchObject({ code: 1 });
      expect(stderr).toContain('f: is a directory, not a file');
      expect(readdirSync(join(world.dir, 'one'))).toEqual([]);
    },
  );

  it.each(['crypt:', 'union:'])('%s follows names that stand for another kind now', async (to) => {
    const from = join(world.dir, 'from');
    for (const [old, now] of [
      ['f/inner', 'f'],
      ['f', 'f/inner'],
    ] as const) {
      rmSync(join(from, old.split('/')[0] ?? ''), { recursive: true, force: true });
      mkdirSync(join(from, now, '..'), { recursive: true });
      writeFileSync(join(from, now), now);
      for (let i = 0; i < 2; i++) expect(await run('sync', 'from', to)).toMatchObject({ code: 0 });
      expect((await run('lsf', '-R', '--files-only', to)).stdout.toString()).toBe(`${now}\n`);
      rmSync(join(from, 'f'), { recursive: true });
      mkdirSync(join(from, old, '..'), { recursive: true });
      writeFileSync(join(from, old), old);
      expect(await run('sync', 'from', to)).toMatchObject({ code: 0 });
      expect((await run('lsf', '-R', '--files-only', to)).stdout.toString()).toBe(`${old}\n`);
    }
    expect(readdirSync(join(world.dir, 'two'), { recursive: true })).toEqual([]);
  });

  it('keep what the destination has when the bucket of the source is missing', async () => {
    const s3 = await startTestS3();
    const store = `[store]
type = s3
provider = Other
endpoint = ${s3.endpoint}
access_key_id = ${s3.accessKeyId}
secret_access_key = ${s3.secretAccessKey}

[over]
type = crypt
remote = store:nowhere
password = ${obscure('secret')}
`;
    writeFileSync(world.config, store);
    writeFileSync(join(world.dir, 'to/kept'), 'kept');
    expect((await run('sync', 'over:a/b', 'to', '--retries', '1')).code).toBe(3);
    expect(readdirSync(join(world.dir, 'to'))).toEqual(['kept']);
    await s3.stop();
  });

  it('refuse a name that rclone stores under another one', async () => {
    writeFileSync(join(world.dir, 'from/a‛b'), 'precious');
    for (let i = 0; i < 2; i++) {
      const { code, stderr } = await run('sync', 'from', 'union:');
      expect(code).toBe(1);
      expect(stderr).toContain('names with the character ‛ cannot be given to rclone');
    }
    expect(readdirSync(join(world.dir, 'from'))).toEqual(['a‛b']);
  });

  it('read files whose names and remotes no address can have', async () => {
    writeFileSync(join(world.dir, 'from/a\nb'), 'one');
    expect(await run('copy', 'from', 'crypt:odd')).toMatchObject({ code: 0 });
    expect(await run('copy', 'crypt:odd', 'to')).toMatchObject({ code: 0 });
    expect(readFileSync(join(world.dir, 'to/a\nb'), 'utf8')).toBe('one');
    writeFileSync(join(world.dir, 'plain'), 'two');
    const remote = `:crypt,remote='${world.dir}/o[1]x',password=${obscure('secret')}:`;
    expect(await run('copy', 'plain', remote)).toMatchObject({ code: 0 });
    expect((await run('cat', `${remote}plain`)).stdout.toString()).toBe('two');
  });

  it('set times of directories with control characters, and make no others', async () => {
    mkdirSync(join(world.dir, 'from/d\x01e'));
    writeFileSync(join(world.dir, 'from/d\x01e/f'), 'text');
    await run('sync', 'from', 'union:');
    expect(await run('sync', 'from', 'union:')).toMatchObject({ code: 0 });
    expect(readdirSync(join(world.dir, 'one'))).toEqual(['d\x01e']);
  });

  it('get secrets of sections whose names have spaces', async () => {
    writeFileSync(join(world.dir, 'from/file'), 'text');
    await run('copy', 'from', 'crypt:');
    const listed = await world.run(['lsf', 'my ref:'], { env: { ...env, OF_CRYPT: 'secret' } });
    expect(listed.stdout.toString()).toBe('file\n');
  });

  it('leave nothing of a file that cannot be decrypted', async () => {
    writeFileSync(join(world.dir, 'from/file'), 'x'.repeat(1000));
    await run('copy', 'from', 'crypt:');
    const [name = ''] = readdirSync(join(world.dir, 'enc'));
    const stored = join(world.dir, 'enc', name);
    writeFileSync(stored, readFileSync(stored).fill(0, 40, 80));
    expect((await run('copy', 'crypt:', 'to', '--retries', '1')).code).not.toBe(0);
    expect(readdirSync(join(world.dir, 'to'))).toEqual([]);
  });

  it.each([20, 100_000])(
    'say why one of them, of %i bytes, fails, and copy the others',
    async (size) => {
      writeFileSync(join(world.dir, 'from/broken'), 'x'.repeat(size));
      await run('copy', 'from', 'crypt:');
      const [name = ''] = readdirSync(join(world.dir, 'enc'));
      const stored = join(world.dir, 'enc', name);
      writeFileSync(stored, readFileSync(stored).fill(0, 40, 50));
      for (let i = 0; i < 40; i++) writeFileSync(join(world.dir, `from/file${i}`), `${i}`);
      await run('copy', 'from', 'crypt:', '--ignore-existing');
      const copied = await run('copy', 'crypt:', 'to', '--retries', '1');
      const why = 'failed to authenticate decrypted block';
      expect(copied).toMatchObject({ code: 1 });
      expect(copied.stderr).toContain(`broken: ${why}`);
      expect(readdirSync(join(world.dir, 'to')).length).toBe(40);
      expect((await run('cat', 'crypt:broken')).stderr).toContain(`broken: ${why}`);
    },
  );

  it('start where the temporary directory has a long path', async () => {
    const long = join(world.dir, 'x'.repeat(100));
    mkdirSync(long);
    expect(await world.run(['lsf', 'crypt:'], { env: { ...env, TMPDIR: long } })).toMatchObject({
      code: 0,
    });
  });
});
