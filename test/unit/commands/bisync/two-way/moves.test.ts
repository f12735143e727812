import { describe, expect, it } from 'vitest';
import { AgreedFiles, type Archive } from '../../../../../commands/bisync/two-way/agreed-files.ts';
import { attemptTwoWay } from '../../../../../commands/bisync/two-way/sync-two-way.ts';
import type { MemoryOptions } from '../../../../../src/backends/memory/memory-remote.ts';
import { SyncerError } from '../../../../../src/core/errors.ts';
import { joinModTime } from '../../../../../src/core/mod-time.ts';
import type { Remote } from '../../../../../src/core/remote.ts';
import { deleteOne } from '../../../../../src/core/remote-calls.ts';
import { type Action, shownAction } from '../../../../../src/engine/action.ts';
import { ALL, type Consent } from '../../../../../src/engine/consent.ts';
import { Budget } from '../../../../../src/engine/loss/budget.ts';
import { passAllFilter } from '../../../../../src/filter/filter.ts';
import {
  contentsOf,
  type Files,
  optionsOf,
  quietContext,
  remoteBut,
  remoteWith,
} from '../../../../support/memory-world.ts';

const op = { signal: new AbortController().signal };
const NOTHING: Archive = {
  roots: ['a', 'b'],
  endedMs: 0,
  files: new AgreedFiles(),
  dirs: new Set(),
};
const rules = { size: true, modTime: true };
const DISK: MemoryOptions = { ids: true, slowHash: true };

interface Extra {
  readonly tracks?: boolean;
  readonly consent?: Consent;
}

async function run(a: Remote, b: Remote, archive = NOTHING, { tracks, consent = ALL }: Extra = {}) {
  const { context, logLines } = quietContext();
  const trackRenames = tracks === true && { hash: true, modTime: false, leaf: false };
  const options = optionsOf({ trackRenames });
  const attempt = await attemptTwoWay(
    { context, filter: passAllFilter, budget: new Budget(), consent },
    {
      ...{ a, b, archive },
      options: { a: options, b: options },
      rules: { a: rules, b: rules },
      conflict: {
        ...{ rule: 'newer', loser: 'num' },
        naming: { suffix: { a: 'conflict', b: 'conflict' }, keepExtension: false },
      },
      surprises: { force: false },
      removesEmptyDirs: false,
    },
  );
  return { ...attempt, archive: attempt.archive ?? archive, log: logLines() };
}

/** A remote that counts what is written to it, and what is renamed. */
function counting(remote: Remote) {
  const seen = { writes: [] as string[], renames: [] as string[] };
  const { moveFrom, moveDirFrom } = remote.can;
  const counted = remoteBut(remote, {
    write: async (source, op) => {
      seen.writes.push(source.path);
      return remote.write(source, op);
    },
    can: {
      ...remote.can,
      moveFrom: async (from, file, path, op) => {
        seen.renames.push(`${file.path} ${path}`);
        return moveFrom?.(from, file, path, op);
      },
      moveDirFrom: async (from, dir, path, op) => {
        seen.renames.push(`${dir}/ ${path}/`);
        return (await moveDirFrom?.(from, dir, path, op)) === true;
      },
    },
  });
  return { counted, seen };
}

async function world(files: Files, kinds: readonly [MemoryOptions, MemoryOptions] = [DISK, DISK]) {
  const [a, b] = [await remoteWith(files, kinds[0]), await remoteWith({}, kinds[1])];
  const { archive } = await run(a, b);
  const [onA, onB] = [counting(a), counting(b)];
  return { a, b, archive, onA, onB, both: [onA.counted, onB.counted] as const };
}

const file = (path: string) => ({ kind: 'file', path, size: 1 }) as const;
const rename = (remote: Remote, from: string, to: string) =>
  remote.can.moveFrom?.(remote, file(from), to, op);
async function edit(remote: Remote, path: string, text: string, second = 2000) {
  const body = Buffer.from(text);
  const rest = { size: body.length, seekable: true, open: async () => body };
  await remote.write({ path, modTime: joinModTime(second, 0), ...rest }, op);
}

describe('a file that one side has renamed', () => {
  it('is renamed on the other side, and nothing is copied', async () => {
    const { a, b, both, archive, onB } = await world({ 'd/f': 'x', keep: 'k' });
    await rename(a, 'd/f', 'e/g');
    const { archive: next, log } = await run(...both, archive);
    expect(onB.seen).toEqual({ writes: [], renames: ['d/f e/g'] });
    expect(log).toContain('info: e/g: renamed from "d/f" on path1: rename on path2');
    expect(await contentsOf(b)).toEqual({ 'd/': '', 'e/g': 'x@1000', keep: 'k@1000' });
    // Nothing is left to do, and a later deletion is one.
    expect((await run(a, b, next)).log.filter((line) => !line.startsWith('debug'))).toEqual([]);
    await deleteOne(b, file('e/g'), op);
    await run(a, b, next);
    expect(await contentsOf(a)).toEqual({ 'd/': '', 'e/': '', keep: 'k@1000' });
  });

  it('gets the edit of the other side under its new name', async () => {
    const { a, b, both, archive, onA, onB } = await world({ f: ['old', 1000.5], keep: 'k' });
    await rename(a, 'f', 'g');
    await edit(b, 'f', 'edited');
    await run(...both, archive);
    expect(onB.seen).toEqual({ writes: [], renames: ['f g'] });
    expect(onA.seen.writes).toEqual(['g']);
    const expected = { g: 'edited@2000', keep: 'k@1000' };
    expect([await contentsOf(a), await contentsOf(b)]).toEqual([expected, expected]);
  });

  it('keeps that edit for the next run if it cannot be copied back', async () => {
    const { a, b, archive } = await world({ f: ['old', 1000.5], keep: 'k' });
    await rename(a, 'f', 'g');
    await edit(b, 'f', 'edited');
    const full = remoteBut(a, {
      write: async () => {
        throw new SyncerError('no-space', 'full');
      },
    });
    const failed = await run(full, b, archive);
    expect(failed.errors).toBe(1);
    await run(a, b, failed.archive);
    const expected = { g: 'edited@2000', keep: 'k@1000' };
    expect([await contentsOf(a), await contentsOf(b)]).toEqual([expected, expected]);
  });

  it('is not taken for another file that has its identifier, size and whole second', async () => {
    const { a, b, archive } = await world({ f: 'one', keep: 'k' });
    await rename(a, 'f', 'g');
    const reused = remoteBut(a, {
      read: async () => Buffer.from('two'),
      can: { ...a.can, hash: async (_file, name) => (name === 'md5' ? 'another' : undefined) },
    });
    await run(reused, b, archive);
    expect(await contentsOf(b)).toEqual({ g: 'two@1000', keep: 'k@1000' });
  });

  it('is kept if the other side has deleted it', async () => {
    const { a, b, both, archive } = await world({ f: 'x', keep: 'k' });
    await rename(a, 'f', 'g');
    await deleteOne(b, file('f'), op);
    await run(...both, archive);
    expect(await contentsOf(b)).toEqual({ g: 'x@1000', keep: 'k@1000' });
  });

  it('keeps both names if the other side has given it another one', async () => {
    const { a, b, both, archive } = await world({ f: 'x', keep: 'k' });
    await rename(a, 'f', 'g');
    await rename(b, 'f', 'h');
    await run(...both, archive);
    const expected = { g: 'x@1000', h: 'x@1000', keep: 'k@1000' };
    expect([await contentsOf(a), await contentsOf(b)]).toEqual([expected, expected]);
  });

  it('is one file if the other side has given it the same name', async () => {
    const { a, b, both, archive, onA, onB } = await world({ f: 'x', keep: 'k' });
    await rename(a, 'f', 'g');
    await rename(b, 'f', 'g');
    await run(...both, archive);
    expect([...onA.seen.writes, ...onB.seen.writes]).toEqual([]);
    expect(await contentsOf(b)).toEqual({ g: 'x@1000', keep: 'k@1000' });
  });

  it('does not replace a file that the other side has there', async () => {
    const { a, b, both, archive } = await world({ f: 'x', keep: 'k' });
    await rename(a, 'f', 'g');
    await edit(b, 'g', 'mine');
    await run(...both, archive);
    const expected = { g: 'mine@2000', 'g.conflict1': 'x@1000', keep: 'k@1000' };
    expect([await contentsOf(a), await contentsOf(b)]).toEqual([expected, expected]);
  });

  it('is copied and deleted if it was edited, too, or if renaming fails', async () => {
    const { a, b, archive } = await world({ f: 'x', h: 'y', keep: 'k' });
    await rename(a, 'f', 'g');
    await edit(a, 'g', 'new');
    await rename(a, 'h', 'i');
    const broken = remoteBut(b, {
      can: {
        ...b.can,
        moveFrom: async () => {
          throw new SyncerError('server', 'planted');
        },
      },
    });
    await run(a, broken, archive);
    expect(await contentsOf(b)).toEqual({ g: 'new@2000', i: 'y@1000', keep: 'k@1000' });
  });

  it('is left for the next run if the other side changes while it looks', async () => {
    const { a, b, archive } = await world({ f: 'x', keep: 'k' });
    await rename(a, 'f', 'g');
    let isEdited = false;
    const edited = remoteBut(b, {
      listPage: async (dir, cursor, op) => {
        const page = await b.listPage(dir, cursor, op);
        if (!isEdited) await edit(b, 'g', 'mine');
        isEdited = true;
        return page;
      },
    });
    const attempt = await run(a, edited, archive);
    expect(attempt.log).toContain('notice: g: Changed since it was listed: left for the next run');
    expect(await contentsOf(b)).toEqual({ f: 'x@1000', g: 'mine@2000', keep: 'k@1000' });
    await run(a, b, attempt.archive);
    const expected = { g: 'mine@2000', 'g.conflict1': 'x@1000', keep: 'k@1000' };
    expect(await contentsOf(b)).toEqual(expected);
  });

  it('without an identifier is found by size, time and hash', async () => {
    const kinds = [{ slowHash: true }, { slowHash: true }] as const;
    const { a, b, both, archive, onB } = await world({ f: 'x', h: 'y', keep: 'k' }, kinds);
    await rename(a, 'f', 'g');
    // Equal size and time, another content.
    await deleteOne(a, file('h'), op);
    await edit(a, 'i', 'z', 1000);
    await run(...both, archive);
    expect(onB.seen).toEqual({ writes: ['i'], renames: ['f g'] });
    expect(await contentsOf(b)).toEqual({ g: 'x@1000', i: 'z@1000', keep: 'k@1000' });
  });

  it('with another time is found with --track-renames only', async () => {
    const kinds = [{ slowHash: true }, { slowHash: true }] as const;
    for (const tracks of [false, true]) {
      const { a, b, both, archive, onB } = await world({ f: 'x', keep: 'k' }, kinds);
      await deleteOne(a, file('f'), op);
      await edit(a, 'g', 'x');
      await run(...both, archive, { tracks });
      expect(onB.seen.writes).toEqual(tracks ? [] : ['g']);
      expect(await contentsOf(b)).toEqual({ g: 'x@2000', keep: 'k@1000' });
    }
  });
});

describe('a directory that one side has renamed', () => {
  const tree = { 'd/f': '1', 'd/s/g': '22', keep: 'k' };

  it('is renamed as a whole', async () => {
    const { a, b, both, archive, onB } = await world(tree);
    await a.can.moveDirFrom?.(a, 'd', 'e', op);
    await edit(a, 'e/new', 'n');
    const { archive: next } = await run(...both, archive);
    expect(onB.seen).toEqual({ writes: ['e/new'], renames: ['d/ e/'] });
    const expected = { 'e/f': '1@1000', 'e/s/g': '22@1000', 'e/new': 'n@2000', keep: 'k@1000' };
    expect(await contentsOf(b)).toEqual(expected);
    expect((await run(a, b, next)).log.filter((line) => !line.startsWith('debug'))).toEqual([]);
  });

  it('is no surprise, although most files have other paths', async () => {
    const files = Object.fromEntries(Array.from({ length: 12 }, (_, n) => [`d/f${n}`, `${n}`]));
    const { a, b, both, archive } = await world(files);
    await a.can.moveDirFrom?.(a, 'd', 'e', op);
    expect((await run(...both, archive)).error).toBeUndefined();
    expect(await contentsOf(b)).toEqual(await contentsOf(a));
  });

  it('is renamed file by file if the other side has put something into it', async () => {
    const { a, b, both, archive, onB } = await world(tree);
    await a.can.moveDirFrom?.(a, 'd', 'e', op);
    await edit(b, 'd/mine', 'm');
    await run(...both, archive);
    expect(onB.seen.writes).toEqual([]);
    expect(onB.seen.renames.sort()).toEqual(['d/f e/f', 'd/s/g e/s/g']);
    const expected = { 'e/f': '1@1000', 'e/s/g': '22@1000', 'd/mine': 'm@2000', keep: 'k@1000' };
    expect([await contentsOf(a), await contentsOf(b)]).toEqual([expected, expected]);
  });

  it('is planned file by file', async () => {
    const { a, b, archive } = await world(tree);
    await a.can.moveDirFrom?.(a, 'd', 'e', op);
    const before = await contentsOf(b);
    const asked: string[] = [];
    const onChange = (action: Action) => {
      const { words, about, to } = shownAction(action);
      asked.push(`${words} ${about} ${to}`);
    };
    await run(a, b, archive, { consent: { how: 'pretend', onChange } });
    expect(await contentsOf(b)).toEqual(before);
    expect(asked.slice(0, 2).sort()).toEqual(['move d/f e/f', 'move d/s/g e/s/g']);
  });
});
