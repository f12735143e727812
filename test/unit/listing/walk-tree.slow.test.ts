import { describe, expect, test } from 'vitest';
import type { MemoryOptions } from '../../../src/backends/memory/memory-remote.ts';
import { SyncerError } from '../../../src/core/errors.ts';
import type { Remote } from '../../../src/core/remote.ts';
import { buildFilter, type FilterOptions } from '../../../src/filter/build-filter.ts';
import type { Walk } from '../../../src/listing/kept-entries.ts';
import { walkTree } from '../../../src/listing/walk-tree.ts';
import { type Files, remoteBut, remoteWith } from '../../support/memory-world.ts';

const FILES: Files = {
  'a.txt': '1',
  'a-b': '22',
  'a/in.txt': '333',
  'a/deep/x.jpg': '4',
  'b/MARK': '',
  'b/y.jpg': '5',
  z: ['new', 5000],
};
const STORES = {
  'a sorted disk': { onDisk: true },
  'an unsorted disk': { sorted: false },
  'an object store': { emptyDirs: false, slowModTime: true },
  'an object store with small pages': { emptyDirs: false, slowModTime: true, pageSize: 1 },
  'a disk without flat listings': { without: ['listTreePage'] },
} as const satisfies Record<string, MemoryOptions & { onDisk?: boolean }>;

interface Walked {
  /** Files as they are, directories with a slash. */
  readonly paths: readonly string[];
  readonly errors: readonly string[];
  readonly listed: number;
}

async function walk(
  remote: Remote,
  want: Walk['want'],
  options: FilterOptions & { depth?: number; list?: string } & Pick<
      Walk,
      'byDirectory' | 'fastList' | 'sizesOnly'
    > = {},
): Promise<Walked> {
  const { depth, byDirectory, fastList, sizesOnly, list, ...flags } = options;
  const paths: string[] = [];
  const errors: string[] = [];
  let listed = 0;
  const batches = walkTree({
    remote,
    filter: await buildFilter(flags, async () => list ?? '', 10_000_000),
    op: { signal: new AbortController().signal },
    want,
    atOnce: 3,
    emit: (event) => {
      if (event.type === 'listed') listed += event.entries;
    },
    onError: (thrown, dir) => errors.push(`${dir}: ${(thrown as Error).message}`),
    ...(depth === undefined ? {} : { maxDepth: depth }),
    ...(byDirectory === undefined ? {} : { byDirectory }),
    ...(fastList === undefined ? {} : { fastList }),
    ...(sizesOnly === undefined ? {} : { sizesOnly }),
  });
  for await (const batch of batches) {
    paths.push(...batch.map(({ kind, path }) => (kind === 'dir' ? `${path}/` : path)));
  }
  return { paths, errors, listed };
}

describe.each(Object.entries(STORES))('on %s', (_, options) => {
  const make = (files: Files = FILES) => remoteWith(files, options as MemoryOptions);
  /** Pages that are small beside thousands of files: the remote sorts all of them for each page. */
  const makeLarge = (files: Files) =>
    remoteWith(files, {
      ...(options as MemoryOptions),
      ...('pageSize' in options ? { pageSize: 100 } : {}),
    });
  const sorted = async (...args: Parameters<typeof walk>) =>
    [...(await walk(...args)).paths].sort();

  test('all files, each once', async () => {
    const { paths, listed } = await walk(await make(), 'files');
    expect([...paths].sort()).toEqual(Object.keys(FILES).sort());
    expect(listed).toBe(7);
  });

  test('one directory by name, a directory before what begins like it', async () => {
    const { paths } = await walk(await make(), 'all', { depth: 1 });
    expect(paths).toEqual(['a/', 'a-b', 'a.txt', 'b/', 'z']);
    expect((await walk(await make(), 'dirs', { depth: 1 })).paths).toEqual(['a/', 'b/']);
  });

  test('directory by directory, parents first, always in the same order', async () => {
    const { paths } = await walk(await make(), 'all', { byDirectory: true });
    expect(paths).toEqual(
      'a/ a-b a.txt b/ z a/deep/ a/in.txt a/deep/x.jpg b/MARK b/y.jpg'.split(' '),
    );
  });

  test.each([true, false])(
    'thousands of names that begin alike; their directory exists: %s',
    async (exists) => {
      const alike = Array.from({ length: 5100 }, (_, i) => `img-${String(i).padStart(4, '0')}`);
      const files = Object.fromEntries(
        [...alike, ...(exists ? ['img/x'] : [])].map((p) => [p, '']),
      );
      const { paths, errors } = await walk(await makeLarge(files), 'all', { depth: 1 });
      expect(errors).toEqual([]);
      expect(paths).toEqual([...(exists ? ['img/'] : []), ...alike]);
    },
  );

  test('levels', async () => {
    expect(await sorted(await make(), 'files', { 'max-depth': 1 })).toEqual(['a-b', 'a.txt', 'z']);
    expect(await sorted(await make(), 'files', { 'max-depth': 2 })).not.toContain('a/deep/x.jpg');
    expect(await sorted(await make(), 'dirs', { 'max-depth': 2 })).toEqual(['a/', 'a/deep/', 'b/']);
  });

  test('filters for files and directories', async () => {
    expect(await sorted(await make(), 'files', { include: ['*.jpg'] })).toEqual([
      'a/deep/x.jpg',
      'b/y.jpg',
    ]);
    expect(await sorted(await make(), 'all', { include: ['/a/**'] })).toEqual([
      'a/',
      'a/deep/',
      'a/deep/x.jpg',
      'a/in.txt',
    ]);
    expect(await sorted(await make(), 'files', { exclude: ['deep/'] })).not.toContain(
      'a/deep/x.jpg',
    );
  });

  test('ages, read if listings have no times', async () => {
    expect(await sorted(await make(), 'files', { 'max-age': '6000s' })).toEqual(['z']);
    expect(await sorted(await make(), 'files', { 'min-age': '6000s' })).toHaveLength(6);
  });

  test('directories with a marker file are excluded, as is such a root', async () => {
    const flags = { 'exclude-if-present': ['MARK'] };
    const { paths } = await walk(await make(), 'all', flags);
    expect([...paths].filter((path) => path.startsWith('b'))).toEqual([]);
    expect(paths).toContain('a/deep/x.jpg');
    expect((await walk(await make({ MARK: '', x: '' }), 'all', flags)).paths).toEqual([]);
  });

  test('existing directories above named files are listed, even if the files are missing', async () => {
    const named = { 'files-from': ['-'], list: 'b/missing\nnowhere/missing\n' };
    expect((await walk(await make(), 'all', named)).paths).toEqual(['b/']);
  });

  test('named files, with the directories above them if asked for', async () => {
    const named = { 'files-from': ['-'], list: 'z\nmissing\na/deep//x\na/deep/x.jpg\na.txt\n' };
    expect((await walk(await make(), 'files', named)).paths).toEqual([
      'a.txt',
      'a/deep/x.jpg',
      'z',
    ]);
    expect((await walk(await make(), 'all', named)).paths).toEqual([
      'a.txt',
      'a/',
      'a/deep/',
      'a/deep/x.jpg',
      'z',
    ]);
    expect((await walk(await make(), 'all', { ...named, depth: 1 })).paths).toEqual([
      'a.txt',
      'a/',
      'z',
    ]);
  });
});

test('a flat listing has directories last, and needs few pages', async () => {
  const remote = await remoteWith(FILES, { emptyDirs: false });
  let pages = 0;
  const { listTreePage } = remote.can;
  const counted = remoteBut(remote, {
    can: {
      ...remote.can,
      listTreePage: async (...args) => {
        pages++;
        return (await listTreePage?.(...args)) ?? { entries: [] };
      },
    },
    listPage: () => Promise.reject(new Error('no directory is listed')),
  });
  const { paths } = await walk(counted, 'all');
  expect(paths).toEqual(
    'a-b a.txt a/deep/x.jpg a/in.txt b/MARK b/y.jpg z a/ a/deep/ b/'.split(' '),
  );
  expect(pages).toBe(1);
});

test('rules that exclude directories list one by one, unless --fast-list is given', async () => {
  const remote = await remoteWith(FILES, { emptyDirs: false });
  const listed: string[] = [];
  const watched = remoteBut(remote, {
    listPage: (dir, ...args) => {
      listed.push(dir);
      return remote.listPage(dir, ...args);
    },
  });
  const rules = { exclude: ['/a/deep/**'] };
  const kept = ['a-b', 'a.txt', 'a/', 'a/in.txt', 'b/', 'b/MARK', 'b/y.jpg', 'z'];
  expect((await walk(watched, 'all', rules)).paths.toSorted()).toEqual(kept);
  expect(listed).toEqual(['', 'a', 'b']);
  const { paths } = await walk(watched, 'all', { ...rules, fastList: true });
  expect(paths.toSorted()).toEqual(kept);
  expect(listed).toHaveLength(3);
});

test.each([
  ['nothing', {}, true],
  ['sizes', { 'min-size': 2 }, true],
  ['ages', { 'max-age': '1h' }, undefined],
  ['metadata', { 'metadata-include': ['a=b'] }, undefined],
] satisfies [string, FilterOptions, boolean | undefined][])(
  'only sizes are wanted, and the filter is by %s',
  async (_, flags, expected) => {
    const remote = await remoteWith(FILES, { emptyDirs: false });
    const { listTreePage } = remote.can;
    const asked: (boolean | undefined)[] = [];
    const watched = remoteBut(remote, {
      can: {
        ...remote.can,
        listTreePage: async (dir, cursor, op, range) => {
          asked.push(op.sizesOnly);
          return (await listTreePage?.(dir, cursor, op, range)) ?? { entries: [] };
        },
      },
    });
    await walk(watched, 'files', { ...flags, sizesOnly: true });
    await walk(watched, 'files', flags);
    expect(asked).toEqual([expected, undefined]);
  },
);

test('a directory that cannot be listed is an error, and the others are listed', async () => {
  const remote = await remoteWith(FILES, { without: ['listTreePage'] });
  const broken = remoteBut(remote, {
    listPage: async (dir, cursor, op) => {
      if (dir === 'a') throw new SyncerError('unreadable', 'permission denied');
      return remote.listPage(dir, cursor, op);
    },
  });
  const { paths, errors } = await walk(broken, 'files');
  expect(paths).toEqual(['a-b', 'a.txt', 'z', 'b/MARK', 'b/y.jpg']);
  expect(errors).toEqual(['a: permission denied']);
});

test('a root that cannot be listed is an error', async () => {
  const remote = await remoteWith({}, { root: 'nowhere', without: ['listTreePage'] });
  await expect(walk(remote, 'files')).rejects.toMatchObject({ code: 'directory-not-found' });
});

test('first pages of directories to come are fetched ahead, a bounded number of them', async () => {
  const names = Array.from({ length: 200 }, (_, i) => `d${i}/f`);
  const remote = await remoteWith(Object.fromEntries(names.map((name) => [name, ''])));
  let running = 0;
  let most = 0;
  const slow = remoteBut(remote, {
    traits: { ...remote.traits, onDisk: false },
    can: {},
    listPage: async (dir, cursor, op) => {
      most = Math.max(most, ++running);
      await new Promise((resolve) => setImmediate(resolve));
      running--;
      return remote.listPage(dir, cursor, op);
    },
  });
  const { paths } = await walk(slow, 'files');
  expect(paths).toEqual([...names].sort());
  expect(most).toBe(3);
});

test('a key with an empty segment lies in the directory before it', async () => {
  const remote = await remoteWith({}, { emptyDirs: false });
  const entries = ['a//b', 'a/c//d/e'].map((path) => ({ kind: 'file', path, size: 1 }) as const);
  const odd = { ...remote, can: { ...remote.can, listTreePage: async () => ({ entries }) } };
  expect((await walk(odd, 'all')).paths).toEqual(['a//b', 'a/c//d/e', 'a/', 'a/c/', 'a/c//d/']);
});

test('a file deleted before its time is read is skipped; another failure is an error, and the walk continues', async () => {
  for (const without of [[], ['listTreePage']] as const) {
    const remote = await remoteWith(FILES, { emptyDirs: false, slowModTime: true, without });
    const { details } = remote.can;
    const broken = remoteBut(remote, {
      can: {
        ...remote.can,
        details: {
          async read(file, op) {
            if (file.path === 'a-b') throw new SyncerError('file-not-found', 'not found');
            if (file.path === 'a.txt') throw new SyncerError('access-denied', 'no access');
            return (await details?.read(file, op)) ?? file;
          },
        },
      },
    });
    const { paths, errors } = await walk(broken, 'files', { 'min-age': '6000s' });
    expect([...paths].sort()).toEqual(['a/deep/x.jpg', 'a/in.txt', 'b/MARK', 'b/y.jpg']);
    expect(errors).toEqual(['a.txt: no access']);
  }
});
