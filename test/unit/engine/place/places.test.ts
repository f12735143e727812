import { writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { memoryRemote } from '../../../../src/backends/memory/memory-remote.ts';
import { MemoryTree } from '../../../../src/backends/memory/memory-tree.ts';
import type { Clock } from '../../../../src/core/context.ts';
import { SyncerError } from '../../../../src/core/errors.ts';
import type { Place, PlaceKind } from '../../../../src/core/place.ts';
import type { Remote } from '../../../../src/core/remote.ts';
import { leafName, parentPath } from '../../../../src/core/remote-path.ts';
import { Places, showNotWithin, type TrialMaker } from '../../../../src/engine/place/places.ts';
import { passAllFilter } from '../../../../src/filter/filter.ts';
import { isPartialName, markOf } from '../../../../src/names/partial-name.ts';
import { ownerState } from '../../../../src/system/owner-state.ts';
import { contentsOf, remoteBut, remoteWith } from '../../../support/memory-world.ts';
import { openLocal } from '../../backends/local/local-world.ts';

const op = { signal: new AbortController().signal };

/** A clock on which waiting takes no time; `waited` is told of each wait. */
function clockOf(waited: () => void = () => {}): Clock {
  let now = 0;
  return {
    now: () => now,
    monotonic: () => now,
    sleep: async (ms) => {
      now += ms;
      waited();
    },
  };
}

/** A remote that says of itself what kind of place it is, and whose files it may show. */
function placed(remote: Remote, kind: PlaceKind, of: readonly PlaceKind[], lateMs = 0): Remote {
  const place = {
    kind,
    store: crypto.randomUUID(),
    lineage: async () => ({ ancestors: [] }),
    views: async () => ({ of, lateMs }),
  };
  return remoteBut(remote, { can: { ...remote.can, place } });
}

const at = (remote: Remote, path = 'dir/a') => ({ remote, file: { path } });
const runOf = (clock: Clock, log: TrialMaker['log'] = () => {}) => ({
  context: { clock },
  op,
  log,
});
const show = async (a: Remote, b: Remote, clock = clockOf()) =>
  new Places(runOf(clock)).showApart(at(a), at(b));

describe('whether a file stays when another one is deleted', () => {
  test('is known of stores that cannot show each other, without a request', async () => {
    const fails = async () => {
      throw new SyncerError('server', 'asked');
    };
    const one = remoteBut(await remoteWith({}), { write: fails, stat: fails });
    for (const [a, b] of [
      [placed(one, 'disk', []), placed(one, 's3', ['s3'])],
      [placed(one, 'drive', []), placed(one, 's3', ['s3', 'disk'])],
      [placed(one, 'memory', []), placed(one, 'disk', ['s3', 'disk'])],
    ] as const) {
      await expect(show(a, b)).resolves.toBeUndefined();
    }
  });

  test.each([
    ['disk', 's3'],
    ['s3', 'disk'],
    ['s3', 's3'],
  ] as const)('is tried where they can, and nothing is left of it: %s, %s', async (from, to) => {
    const tree = new MemoryTree();
    const place = () => memoryRemote({ tree });
    const [a, b] = [placed(place(), from, ['s3', 'disk']), placed(place(), to, ['s3'])];
    await expect(show(a, b)).rejects.toMatchObject({ code: 'fatal', exit: 7 });
    const other = placed(await remoteWith({}), to, ['s3']);
    await expect(show(a, other)).resolves.toBeUndefined();
    const left = [
      ...Object.keys(await contentsOf(place())),
      ...Object.keys(await contentsOf(other)),
    ];
    expect(left.filter((path) => path !== 'dir/')).toEqual([]);
  });

  test('is tried in one store where ids do not prove it, and not below one of its items', async () => {
    const tree = new MemoryTree();
    const place = (anchor: string) => {
      const remote = placed(memoryRemote({ tree }), 'drive', []);
      const { place: own } = remote.can;
      if (own === undefined) throw new Error('it has a place');
      const anchored = { ...own, store: 'one', anchor: async () => anchor };
      return remoteBut(remote, { can: { ...remote.can, place: anchored } });
    };
    await expect(show(place('a'), place('b'))).rejects.toMatchObject({ code: 'fatal', exit: 7 });
    await expect(show(place('a'), place('a'))).resolves.toBeUndefined();
  });

  test('is tried in a store that combines several, not in one part of it', async () => {
    const tree = new MemoryTree();
    const below = (root: string, real: (path: string) => string = (path) => path) => {
      const remote = placed(memoryRemote({ tree }), 'rclone', []);
      const part = (path: string) => `${root}/${path}`.split('/').find((name) => name) ?? '';
      const place = { ...remote.can.place, store: 'one', part } as Place;
      return remoteBut(remote, {
        can: { ...remote.can, place },
        write: (source, inner) => remote.write({ ...source, path: real(source.path) }, inner),
        stat: (path, inner) => remote.stat(real(path), inner),
      });
    };
    const refused = { code: 'fatal', exit: 7 };
    await expect(show(below('a'), below('b'))).rejects.toMatchObject(refused);
    await expect(show(below('a/c'), below('a/d'))).resolves.toBeUndefined();
    // The whole store, in which `y` is `x`.
    const whole = below('', (path) => path.replace(/^y\//, 'x/'));
    const within = (one: string, other: string) =>
      new Places(runOf(clockOf())).showApart(at(whole, one), at(whole, other));
    expect(within('x/f', 'x/g')).toBeUndefined();
    await expect(within('x/f', 'z/f')).resolves.toBeUndefined();
    await expect(within('x/f', 'y/f')).rejects.toMatchObject({
      ...refused,
      message: expect.stringMatching(/^"x" and "y" of ".*" show the same files/),
    });
    const left = Object.keys(await contentsOf(memoryRemote({ tree })));
    expect(left.filter((path) => !path.endsWith('/'))).toEqual([]);
  });

  test('is tried by a name that a disk leaves out of listings, and knows to be of this process', async () => {
    const written: string[] = [];
    const { remote: disk } = openLocal();
    const watched = remoteBut(disk, {
      write: (source, inner) => {
        written.push(source.path);
        return disk.write(source, inner);
      },
    });
    await expect(show(watched, placed(await remoteWith({}), 's3', ['disk']))).resolves.toBe(
      undefined,
    );
    expect(written.map((path) => [parentPath(path), isPartialName(leafName(path))])).toEqual([
      ['dir', true],
    ]);
    expect(ownerState(markOf(leafName(written[0] ?? '')))).toBe('alive');
  });

  test('is tried once for all files of a run', async () => {
    let writes = 0;
    const whole = await remoteWith({});
    const counted = remoteBut(whole, {
      write: (source, inner) => {
        writes++;
        return whole.write(source, inner);
      },
    });
    const [a, b] = [placed(await remoteWith({}), 's3', ['s3']), placed(counted, 's3', ['s3'])];
    const places = new Places(runOf(clockOf()));
    await Promise.all([places.showApart(at(a), at(b)), places.showApart(at(a, 'b'), at(b, 'b'))]);
    expect(places.showApart(at(a, 'c'), at(b, 'c'))).toBeUndefined();
    expect(writes).toBe(1);
  });

  test('is looked for as long as a mount takes to send it, which is written to', async () => {
    const [mount, store] = [await remoteWith({}), await remoteWith({})];
    let waits = 0;
    const clock = clockOf(() => {
      waits++;
    });
    const late = remoteBut(store, {
      stat: async (path, inner) => (waits < 11 ? undefined : mount.stat(path, inner)),
    });
    const [a, b] = [placed(mount, 'disk', ['s3'], 10_000), placed(late, 's3', ['s3'])];
    await expect(show(a, b, clock)).rejects.toThrow('same files under two names');
    waits = 0;
    await expect(show(b, a, clock)).rejects.toThrow('same files under two names');
  });

  test('is a reason to end the run where nobody can tell', async () => {
    const refuses = async () => {
      throw new SyncerError('read-only', 'nothing can be written');
    };
    const closed = async () => remoteBut(await remoteWith({}), { write: refuses });
    const [a, b] = [
      placed(await closed(), 'disk', ['s3']),
      placed(await closed(), 's3', ['s3', 'disk']),
    ];
    await expect(show(a, b)).rejects.toMatchObject({
      code: 'fatal',
      message: expect.stringContaining('nothing can be written'),
    });
    // One side is enough where what is written is seen at once.
    const open = placed(await remoteWith({}), 's3', ['s3', 'disk']);
    await expect(show(a, open)).resolves.toBeUndefined();
    await expect(show(open, a)).resolves.toBeUndefined();
  });

  test('is known although the file by which it was tried cannot be deleted, which is logged', async () => {
    const whole = await remoteWith({});
    const keeping = remoteBut(whole, {
      delete: async () => {
        throw new SyncerError('access-denied', 'no deletions');
      },
    });
    const logged: string[] = [];
    const run = runOf(clockOf(), (level, path, code) => logged.push(`${level} ${code} ${path}`));
    const [a, b] = [placed(await remoteWith({}), 's3', ['s3']), placed(keeping, 's3', ['s3'])];
    await new Places(run).showApart(at(a), at(b));
    expect(logged).toEqual([expect.stringMatching(/^notice partial-kept dir\/syncer-partial-/)]);
  });
});

describe('whether a root is inside the other', () => {
  /** A store at `root` of a tree, and a disk that shows the same tree at another path. */
  const sides = (tree: MemoryTree, roots: readonly [outer: string, inner: string]) => {
    const [outer, inner] = roots.map((root) => memoryRemote({ tree, root }));
    if (outer === undefined || inner === undefined) throw new Error('two roots are needed');
    const shown = { ...inner, root: `home/shown/${inner.root}` };
    return [placed(outer, 's3', ['disk']), placed(shown, 'disk', [])] as const;
  };
  const refused = async () => {
    throw new SyncerError('read-only', 'nothing can be written');
  };
  const within = (a: Remote, b: Remote, made: readonly Remote[] = [], filter = passAllFilter) =>
    showNotWithin(a, b, made, filter, runOf(clockOf()));

  test('is shown by a file in the inner one', async () => {
    const tree = new MemoryTree();
    const whole = memoryRemote({ tree });
    await whole.makeDir('photos/2024', op);
    const [outer, inner] = sides(tree, ['photos', 'photos/2024']);
    await expect(within(outer, inner)).rejects.toThrow('same files under two names');
    const elsewhere = sides(new MemoryTree(), ['photos', 'photos/2024'])[1];
    await expect(within(outer, elsewhere)).resolves.toBeUndefined();
  });

  test('is tried with each end of the path if the outer one has no name', async () => {
    const tree = new MemoryTree();
    await memoryRemote({ tree }).makeDir('photos/2024', op);
    const [outer, inner] = sides(tree, ['', 'photos/2024']);
    await expect(within(outer, inner)).rejects.toThrow('same files under two names');
    await expect(within(inner, outer)).rejects.toThrow('same files under two names');
  });

  test('is not tried where one of them is missing: nothing creates it', async () => {
    const tree = new MemoryTree();
    const whole = memoryRemote({ tree });
    await whole.makeDir('photos', op);
    const [outer, inner] = sides(tree, ['photos', 'photos/2024']);
    await within(outer, inner);
    await within(inner, outer);
    expect(await contentsOf(whole)).toEqual({ 'photos/': '' });
  });

  test('is known where a file is in the way to it', async () => {
    const { remote, dir } = openLocal();
    writeFileSync(join(dir, 'photos'), 'a file');
    const disk = placed(remote, 'disk', []);
    for (const root of ['photos', 'photos/2024', `${basename(dir)}/photos/2024`]) {
      const store = placed(memoryRemote({ tree: new MemoryTree(), root }), 's3', ['disk']);
      await within(disk, store, [store]);
      await within(store, disk, [disk]);
    }
  });

  test('does not matter if the filter excludes the inner one', async () => {
    const tree = new MemoryTree();
    await memoryRemote({ tree }).makeDir('photos/2024', op);
    const [outer, inner] = sides(tree, ['photos', 'photos/2024']);
    const without = {
      ...passAllFilter,
      passesAll: false,
      keepDir: (dir: string) => dir !== '2024',
    };
    await within(outer, inner, [], without);
    await expect(within(inner, outer, [], without)).rejects.toThrow('same files under two names');
  });

  test('is asked of no other stores, and not of buckets of others', async () => {
    const tree = new MemoryTree();
    await memoryRemote({ tree }).makeDir('photos/2024', op);
    const [outer, inner] = sides(tree, ['', 'photos/2024']);
    const asked: string[] = [];
    const listed = remoteBut(outer, {
      listPage: async (dir) => {
        asked.push(dir);
        throw new SyncerError('access-denied', 'another account has it');
      },
    });
    await within(listed, inner);
    expect(asked.splice(0)).toContain('photos/2024');
    await within(placed(listed, 's3', []), inner);
    expect(asked).toEqual([]);
  });

  test('leaves nothing of a destination that is missing, and is inside the source', async () => {
    const tree = new MemoryTree();
    const whole = memoryRemote({ tree });
    await whole.makeDir('photos', op);
    const [outer, inner] = sides(tree, ['photos', 'photos/2024']);
    await expect(within(outer, inner, [inner])).rejects.toThrow('same files under two names');
    expect(await contentsOf(whole)).toEqual({ 'photos/': '' });
  });

  test('is shown from the outer one where the inner one can only be read', async () => {
    const tree = new MemoryTree();
    const whole = memoryRemote({ tree });
    await whole.makeDir('photos/2024', op);
    const [outer, inner] = sides(tree, ['photos', 'photos/2024']);
    const closed = remoteBut(inner, { write: refused });
    await expect(within(outer, closed)).rejects.toThrow('same files under two names');
    const other = new MemoryTree();
    await memoryRemote({ tree: other }).makeDir('photos', op);
    const [apart] = sides(other, ['photos', 'photos/2024']);
    await within(apart, closed);
    const shut = remoteBut(outer, { write: refused });
    await expect(within(shut, closed)).rejects.toThrow("can't find out");
  });
});
