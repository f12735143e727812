import { describe, expect, it } from 'vitest';
import { AgreedFiles, type Archive } from '../../../../../commands/bisync/two-way/agreed-files.ts';
import type { ConflictRule } from '../../../../../commands/bisync/two-way/decide-two-way.ts';
import { attemptTwoWay } from '../../../../../commands/bisync/two-way/sync-two-way.ts';
import { SyncerError } from '../../../../../src/core/errors.ts';
import { joinModTime } from '../../../../../src/core/mod-time.ts';
import type { Remote } from '../../../../../src/core/remote.ts';
import { deleteOne } from '../../../../../src/core/remote-calls.ts';
import { ALL } from '../../../../../src/engine/consent.ts';
import { Budget } from '../../../../../src/engine/loss/budget.ts';
import { passAllFilter } from '../../../../../src/filter/filter.ts';
import {
  contentsOf,
  plainOptions,
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

async function run(a: Remote, b: Remote, archive = NOTHING, rule: ConflictRule = 'newer') {
  const { context, logLines } = quietContext();
  const attempt = await attemptTwoWay(
    { context, filter: passAllFilter, consent: ALL, budget: new Budget() },
    {
      ...{ a, b, archive },
      options: { a: plainOptions, b: plainOptions },
      rules: { a: rules, b: rules },
      conflict: {
        ...{ rule, loser: 'date' },
        naming: { suffix: { a: 'conflict', b: 'conflict' }, keepExtension: false },
      },
      surprises: { force: false },
      removesEmptyDirs: false,
    },
  );
  return { ...attempt, archive: attempt.archive ?? archive, log: logLines() };
}

const remove = (remote: Remote, path: string) =>
  deleteOne(remote, { kind: 'file', path, size: 1 }, op);

async function put(remote: Remote, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    const body = Buffer.from(text);
    const rest = { size: body.length, seekable: true, open: async () => body };
    await remote.write({ path, modTime: joinModTime(1000, 0), ...rest }, op);
  }
}

describe('a two-way sync', () => {
  it('copies a file that was deleted, on one side or on both, and is back as it was', async () => {
    const files = { d: '1', e: '2', f: '3', 'g/g': '4', 'g/h': '5' };
    const [a, b] = [await remoteWith(files), await remoteWith({})];
    const whole = await run(a, b);
    await remove(a, 'f');
    await remove(a, 'g/g');
    await remove(b, 'g/g');
    const deleted = await run(a, b, whole.archive);
    expect(deleted.archive.files.size).toBe(3);
    await put(b, { f: '3' });
    await put(a, { 'g/g': '4' });
    await run(a, b, deleted.archive);
    const both = [await contentsOf(a), await contentsOf(b)];
    for (const contents of both) expect(Object.keys(contents)).toEqual(Object.keys(files));
  });

  it('says so if it copies back what an earlier run has deleted', async () => {
    const kept = { p: '1', q: '2', r: '3', s: '4' };
    const [a, b] = [await remoteWith({ f: 'x', g: 'x', h: 'x', ...kept }), await remoteWith({})];
    const whole = await run(a, b);
    for (const path of ['f', 'g', 'h']) await remove(b, path);
    const deleted = await run(a, b, whole.archive);
    expect([...(deleted.archive.deleted?.keys() ?? [])].sort()).toEqual(['f', 'g', 'h']);
    const between = await run(a, b, deleted.archive);
    await put(b, { f: 'x', g: 'other' });
    const back = await run(a, b, between.archive);
    expect([deleted.returned, between.returned, back.returned]).toEqual([0, 0, 1]);
    expect(back.log.filter((line) => line.includes('earlier run'))).toEqual([
      expect.stringMatching(/f.*Copied to path1 again/),
    ]);
    expect([...(back.archive.deleted?.keys() ?? [])]).toEqual(['h']);
    expect(Object.keys(await contentsOf(a)).sort()).toEqual(['f', 'g', ...Object.keys(kept)]);
    expect((await run(a, b, back.archive)).returned).toBe(0);
  });

  it.each([
    ['the copy of the winner', 'newer', 'f'],
    ['the copy of the loser to another name', 'newer', 'f.conflict'],
    ['the rename', 'none', 'f.conflict'],
  ] as const)(
    'does not say who keeps the name in a conflict if %s fails, by the rule %s',
    async (_, rule, what) => {
      const [a, b] = [await remoteWith({ f: 'one' }), await remoteWith({ f: 'second' })];
      const error = new SyncerError('access-denied', 'no access');
      const failing = (remote: Remote): Remote => {
        const isMeant = (path: string) => (what === 'f' ? path === 'f' : path.startsWith(what));
        const { moveFrom: _, copyFrom: __, ...can } = remote.can;
        return remoteBut(remote, {
          can,
          write: (file, op) =>
            isMeant(file.path) ? Promise.reject(error) : remote.write(file, op),
        });
      };
      const { conflicts, log, errors } = await run(failing(a), failing(b), NOTHING, rule);
      expect([conflicts, errors > 0]).toEqual([0, true]);
      expect(log.filter((line) => line.includes('Changed on both sides'))).toEqual([]);
      expect([(await contentsOf(a))['f'], (await contentsOf(b))['f']]).toEqual([
        'one@1000',
        'second@1000',
      ]);
    },
  );

  it('deletes nothing that a directory may still have which cannot be listed', async () => {
    const [a, b] = [
      await remoteWith({ 'd/f': 'x', 'd/g': 'x', e: 'x', h: 'x' }),
      await remoteWith({}),
    ];
    const { archive } = await run(a, b);
    await remove(a, 'e');
    const broken = remoteBut(a, {
      listPage: async (dir, cursor, op) => {
        if (dir === 'd') throw new SyncerError('access-denied', 'no access');
        return a.listPage(dir, cursor, op);
      },
    });
    const attempt = await run(broken, b, archive);
    expect(attempt.errors).toBe(1);
    expect(await contentsOf(b)).toEqual({ 'd/f': 'x@1000', 'd/g': 'x@1000', h: 'x@1000' });
    // And what was agreed about them is still known.
    await remove(a, 'd/f');
    await run(a, b, attempt.archive);
    expect(await contentsOf(b)).toEqual({ 'd/g': 'x@1000', h: 'x@1000' });
  });

  it('ends with the error of a root that cannot be listed', async () => {
    const [a, b] = [await remoteWith({ f: 'x', g: 'x' }), await remoteWith({})];
    const { archive } = await run(a, b);
    const error = new SyncerError('access-denied', 'no access');
    const broken = remoteBut(b, { listPage: () => Promise.reject(error) });
    for (const [one, other] of [
      [a, broken],
      [broken, a],
    ] as const) {
      const attempt = await run(one, other, archive);
      expect(attempt.error).toMatchObject({ code: 'access-denied' });
      expect(await contentsOf(a)).toEqual({ f: 'x@1000', g: 'x@1000' });
    }
  });

  it('deletes nothing that an entry may still be which cannot be examined', async () => {
    const [a, b] = [await remoteWith({ f: 'x', g: 'x' }), await remoteWith({})];
    const { archive } = await run(a, b);
    const broken = remoteBut(a, {
      listPage: async (dir, cursor, op) => {
        const page = await a.listPage(dir, cursor, op);
        const error = new SyncerError('access-denied', 'no access');
        return { ...page, entries: page.entries.slice(1), failed: [{ path: 'f', error }] };
      },
    });
    expect((await run(broken, b, archive)).errors).toBe(1);
    expect(await contentsOf(b)).toEqual({ f: 'x@1000', g: 'x@1000' });
  });

  it('leaves a file for the next run that changes while it looks', async () => {
    const [a, b] = [await remoteWith({ f: 'x' }), await remoteWith({})];
    const { archive } = await run(a, b);
    await a.write(fileOf('f', 'from a', 2000), op);
    let isEdited = false;
    const edited = remoteBut(b, {
      listPage: async (dir, cursor, op) => {
        const page = await b.listPage(dir, cursor, op);
        if (!isEdited) await b.write(fileOf('f', 'from b', 3000), op);
        isEdited = true;
        return page;
      },
    });
    const attempt = await run(a, edited, archive);
    expect(attempt.log).toContain('notice: f: Changed since it was listed: left for the next run');
    expect(await contentsOf(b)).toEqual({ f: 'from b@3000' });
    await run(a, b, attempt.archive);
    const both = await contentsOf(a);
    expect(await contentsOf(b)).toEqual(both);
    expect(Object.values(both).sort()).toEqual(['from a@2000', 'from b@3000']);
  });

  it('deletes no file of the size of one that could not be copied', async () => {
    const [a, b] = [await remoteWith({ f: 'moved' }), await remoteWith({})];
    const { archive } = await run(a, b);
    await remove(a, 'f');
    await a.write(fileOf('g', 'moved', 2000), op);
    const full = remoteBut(b, {
      write: async () => {
        throw new SyncerError('quota-exceeded', 'no room');
      },
    });
    const attempt = await run(a, full, archive);
    expect(attempt.errors).toBeGreaterThan(0);
    expect(await contentsOf(b)).toEqual({ f: 'moved@1000' });
    await run(a, b, attempt.archive);
    expect(await contentsOf(b)).toEqual({ g: 'moved@2000' });
  });
});

function fileOf(path: string, text: string, second: number) {
  const body = Buffer.from(text);
  const modTime = BigInt(second) * 1_000_000_000n;
  return { path, size: body.length, modTime, seekable: true, open: async () => body };
}
