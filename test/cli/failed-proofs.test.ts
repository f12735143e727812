import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { answerOf, type Lie } from '../servers/lies/lie.ts';
import { S3_LIES } from '../servers/lies/s3-lies.ts';
import { type LieWorld, makeLieWorld } from '../support/lie-world.ts';
import { damageDatabase, proofNotes, stateRows } from '../support/state-rows.ts';

// What a write left that went wrong does not stay under its name, or is known to be wrong as long as it does.

let world: LieWorld;
let src: string;
beforeEach(async () => {
  world = await makeLieWorld();
  src = join(world.disk, 'src');
  await world.fill('src', { file: 'the right bytes' });
  await world.fill('s:dst', {});
});
afterEach(() => world.remove());

const notes = () => proofNotes(world.state);

/** A lie, and a store that lets nothing be deleted. */
const andKeeps = (name: string): Lie => {
  const { about = '', of = [], tell = () => undefined } = S3_LIES[name] ?? {};
  return {
    about,
    of: [...of, 'DeleteObject'],
    tell: (call) => (call.request.operation === 'DeleteObject' ? answerOf(403) : tell(call)),
  };
};

describe('what a write left that went wrong', () => {
  it('is removed, and nothing is noted of it any more', async () => {
    world.proxy.setLie({ lie: 'put-other-bytes' });
    const ended = await world.run(['copy', src, 's:dst']);
    expect(ended).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('stored content differs'),
    });
    expect(await world.read('s:dst')).toEqual({});
    expect(notes()).toEqual([]);
  });

  it('stays and is noted where nothing shows that it is not an object of before', async () => {
    world.proxy.setLie({ lie: 'put-other-bytes-silent' });
    expect((await world.run(['copy', src, 's:dst'])).code).toBe(1);
    world.proxy.setLie(undefined);
    expect(await world.read('s:dst')).toEqual({ file: 'uhe right bytes' });
    expect((await world.run(['check', src, 's:dst'])).code).toBe(1);
    expect((await world.run(['move', src, 's:dst'])).code).toBe(0);
    expect(await world.read('s:dst')).toEqual({ file: 'the right bytes' });
  });

  it('is removed in the store, and the source stays', async () => {
    await world.run(['copy', src, 's:from']);
    world.proxy.setLie({ lie: 'copy-other-bytes' });
    expect((await world.run(['move', 's:from', 's:dst'])).code).toBe(1);
    expect(await world.read('s:dst')).toEqual({});
    expect(await world.read('s:from')).toEqual({ file: 'the right bytes' });
  });

  it('is removed after rcat', async () => {
    world.proxy.setLie({ lie: 'put-other-bytes' });
    expect((await world.run(['rcat', 's:dst/file'], 'by rcat')).code).toBe(1);
    expect(await world.read('s:dst')).toEqual({});
  });

  it('does not take the old object with it that was not replaced', async () => {
    await world.fill('s:dst', { file: 'old' });
    // Written as long ago as it takes to tell it from what is written now.
    world.proxy.setLie({
      lie: {
        about: 'an old object',
        of: ['PutObject', 'HeadObject'],
        async tell(call) {
          if (call.request.operation === 'PutObject') return S3_LIES['put-old-etag']?.tell(call);
          const answer = await call.ask();
          const headers = { ...answer.headers, 'last-modified': 'Mon, 01 Jan 2024 00:00:00 GMT' };
          return { ...answer, headers };
        },
      },
    });
    expect((await world.run(['copy', src, 's:dst'])).code).toBe(1);
    expect(await world.read('s:dst')).toEqual({ file: 'old' });
  });

  it.each(['empty-200', 'empty-204', 'put-parts-etag', 'put-old-etag'])(
    'is not an object of before, if the same one is there again: %s',
    async (lie) => {
      const old = { file: 'the OTHER bytes' };
      const args = ['copy', '--checksum', '--fast-list', src, 's:dst'];
      for (const aheadMs of [0, 3_600_000]) {
        await world.fill('s:dst', old, aheadMs);
        world.proxy.setLie({ lie, of: ['PutObject'] });
        expect((await world.run(args)).code).toBe(1);
        expect(await world.read('s:dst')).toEqual(old);
        expect(notes()).toEqual([]);
        // Later than what a note tells of.
        await world.fill('s:dst', old, aheadMs + 10_000);
        expect((await world.run(args)).code).toBe(1);
        expect(await world.read('s:dst')).toEqual(old);
      }
    },
  );

  it('is not an object of before that nobody has listed', async () => {
    const old = { file: 'the OTHER bytes' };
    const args = ['copy', '--no-check-dest', src, 's:dst'];
    for (const lie of ['empty-200', 'put-parts-etag', 'put-old-etag']) {
      await world.fill('s:dst', old, 3_600_000);
      world.proxy.setLie({ lie, of: ['PutObject'] });
      expect((await world.run(args)).code).toBe(1);
      await world.fill('s:dst', old, 7_200_000);
      expect((await world.run(args)).code).toBe(1);
      expect(await world.read('s:dst')).toEqual(old);
    }
  });

  it('is not a version of before that a response names', async () => {
    const enable = `<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>`;
    const url = `${world.proxy.endpoint}/dst?versioning`;
    expect((await fetch(url, { method: 'PUT', body: enable })).status).toBe(200);
    await world.fill('src', { file: 'the OTHER bytes' });
    expect((await world.run(['copy', src, 's:dst'])).code).toBe(0);
    await world.fill('src', { file: 'the right bytes' });
    const { tell = () => undefined } = S3_LIES['put-old-etag'] ?? {};
    const lie: Lie = {
      about: 'not stored, and the ETag and version of the old object come back',
      of: ['PutObject'],
      async tell(call) {
        const told = await tell(call);
        const old = await call.ask({ method: 'HEAD', body: Buffer.alloc(0) });
        const version = old.headers['x-amz-version-id'] ?? '';
        return told && { ...told, headers: { ...told.headers, 'x-amz-version-id': version } };
      },
    };
    for (const args of [[], ['--no-check-dest']]) {
      world.proxy.setLie({ lie });
      expect((await world.run(['copy', ...args, src, 's:dst'])).code).toBe(1);
      expect(world.proxy.told()).toBe(1);
      world.proxy.setLie(undefined);
      expect((await world.run(['cat', 's:dst/file'])).stdout).toBe('the OTHER bytes');
    }
  });

  it('gives way to the version before', async () => {
    await world.fill('s:dst', { file: 'old' });
    const enable = `<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>`;
    const url = `${world.proxy.endpoint}/dst?versioning`;
    expect((await fetch(url, { method: 'PUT', body: enable })).status).toBe(200);
    world.proxy.setLie({ lie: 'put-other-bytes' });
    expect((await world.run(['copy', src, 's:dst'])).code).toBe(1);
    expect(await world.read('s:dst')).toMatchObject({ file: 'old' });
  });
});

describe('what a write left that cannot be removed', () => {
  const leave = async (name = 'put-other-bytes', args = ['copy', src, 's:dst']) => {
    world.proxy.setLie({ lie: andKeeps(name) });
    const ended = await world.run(args);
    world.proxy.setLie(undefined);
    expect(ended.code).not.toBe(0);
    expect(Object.keys(await world.read('s:dst'))).toEqual(['file']);
    expect(notes()).toHaveLength(1);
    return ended;
  };

  it('is told, and is not taken for the file by the next attempt', async () => {
    const ended = await leave('put-other-bytes', ['copy', '--retries=3', src, 's:dst']);
    expect(ended.stderr).toContain('could not be undone');
    expect(ended.stderr).not.toContain('succeeded');
  });

  it('differs for check', async () => {
    await leave();
    for (const by of [[], ['--size-only'], ['--checksum']]) {
      const { code, stderr } = await world.run(['check', ...by, src, 's:dst']);
      expect({ code, stderr }).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('differ'),
      });
    }
    expect(notes()).toHaveLength(1);
  });

  it('and whose note is damaged, is not taken for the file', async () => {
    await leave();
    const [{ note: whole = '' } = {}] = notes() as { note?: string }[];
    const put = (note: string, path = 'dst/file') =>
      stateRows(world.state, 'UPDATE notes SET note = ?, path = ?', note, Buffer.from(path));
    const spoils = [
      () => put(''),
      () => put('{'),
      () => put(whole.slice(0, -2)),
      () => put(whole, 'dst/fild'),
    ];
    for (const spoil of spoils) {
      spoil();
      for (const verb of ['move', 'check', 'copy']) {
        const { code, stderr } = await world.run([verb, src, 's:dst']);
        const advice = 'state.db; run "syncer doctor --fix"';
        expect({ code, stderr }).toMatchObject({
          code: 1,
          stderr: expect.stringContaining(advice),
        });
      }
    }
    const doctor = await world.run(['doctor']);
    expect(doctor.stdout).toMatch(/damaged:\s[^✓]*db: a note about a file/);
    expect(await world.read('src')).toEqual({ file: 'the right bytes' });
    put(whole);
    expect((await world.run(['move', src, 's:dst'])).code).toBe(0);
    expect(await world.read('s:dst')).toEqual({ file: 'the right bytes' });
  });

  it('and whose notes are all lost, keeps the source of a move; a copy says so', async () => {
    await leave();
    damageDatabase(join(world.state, 'state.db'));
    const moved = await world.run(['move', src, 's:dst']);
    expect([moved.code, moved.stderr]).toEqual([1, expect.stringContaining('doctor --fix')]);
    expect(await world.read('src')).toEqual({ file: 'the right bytes' });
    const copied = await world.run(['copy', src, 's:dst']);
    expect(copied.stderr).toMatch(/Wrong files .* are not known: .* is damaged.*doctor --fix/);
    expect(copied.code).toBe(0);
  });

  it('is transferred once more by copy', async () => {
    await leave();
    expect((await world.run(['copy', src, 's:dst'])).code).toBe(0);
    expect(await world.read('s:dst')).toEqual({ file: 'the right bytes' });
    expect(notes()).toEqual([]);
  });

  it('does not let move delete the source', async () => {
    await leave();
    world.proxy.setLie({ lie: 'put-other-bytes' });
    expect((await world.run(['move', src, 's:dst'])).code).toBe(1);
    expect(await world.read('src')).toEqual({ file: 'the right bytes' });
    world.proxy.setLie(undefined);
    expect((await world.run(['move', src, 's:dst'])).code).toBe(0);
    expect(await world.read('s:dst')).toEqual({ file: 'the right bytes' });
  });

  it('is removed by the next run that writes to the store', async () => {
    await leave();
    await world.fill('src', { another: 'x' });
    expect((await world.run(['copy', src, 's:dst'])).code).toBe(0);
    expect(await world.read('s:dst')).toEqual({ another: 'x' });
    expect(notes()).toEqual([]);
  });

  it('is left alone by a dry run', async () => {
    await leave();
    expect((await world.run(['copy', '--dry-run', src, 's:dst'])).code).toBe(0);
    expect(Object.keys(await world.read('s:dst'))).toEqual(['file']);
    expect(notes()).toHaveLength(1);
  });
});

describe('an object that was to get another time', () => {
  it('has it, or the run fails', async () => {
    await world.run(['copy', src, 's:dst']);
    for (const lie of ['copy-other-etag', 'html-200', 'empty-200', 'other-xml']) {
      world.proxy.setLie({ lie, of: ['CopyObject'] });
      expect((await world.run(['touch', 's:dst/file'])).code, lie).toBe(1);
    }
    world.proxy.setLie(undefined);
    expect((await world.run(['check', src, 's:dst'])).code).toBe(0);
  });

  it('is not removed where it is the only one, but counts as another', async () => {
    await world.run(['copy', src, 's:dst']);
    world.proxy.setLie({ lie: 'copy-other-bytes' });
    const { code, stderr } = await world.run(['touch', 's:dst/file']);
    world.proxy.setLie(undefined);
    expect({ code, stderr }).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('it is the only copy'),
    });
    expect(Object.keys(await world.read('s:dst'))).toEqual(['file']);
    expect((await world.run(['check', src, 's:dst'])).code).toBe(1);
    expect((await world.run(['copy', src, 's:dst'])).code).toBe(0);
    expect(await world.read('s:dst')).toEqual({ file: 'the right bytes' });
    expect(notes()).toEqual([]);
  });
});
