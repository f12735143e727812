import {
  chmod,
  mkdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { expect, test, vi } from 'vitest';
import { testOfAll } from '../support/in-part.ts';
import { makeSyncerWorld } from '../support/run-syncer.ts';
import { OLD, scrubWorld } from '../support/scrub-world.ts';
import { deleteDatabase, stateRows } from '../support/state-rows.ts';
import { waitFor } from '../support/wait-for.ts';
import { withoutPrivileges } from '../support/without-privileges.ts';

const { world, at, put, flip, syncer, results } = scrubWorld();

const suspects = () => stateRows(at('state/syncer'), 'SELECT * FROM notes');

/** A copy, and a source with a suspect. */
async function withSuspect(): Promise<void> {
  await put('a/f', 'content');
  await put('b/f', 'content');
  await results('scrub @a');
  await flip('a/f');
  expect(await results('scrub @a')).toEqual({ f: 'suspect' });
}

/** The suspect is not copied over the good copy. */
async function expectRefusal(source = '@a'): Promise<void> {
  expect((await syncer(`sync --checksum ${source} @b`)).code).toBe(1);
  expect(await readFile(at('b/f'), 'utf8')).toBe('content');
}

test('a suspect stays one when the cache is deleted, until its content is the recorded one', async () => {
  await put('a/f', 'content');
  await put('a/g', 'content');
  await results('scrub @a');
  await flip('a/f');
  expect(await results('scrub @a')).toEqual({ f: 'suspect', g: 'ok' });
  await rm(at('cache'), { recursive: true });
  expect(await results('scrub @a')).toEqual({ f: 'suspect', g: 'new' });
  await flip('a/f');
  expect(await results('scrub @a')).toEqual({ f: 'ok', g: 'ok' });
  expect((await syncer('scrub --status @a')).code).toBe(0);
});

test.each(['md5sum @a', 'sync --checksum @a @b', 'hashsum sha256 @a'])(
  'a suspect stays one when the cache has learned its content: %s',
  async (line) => {
    await withSuspect();
    await rm(at('cache'), { recursive: true });
    await syncer(line);
    expect(await results('scrub @a')).toEqual({ f: 'suspect' });
    await expectRefusal();
    await flip('a/f');
    expect(await results('scrub @a')).toEqual({ f: 'ok' });
    expect(await results('scrub @a')).toEqual({ f: 'ok' });
    await flip('a/f');
    expect(await results('scrub @a')).toEqual({ f: 'suspect' });
  },
);

test('what was read by a clock that was ahead is read again', async () => {
  for (const name of ['f', 'g']) await put(`a/${name}`, 'content');
  const { now } = Date;
  const clock = vi.spyOn(Date, 'now').mockImplementation(() => now() + 90 * 86_400_000);
  try {
    await results('scrub @a');
    await flip('a/f');
    expect(await results('scrub @a')).toEqual({ f: 'suspect', g: 'ok' });
  } finally {
    clock.mockRestore();
  }
  await flip('a/g');
  expect(await results('scrub @a')).toEqual({ f: 'suspect', g: 'suspect' });
  await flip('a/f');
  await flip('a/g');
  expect(await results('scrub @a')).toEqual({ f: 'ok', g: 'ok' });
});

test('a suspect is one by whatever symbolic link it is reached', async () => {
  await withSuspect();
  await symlink('a', at('l'));
  await expectRefusal('@l');
  await expectRefusal('@l/');
  expect(await results('scrub @l')).toEqual({ f: 'suspect' });
});

test('a suspect is one below a link that is followed', async () => {
  await withSuspect();
  await put('o/sub/f', 'content');
  await mkdir(at('t'));
  await symlink('../a', at('t/sub'));
  expect(await results('scrub -L @t')).toEqual({ 'sub/f': 'suspect' });
  expect((await syncer('sync --checksum -L @t @o')).code).toBe(1);
  expect(await readFile(at('o/sub/f'), 'utf8')).toBe('content');
});

test('what a scrub leaves out, and a disk that is not mounted, keep their suspects', async () => {
  await put('a/d/f', 'content');
  await put('a/g', 'content');
  await results('scrub @a');
  await flip('a/d/f');
  for (const line of ['scrub @a', 'scrub @a --max-depth 1', 'scrub @a --exclude d/**'])
    expect((await syncer(line)).code).toBe(1);
  // Of a disk that is not mounted, nothing is there, and the directory is on another one.
  await rename(at('a/d'), at('away'));
  await mkdir(at('a/d'));
  const [{ note = '', path } = {}] = suspects() as { note?: string; path?: Uint8Array }[];
  const other = note.replace(/"device":"[^"]+"/, '"device":"another"');
  const sum = crc32(other, crc32(path ?? ''));
  stateRows(at('state/syncer'), 'UPDATE notes SET note = ?, sum = ?', other, sum);
  expect((await syncer('scrub @a')).code).toBe(1);
  await rm(at('a/d'), { recursive: true });
  expect((await syncer('scrub @a')).code).toBe(1);
  await rename(at('away'), at('a/d'));
  expect(await results('scrub @a')).toEqual({ 'd/f': 'suspect', g: 'ok' });
  await rm(at('a/d/f'));
  expect((await syncer('scrub @a')).code).toBe(0);
});

test('what was recorded for a file of before decides nothing about another suspect', async () => {
  await withSuspect();
  await syncer('copyto @b/f @a/f --ignore-times');
  await syncer('md5sum @a');
  await flip('a/f');
  await flip('a/f');
  await put('a/f', 'rotten!');
  for (let i = 0; i < 3; i++) expect((await syncer('scrub @a')).code).toBe(1);
});

test('a suspect is read again whatever --every says', async () => {
  await withSuspect();
  expect(await results('scrub @a --every 90d')).toEqual({ f: 'suspect' });
  await syncer('copyto @b/f @a/f --ignore-times');
  expect((await syncer('scrub @a --every 90d')).code).toBe(0);
});

test('a listing settles no suspect whose content was read', async () => {
  const bucket = `s:listed${world.count}`;
  await put('a/f', 'content');
  await syncer(`mkdir ${bucket}`);
  await syncer(`copy @a ${bucket}`);
  await results(`scrub ${bucket} --download`);
  const object = join(world.s3.root, `listed${world.count}`, 'f');
  // The server keeps the ETag while size and time of the file are the same.
  const { atime, mtime } = await stat(object);
  const rewrite = async (content: string) => {
    await writeFile(object, content);
    await utimes(object, atime, mtime);
  };
  await rewrite('CONTENT');
  expect(await results(`scrub ${bucket} --download`)).toEqual({ f: 'suspect' });
  expect(await results(`scrub ${bucket}`)).toEqual({ f: 'suspect' });
  await rewrite('content');
  expect(await results(`scrub ${bucket} --download`)).toEqual({ f: 'ok' });
  expect(await results(`scrub ${bucket}`)).toEqual({ f: 'ok' });
});

test('a suspect that was replaced by another file is none', async () => {
  await withSuspect();
  await put('new', 'replace');
  await rename(at('new'), at('a/f'));
  expect(await results('scrub @a')).toEqual({ f: 'changed' });
  expect((await syncer('scrub @a')).code).toBe(0);
});

test('a new file with the inode of a deleted one is changed', async () => {
  await put('a/f', 'content');
  await put('a/g', 'content');
  await results('scrub @a');
  await rm(at('a/f'));
  await put('a/f', 'CONTENT');
  await rm(at('a/g'));
  await put('a/g', 'CONTENT');
  expect(await results('scrub @a')).toEqual({ f: 'changed', g: 'changed' });
});

test.each<[string, (file: string) => Promise<void>]>([
  ['is damaged', (file) => writeFile(file, 'no database'.repeat(1000))],
  ['not a regular file', (file) => symlink('/dev/null', file)],
  ['not a regular file', async (file) => void (await mkdir(file))],
])('a list of suspects that cannot be read is an error: %s', async (why, replace) => {
  await withSuspect();
  expect(suspects()).toHaveLength(1);
  const file = at('state/syncer/state.db');
  deleteDatabase(file);
  await replace(file);
  await expectRefusal();
  for (const line of ['scrub @a', 'scrub --status @a', 'sync --checksum @a @b']) {
    const { code, stderr } = await syncer(line);
    expect([code, stderr]).toEqual([1, expect.stringMatching(`cannot be read: .*${why}`)]);
  }
});

test('a suspect that cannot be added to the list is an error', async () => {
  await put('a/f', 'content');
  await results('scrub @a');
  await flip('a/f');
  await rm(at('state'), { recursive: true });
  await writeFile(at('state'), '');
  const { code, stderr } = await syncer('scrub @a');
  expect([code, stderr]).toEqual([
    1,
    expect.stringContaining('the list of suspect files cannot be'),
  ]);
});

test('a suspect does not replace the other side, by --checksum or with the guard', async () => {
  for (const name of ['f', 'g']) await put(`a/${name}`, `content of ${name}`);
  await syncer('copy @a @b');
  await results('scrub @a');
  await flip('a/f');
  await results('scrub @a');
  const refused = async (flags: string) => {
    const { code, stderr } = await syncer(`sync @a @b ${flags}`);
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining('f: Failed to copy: not copied over'),
    ]);
    expect(await readFile(at('b/f'), 'utf8')).toBe('content of f');
  };
  await refused('--checksum');
  await refused('--ignore-times --guard suspect');
  await refused('--ignore-times --guard on,suspect');
  // A new file replaces nothing, and a changed one is no longer the suspect.
  expect((await syncer('sync @a @c --checksum')).code).toBe(0);
  await utimes(at('a/f'), OLD, new Date());
  expect((await syncer('sync @a @b --checksum')).code).toBe(0);
});

test('a move does not delete a suspect for a file of equal size and time, whose content may be another', async () => {
  await put('a/f', 'content');
  await syncer('copy @a @b');
  await results('scrub @a');
  await flip('a/f');
  await results('scrub @a');
  const { code, stderr } = await syncer('move @a @b --guard suspect');
  expect([code, stderr]).toEqual([1, expect.stringContaining('f: Failed to move: not deleted')]);
  expect(await readFile(at('a/f'), 'utf8')).not.toBe('content');
  expect(await readFile(at('b/f'), 'utf8')).toBe('content');
  // Equal content is elsewhere, whatever is wrong with it.
  await syncer('copy @a @b --ignore-times');
  expect((await syncer('move @a @b --checksum')).code).toBe(0);
});

test.skipIf(withoutPrivileges === undefined)(
  'an unreadable file is listed until it can be read',
  async () => {
    const own = await makeSyncerWorld();
    const through = withoutPrivileges ?? [];
    try {
      await mkdir(join(own.dir, 'a'));
      await writeFile(own.config, '');
      const file = join(own.dir, 'a/f');
      await writeFile(file, 'content');
      await utimes(file, OLD, OLD);
      await chmod(file, 0);
      const failed = await own.run(['scrub', 'a'], { through });
      expect(failed.code).toBe(1);
      expect(failed.stderr).toContain('f: unreadable: ');
      expect((await own.run(['scrub', '--status', 'a'])).code).toBe(1);
      await chmod(file, 0o600);
      expect(await own.run(['scrub', 'a'], { through })).toMatchObject({ code: 0 });
      // One that was suspect before stays suspect.
      await writeFile(file, 'CONTENT');
      await utimes(file, OLD, OLD);
      expect(String((await own.run(['scrub', 'a'])).stdout)).toContain('1 suspect');
      await chmod(file, 0);
      expect((await own.run(['scrub', 'a'], { through })).stderr).toContain('f: unreadable: ');
      await chmod(file, 0o600);
      await mkdir(join(own.dir, 'b'));
      await writeFile(join(own.dir, 'b/f'), 'content');
      expect((await own.run(['sync', '--checksum', 'a', 'b'])).code).toBe(1);
      expect(await readFile(join(own.dir, 'b/f'), 'utf8')).toBe('content');
    } finally {
      await own.remove();
    }
  },
);

test('suspects that are gone leave the list', async () => {
  await put('a/f', 'content');
  await put('a/g', 'content');
  await results('scrub @a');
  await flip('a/f');
  await results('scrub @a');
  await rename(at('a/f'), at('elsewhere'));
  expect((await syncer('scrub @a')).code).toBe(0);
  expect((await stat(at('a/g'))).size).toBe(7);
});

test('a copy fills the cache; the other side says which is right', async () => {
  for (const name of ['f', 'g', 'h']) await put(`a/${name}`, `content of ${name}`);
  const bucket = `s:with${world.count}`;
  await syncer(`mkdir ${bucket}`);
  await syncer(`copy @a ${bucket}`);
  for (const name of ['f', 'g', 'h']) await flip(`a/${name}`);
  await syncer(`copyto @a/g ${bucket}/g --ignore-times`);
  await syncer(`deletefile ${bucket}/h`);
  const { code, stderr } = await syncer(`scrub @a --with ${bucket}`);
  expect(code).toBe(1);
  const command = `copyto ${bucket}/f ${at('a/f')} --ignore-times`;
  expect(stderr).toContain(`${bucket}/f has the recorded content; to settle it: syncer ${command}`);
  expect(stderr).toContain(
    `g: ${bucket}/g has the new content, too; if a program changed it on purpose: syncer scrub --accept`,
  );
  expect(stderr).toContain(`h: ${bucket} has no such file`);
  expect(await syncer(command)).toMatchObject({ code: 0 });
  expect(await results('scrub @a')).toEqual({ f: 'ok', g: 'suspect', h: 'suspect' });
});

testOfAll('a killed scrub loses neither suspects nor the cache', async () => {
  const own = await makeSyncerWorld();
  try {
    const folder = join(own.dir, 'a');
    await mkdir(folder);
    await writeFile(own.config, '');
    for (const name of ['f', 'g']) {
      await writeFile(join(folder, name), Buffer.alloc(48 << 20, name));
      await utimes(join(folder, name), OLD, OLD);
    }
    await own.run(['scrub', 'a']);
    await writeFile(join(folder, 'f'), Buffer.alloc(48 << 20, 'x'));
    await utimes(join(folder, 'f'), OLD, OLD);
    const running = own.start(['scrub', 'a']);
    await waitFor(() => running.seen.stderr.includes('suspect'), running.ended);
    running.kill('SIGKILL');
    await running.ended;
    const status = await own.run(['scrub', '--status', 'a']);
    expect(String(status.stdout)).toContain('suspect: ');
    const again = await own.run(['scrub', 'a']);
    expect(String(again.stdout)).toContain('1 ok, 0 new, 0 changed, 1 suspect');
  } finally {
    await own.remove();
  }
});

test('why says that a suspect is not copied over the other side, as the run does', async () => {
  await withSuspect();
  const { code, stdout } = await syncer('why --as copy --checksum @a @b f');
  expect(stdout).toContain('f: copy: fail: not copied over the other side: scrub found');
  expect(code).toBe(1);
});
