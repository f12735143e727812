import {
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { waitFor } from '../../../support/wait-for.ts';
import {
  ContentsWorld,
  CREATE,
  closeFile,
  op,
  readAll,
  UPDATE,
  WRITE,
  writeFile,
} from './contents-world.ts';

/** More than the journal takes. */
const LONG = 'who knows '.repeat(2000);

test('what was closed is uploaded by the next mount', async () => {
  const world = new ContentsWorld();
  const contents = await world.open();
  await writeFile(contents, 'dir/a', 'closed');
  await contents.setModTime('dir/a', 1_234_567_891n);
  world.crash();
  const next = await world.open();
  expect([...next.pendingIn('dir')]).toEqual([{ path: 'dir/a', size: 6, modTime: 1_234_567_891n }]);
  expect(next.state()).toMatchObject({ uploadsWaiting: 1, pendingBytes: 6 });
  expect(String(await readAll(next, 'dir/a'))).toBe('closed');
  await next.drain(op);
  expect(String(await world.get('dir/a'))).toBe('closed');
  expect(await world.entry('dir/a')).toMatchObject({ modTime: 1_234_567_891n });
});

test('with mode off, what an earlier mount left is uploaded all the same', async () => {
  const world = new ContentsWorld();
  await writeFile(await world.open(), 'a', 'closed');
  world.crash();
  const next = await world.open({ cacheMode: 'off' });
  expect(String(await readAll(next, 'a'))).toBe('closed');
  await next.drain(op);
  expect(String(await world.get('a'))).toBe('closed');
});

test('what was written after the last close does not count', async () => {
  const world = new ContentsWorld();
  const contents = await world.open();
  await writeFile(contents, 'longer', 'closed');
  await writeFile(contents, 'emptied', 'closed');
  await writeFile(contents, 'shorter', 'closed');
  const longer = await contents.open('longer', undefined, WRITE, op);
  await longer.write('end', Buffer.from(' and more'), op);
  const emptied = await contents.open('emptied', undefined, CREATE, op);
  await emptied.write(0, Buffer.from('half'), op);
  const never = await contents.open('never', undefined, CREATE, op);
  await never.write(0, Buffer.from('half of a new file'), op);
  const synced = await contents.open('synced', undefined, CREATE, op);
  await synced.write(0, Buffer.from('this much'), op);
  await synced.sync(op);
  await synced.write(9, Buffer.from(' and more'), op);
  const shorter = await contents.open('shorter', undefined, UPDATE, op);
  await shorter.truncate(3, op);
  world.crash();
  const next = await world.open();
  expect(String(await readAll(next, 'longer'))).toBe('closed');
  await next.truncate('longer', undefined, 10, op);
  await next.drain(op);
  expect(String(await world.get('longer'))).toBe('closed\0\0\0\0');
  expect(String(await world.get('emptied'))).toBe('closed');
  expect(String(await world.get('shorter'))).toBe('clo');
  expect(String(await world.get('synced'))).toBe('this much');
  expect(await world.get('never')).toBeUndefined();
  await waitFor(() => world.logLines().some((line) => line.includes('never closed')));
  expect(keptAside(world)).toContain('half of a new file');
});

test('a change of cached bytes that was never closed leaves what the remote has', async () => {
  const world = new ContentsWorld();
  const entry = await world.put('f', 'on the remote');
  const contents = await world.open();
  expect(String(await readAll(contents, 'f', entry))).toBe('on the remote');
  const file = await contents.open('f', entry, UPDATE, op);
  await file.write(0, Buffer.from('XX'), op);
  world.crash();
  const next = await world.open();
  expect(next.pending('f')).toBeUndefined();
  expect(String(await readAll(next, 'f', entry))).toBe('on the remote');
});

test('an upload that arrived just before the crash is complete in the cache, too', async () => {
  const world = new ContentsWorld();
  const entry = await world.put('f', 'on the remote');
  const { write } = world.remote;
  world.remote = {
    ...world.remote,
    write: async (...args) => {
      const written = await write(...args);
      world.crash();
      return written;
    },
  };
  const contents = await world.open({ cacheMode: 'writes' });
  const file = await contents.open('f', entry, UPDATE, op);
  await file.write(0, Buffer.from('ON'), op);
  await closeFile(file);
  await contents.drain(op);
  const next = await world.open();
  expect(String(await readAll(next, 'f', await world.entry('f')))).toBe('ON the remote');
  await next.drain(op);
  expect(next.pending('f')).toBeUndefined();
  expect(String(await world.get('f'))).toBe('ON the remote');
});

test('a change of a part of what others replaced is put aside; what they wrote stays', async () => {
  const world = new ContentsWorld();
  const entry = await world.put('f', 'on the remote');
  const contents = await world.open({ cacheMode: 'writes' });
  const file = await contents.open('f', entry, UPDATE, op);
  await file.write(0, Buffer.from('MY'), op);
  await closeFile(file);
  const other = await world.put('f', 'of others', 2n);
  await contents.drain(op);
  expect(contents.pending('f')).toBeUndefined();
  expect(String(await readAll(contents, 'f', other))).toBe('of others');
  expect(String(await world.get('f'))).toBe('of others');
  expect(keptAside(world)).toContainEqual(expect.stringMatching(/^MY/));
  expect(world.logLines().join('\n')).toContain('error: f: Not uploaded, as only a part of it');
});

test('what was read is found in the cache again, but not for another version', async () => {
  const world = new ContentsWorld();
  const entry = await world.put('f', 'on the remote');
  await readAll(await world.open(), 'f', entry);
  world.crash();
  let reads = 0;
  const { read } = world.remote;
  world.remote = {
    ...world.remote,
    read: (...args) => {
      reads++;
      return read(...args);
    },
  };
  const next = await world.open();
  expect(String(await readAll(next, 'f', entry))).toBe('on the remote');
  expect(reads).toBe(0);
  const other = await world.put('f', 'something new', 2n);
  expect(String(await readAll(next, 'f', other))).toBe('something new');
  expect(reads).toBe(1);
});

test('after a power cut what was cached before is of use again', async () => {
  const world = new ContentsWorld();
  const entry = await world.put('f', 'on the remote');
  const contents = await world.open();
  await readAll(contents, 'f', entry);
  await contents.close();
  world.boot = 'boot 2';
  const next = await world.open();
  expect(next.state()).toMatchObject({ cachedBytes: 13, cachedFiles: 1 });
  expect(String(await readAll(next, 'f', entry))).toBe('on the remote');
});

test('after a power cut only what is safe is uploaded; the rest is kept for its user', async () => {
  const world = new ContentsWorld();
  const contents = await world.open();
  const file = await contents.open('safe', undefined, CREATE, op);
  await file.write(0, Buffer.from('on the disk'), op);
  await file.sync(op);
  await closeFile(file);
  world.crash();
  world.boot = 'boot 2';
  const next = await world.open();
  await next.drain(op);
  expect(String(await world.get('safe'))).toBe('on the disk');
});

test('after a power cut what may be torn is set aside', async () => {
  const world = new ContentsWorld();
  await writeFile(await world.open(), 'torn', LONG);
  world.crash();
  unmark(world);
  world.boot = 'boot 2';
  const next = await world.open();
  await next.drain(op);
  expect(await world.get('torn')).toBeUndefined();
  await waitFor(() => world.logLines().some((line) => line.includes('may be incomplete')));
  expect(keptAside(world)).toEqual([LONG]);
});

test('files of the cache that are broken or foreign do no harm', async () => {
  const world = new ContentsWorld();
  const entry = await world.put('f', 'on the remote');
  const contents = await world.open();
  await readAll(contents, 'f', entry);
  await writeFile(contents, 'lost', LONG);
  await writeFile(contents, 'fine', 'stays');
  world.crash();
  const folder = folderOf(world);
  for (const id of readdirSync(join(folder, 'data'))) {
    const path = join(folder, 'data', id);
    const { size } = statSync(path);
    if (size !== 5) truncateSync(path, 1);
  }
  writeFileSync(join(folder, 'data', 'mine.txt'), 'not of the cache');
  writeFileSync(join(folder, 'data', '0123456789abcdef01234567'), 'an orphan');
  symlinkSync('/etc/passwd', join(folder, 'data', 'aaaaaaaaaaaaaaaaaaaaaaaa'));
  writeFileSync(join(folder, 'journal'), 'rubbish\n{"put":1}\n', { flag: 'a' });
  const next = await world.open();
  expect(String(await readAll(next, 'f', entry))).toBe('on the remote');
  await next.drain(op);
  expect(String(await world.get('fine'))).toBe('stays');
  expect(await world.get('lost')).toBeUndefined();
  expect(world.logLines().some((line) => line.startsWith('error: lost: Cannot be'))).toBe(true);
  const isGone = () => !readdirSync(join(folder, 'data')).includes('0123456789abcdef01234567');
  await waitFor(isGone);
  expect(readdirSync(join(folder, 'data'))).toContain('mine.txt');
  await next.close();
  rmSync(join(folder, 'journal'));
  await (await world.open()).close();
});

test.each([
  ['with a changed byte', (text: string) => text.replaceAll('unnamed', 'unnamee')],
  ['that was emptied', () => ''],
])('files that a journal %s does not name are set aside', async (_, damaged) => {
  const world = new ContentsWorld();
  await writeFile(await world.open(), 'unnamed', LONG);
  world.crash();
  const journal = join(folderOf(world), 'journal');
  writeFileSync(journal, damaged(readFileSync(journal, 'utf8')));
  const next = await world.open();
  await next.drain(op);
  await waitFor(() => world.logLines().some((line) => line.includes('damaged and does not name')));
  expect(keptAside(world)).toEqual([LONG]);
});

test.each(['ours', LONG])(
  'an upload that a damaged journal no longer calls done is not made again',
  async (content) => {
    const world = new ContentsWorld();
    const entry = await world.put('f', 'first');
    const first = await world.open();
    await writeFile(first, 'f', content, entry);
    await writeFile(first, 'other', 'waits');
    await first.drain(op);
    world.crash();
    await world.put('f', 'theirs', 9n);
    const journal = join(folderOf(world), 'journal');
    const lines = readFileSync(journal, 'utf8').split('\n');
    const done = lines.findLastIndex((line) => line.includes('"path":"f","state":"clean"'));
    lines[done] = (lines[done] ?? '').replace('"state":"clean"', '"state":"clear"');
    writeFileSync(journal, lines.join('\n'));
    // A mount in between that uploads nothing writes the journal once more.
    await writeFile(await world.open(), 'new', '');
    world.crash();
    const next = await world.open();
    await next.drain(op);
    expect(String(await world.get('f'))).toBe('theirs');
    expect(keptAside(world)).toEqual([content]);
    expect(world.logLines().join()).toContain(
      'f: Not uploaded, as the journal of the cache is damaged where',
    );
  },
);

test('a newer version of others is replaced, but not in silence', async () => {
  const world = new ContentsWorld();
  const entry = await world.put('f', 'first');
  await writeFile(await world.open(), 'f', 'ours', entry);
  world.crash();
  await world.put('f', 'theirs', 9n);
  const next = await world.open();
  await next.drain(op);
  expect(String(await world.get('f'))).toBe('ours');
  expect(world.logLines().some((line) => line.includes('Changed on the remote'))).toBe(true);
});

test('two mounts do not share a cache', async () => {
  const world = new ContentsWorld();
  const first = await world.open();
  await expect(world.open()).rejects.toMatchObject({ code: 'locked' });
  await first.close();
  await (await world.open()).close();
});

/** The folder of the one remote in the cache. */
function folderOf({ cacheDir }: ContentsWorld): string {
  const vfs = join(cacheDir, 'vfs');
  return join(vfs, readdirSync(vfs)[0] ?? '');
}

function keptAside(world: ContentsWorld): string[] {
  const aside = join(folderOf(world), 'aside');
  return readdirSync(aside).map((name) => readFileSync(join(aside, name), 'utf8'));
}

/** As if the disk had not been reached in time. */
function unmark(world: ContentsWorld): void {
  const journal = join(folderOf(world), 'journal');
  const lines = readFileSync(journal, 'utf8').split('\n');
  writeFileSync(journal, lines.filter((line) => !line.includes('"safe"')).join('\n'));
}

test('what is closed after another program has deleted the cache survives, and the cache stays locked', async () => {
  const world = new ContentsWorld();
  const contents = await world.open();
  await writeFile(contents, 'before', 'x'.repeat(50_000));
  rmSync(world.cacheDir, { recursive: true });
  await writeFile(contents, 'small', 'small');
  await writeFile(contents, 'large', 'y'.repeat(50_000));
  await expect(world.open()).rejects.toMatchObject({ code: 'locked' });
  world.crash();
  const next = await world.open();
  await next.drain(op);
  expect(String(await world.get('small'))).toBe('small');
  expect(String(await world.get('large'))).toBe('y'.repeat(50_000));
});
