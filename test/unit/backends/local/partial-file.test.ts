import fs from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { PartialSweeper } from '../../../../src/backends/local/partial-file.ts';
import { nameFromBytes, nameToBytes } from '../../../../src/core/name-bytes.ts';
import { deleteOne } from '../../../../src/core/remote-calls.ts';
import { leafName } from '../../../../src/core/remote-path.ts';
import { isPartialName, markOf, partialPath } from '../../../../src/names/partial-name.ts';
import { ownMark } from '../../../../src/system/owner-state.ts';
import { markOfDeadProcess } from '../../core/dead-process.ts';
import { fileAt, names, newFolder, OP, openLocal, textSource } from './local-world.ts';

const DEAD = markOfDeadProcess();
/** Of a process of which nothing can be known. */
const ELSEWHERE = '00000000-1-1';
let left = 0;

/** Makes a temporary file as a crash would leave it. */
function leavePartial(dir: string, name: string, mark = DEAD): string {
  const path = partialPath(join(dir, name), mark, String(left++));
  fs.writeFileSync(path, 'half a fi');
  return path;
}

const there = (paths: readonly string[]) => paths.map((path) => fs.existsSync(path));

describe('temporary names', () => {
  it('fit wherever the final name does, and are known as what they are', () => {
    const anyName = fc
      .uint8Array({ minLength: 1, maxLength: 255 })
      .map((bytes) => nameFromBytes(bytes.filter((byte) => byte !== 0 && byte !== 0x2f)));
    fc.assert(
      fc.property(fc.oneof(anyName, fc.string({ unit: 'binary', maxLength: 60 })), (name) => {
        const native = nameFromBytes(nameToBytes(name.replaceAll(/[/\0]/g, '')));
        const leaf = leafName(partialPath(`/some/dir/${native}`, ownMark(), 'ffffffffzzzz'));
        expect(nameToBytes(leaf).length).toBeLessThanOrEqual(255);
        expect(nameFromBytes(nameToBytes(leaf))).toBe(leaf);
        expect(isPartialName(leaf)).toBe(true);
        expect(markOf(leaf)).toBe(ownMark());
      }),
    );
  });

  it('are not those of other hidden files', () => {
    for (const name of [
      '.x',
      'x.syncer-partial-0-1-2-3',
      '.syncer',
      '.x.syncer-partial-',
      '.x.syncer-partial-1-2-3',
    ]) {
      expect(isPartialName(name)).toBe(false);
    }
  });
});

it('a file whose directory is renamed while it is written leaves nothing in it', async () => {
  const { remote, dir } = openLocal();
  await remote.makeDir('a/deep', OP);
  const body = Readable.from(
    (async function* () {
      yield Buffer.from('half a ');
      await remote.can.moveDirFrom?.(remote, 'a', 'b', OP);
      await remote.can.moveDirFrom?.(remote, 'b', 'c', OP);
      yield Buffer.from('file');
    })(),
  );
  const source = { path: 'a/deep/z', size: undefined, seekable: false, open: async () => body };
  await expect(remote.write(source, OP)).rejects.toMatchObject({ code: 'file-not-found' });
  expect(fs.readdirSync(dir, { recursive: true })).toEqual(['c', 'c/deep']);
});

describe('what a crash left', () => {
  it('is looked for once in each directory, also if files of many are written in turn', () => {
    const found: string[] = [];
    const sweeper = new PartialSweeper({ emit: (event) => void found.push(JSON.stringify(event)) });
    const dirs = Array.from({ length: 200 }, () => newFolder());
    for (const dir of dirs) sweeper.writing(dir);
    const late = leavePartial(dirs[0] ?? '', 'late');
    for (const dir of dirs) sweeper.writing(dir);
    expect(there([late])).toEqual([true]);
    expect(found).toEqual([]);
  });

  it('is looked for in a directory that is written to, although another one was listed', async () => {
    const { remote, dir } = openLocal();
    await remote.makeDir('a', OP);
    const left = leavePartial(join(dir, 'a'), 'one');
    await remote.listPage('', undefined, OP);
    await remote.write(textSource('a/two', 'x'), OP);
    expect(there([left])).toEqual([false]);
  });

  it('is not looked for in directories below one that did not exist', () => {
    const sweeper = new PartialSweeper({ emit: () => {} });
    const dir = newFolder();
    const read = vi.spyOn(fs, 'readdirSync');
    onTestFinished(() => read.mockRestore());
    for (const below of ['new/a', 'new/a/b', 'new/c', 'new', 'newer'])
      sweeper.writing(join(dir, below));
    expect(read.mock.calls.map(([path]) => path)).toEqual([join(dir, 'new/a'), join(dir, 'newer')]);
    const left = leavePartial(dir, 'file');
    sweeper.writing(dir);
    expect(there([left])).toEqual([false]);
  });

  it('is never listed', async () => {
    const { remote, dir } = openLocal();
    fs.writeFileSync(join(dir, 'file'), 'x');
    leavePartial(dir, 'file');
    expect(await names(remote)).toEqual(['file']);
  });

  it('is removed by cleanUp at any depth once its process is dead, and nothing else is', async () => {
    const { remote, dir } = openLocal();
    fs.mkdirSync(join(dir, 'a/b'), { recursive: true });
    fs.writeFileSync(join(dir, 'a/.hidden'), 'x');
    const stale = [leavePartial(dir, 'one'), leavePartial(join(dir, 'a/b'), 'two')];
    const own = leavePartial(dir, 'three', ownMark());
    await remote.can.cleanUp?.(0, OP);
    expect(there([...stale, own, join(dir, 'a/.hidden')])).toEqual([false, false, true, true]);
  });

  it('is removed once it is old where nothing is known of its process', async () => {
    const { remote, dir } = openLocal();
    const unknown = leavePartial(dir, 'one', ELSEWHERE);
    const minuteAgo = Date.now() / 1000 - 60;
    fs.utimesSync(unknown, minuteAgo, minuteAgo);
    await remote.can.cleanUp?.(3_600_000, OP);
    expect(there([unknown])).toEqual([true]);
    // Within the millisecond of its last change: the disk keeps finer times than the clock has.
    vi.spyOn(Date, 'now').mockReturnValue(Math.trunc(fs.statSync(unknown).ctimeMs));
    await remote.can.cleanUp?.(0, OP);
    expect(there([unknown])).toEqual([false]);
  });

  it('keeps its directory while it may still be written, and not longer', async () => {
    const { remote, dir } = openLocal();
    fs.mkdirSync(join(dir, 'empty'));
    const own = leavePartial(join(dir, 'empty'), 'file', ownMark());
    leavePartial(join(dir, 'empty'), Buffer.from('b\xfc', 'latin1').toString('latin1'));
    await expect(remote.deleteDir('empty', OP)).rejects.toMatchObject({ code: 'not-empty' });
    fs.unlinkSync(own);
    await remote.deleteDir('empty', OP);
    expect(there([join(dir, 'empty')])).toEqual([false]);
  });
});

describe('a run that changes something', () => {
  it('removes what dead ones left in the directories it lists, before and after', async () => {
    const { remote, dir } = openLocal();
    fs.mkdirSync(join(dir, 'before'));
    fs.mkdirSync(join(dir, 'after'));
    const marks = [DEAD, ownMark(), ELSEWHERE];
    const before = marks.map((mark) => leavePartial(join(dir, 'before'), 'file', mark));
    const after = marks.map((mark) => leavePartial(join(dir, 'after'), 'file', mark));
    await names(remote, 'before');
    expect(there(before)).toEqual([true, true, true]);
    await remote.write(textSource('new', 'x'), OP);
    expect(there(before)).toEqual([false, true, true]);
    await names(remote, 'after');
    expect(there(after)).toEqual([false, true, true]);
  });

  it('looks through the directories it writes to where it lists none', async () => {
    const { remote, dir, events } = openLocal();
    const [near, far] = [leavePartial(dir, 'file'), leavePartial(newFolder(), 'file')];
    await remote.write(textSource('file', 'x'), OP);
    expect(there([near, far])).toEqual([false, true]);
    expect(events).toEqual([expect.objectContaining({ type: 'log', level: 'info', path: near })]);
  });

  it('does so also when it removes or moves', async () => {
    for (const change of ['remove', 'move'] as const) {
      const { remote, dir } = openLocal();
      fs.writeFileSync(join(dir, 'file'), 'x');
      const stale = leavePartial(dir, 'file');
      await names(remote);
      const file = await fileAt(remote, 'file');
      if (change === 'remove') await deleteOne(remote, file, OP);
      else await remote.can.moveFrom?.(remote, file, 'moved', OP);
      expect(there([stale])).toEqual([false]);
    }
  });
});

describe('a run that only reads', () => {
  it('removes nothing', async () => {
    const { remote, dir } = openLocal();
    fs.writeFileSync(join(dir, 'file'), 'x');
    const stale = leavePartial(dir, 'file');
    expect(await names(remote)).toEqual(['file']);
    await remote.read(await fileAt(remote, 'file'), undefined, OP);
    expect(there([stale])).toEqual([true]);
  });
});
