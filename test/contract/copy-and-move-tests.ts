import { expect } from 'vitest';
import { sameModTime } from '../../src/core/mod-time.ts';
import type { FileEntry, Remote } from '../../src/core/remote.ts';
import { deleteOne } from '../../src/core/remote-calls.ts';
import { type ContractTest, type Feature, promise } from './contract-test.ts';
import { expectError, noise, OP, SOME_TIME, type World } from './contract-world.ts';

type Transfer = 'copyFrom' | 'moveFrom';

async function transfer(world: World, how: Transfer, file: FileEntry, path: string) {
  return world.remote.can[how]?.(world.remote, file, world.at(path), OP);
}

/** A remote that no store knows. */
function stranger(remote: Remote): Remote {
  return { ...remote, name: 'stranger', can: {}, traits: { ...remote.traits } };
}

function testsOf(how: Transfer, verb: string): ContractTest[] {
  const needs: Feature[] = [how];
  const expectSource = async (world: World, name: string) => {
    const left = await world.remote.stat(world.at(name), OP);
    if (how === 'copyFrom') expect(left).toMatchObject({ kind: 'file' });
    else expect(left).toBeUndefined();
  };
  const odd = async (world: World, name: string) => {
    await world.put(`from ${name}`, name);
    await transfer(world, how, await world.file(`from ${name}`), `to ${name}/${name}`);
    expect(await world.text(`to ${name}/${name}`)).toBe(Buffer.from(name).toString());
    await expectSource(world, `from ${name}`);
  };
  return [
    promise(`${verb} a file with its time, into directories nobody made`, needs, async (world) => {
      for (const size of [0, 11, 3_000_000]) {
        const content = noise(size, 5);
        await world.put(`from/f${size}`, content);
        const file = await world.details(`from/f${size}`);
        const there = await transfer(world, how, file, `to/deep/f${size}`);
        expect(there).toMatchObject({ path: world.at(`to/deep/f${size}`), size });
        expect((await world.read(`to/deep/f${size}`)).equals(content)).toBe(true);
        await expectSource(world, `from/f${size}`);
        const precision = world.remote.traits.modTimePrecision;
        if (precision === undefined) continue;
        const { modTime = 0n } = await world.details(`to/deep/f${size}`);
        expect(sameModTime(modTime, SOME_TIME, precision)).toBe(true);
      }
    }),

    promise(`${verb} over an existing file`, needs, async (world) => {
      await world.put('source', 'new');
      await world.put('target', 'old and longer');
      await transfer(world, how, await world.file('source'), 'target');
      expect(await world.text('target')).toBe('new');
      await expectSource(world, 'source');
    }),

    promise(`${verb} odd names`, needs, async (world) => {
      for (const name of ['a b+c%20&?#', 'nl␊tab␉', 'é😀', '‛‛FF']) await odd(world, name);
    }),

    promise(`${verb} names that are not UTF-8`, [...needs, 'notUtf8'], (world) =>
      odd(world, '\udcff byte'),
    ),

    promise(
      `${verb} nothing from a file that is gone, and keeps the target`,
      needs,
      async (world) => {
        await world.put('source', 'new');
        await world.put('target', 'old');
        const file = await world.file('source');
        await deleteOne(world.remote, file, OP);
        await expectError(transfer(world, how, file, 'target'), 'file-not-found');
        expect(await world.text('target')).toBe('old');
      },
    ),

    promise(`${verb} nothing from a store it does not know`, needs, async (world) => {
      await world.put('source', 'content');
      const file = await world.file('source');
      const done = await world.remote.can[how]?.(
        stranger(world.remote),
        file,
        world.at('target'),
        OP,
      );
      if (done === undefined) {
        expect(await world.text('source')).toBe('content');
        expect(await world.remote.stat(world.at('target'), OP)).toBeUndefined();
      } else {
        expect(await world.text('target')).toBe('content');
      }
    }),
  ];
}

export const copyAndMoveTests: readonly ContractTest[] = [
  ...testsOf('copyFrom', 'copies'),
  ...testsOf('moveFrom', 'moves'),

  promise('moves a file onto itself without losing it', ['moveFrom'], async (world) => {
    await world.put('file', 'content');
    await transfer(world, 'moveFrom', await world.file('file'), 'file').catch(() => undefined);
    expect(await world.text('file')).toBe('content');
  }),

  promise(
    'keeps a file and a directory that cannot be moved, as a file is where a directory should be',
    ['moveFrom', 'moveDirFrom', 'oneKindPerName'],
    async (world) => {
      const { remote } = world;
      await world.put('in-the-way', 'x');
      await world.put('file', 'content');
      await world.put('dir/a', 'a');
      const file = await world.file('file');
      const to = world.at('in-the-way/name');
      await expect(remote.can.moveFrom?.(remote, file, to, OP)).rejects.toThrow();
      await expect(remote.can.moveDirFrom?.(remote, world.at('dir'), to, OP)).rejects.toThrow();
      expect([await world.text('file'), await world.text('dir/a')]).toEqual(['content', 'a']);
      expect(await world.text('in-the-way')).toBe('x');
    },
  ),

  promise('moves a whole directory', ['moveDirFrom'], async (world) => {
    const { remote } = world;
    await world.put('from/a', 'a');
    await world.put('from/b/c', 'c');
    const moved = await remote.can.moveDirFrom?.(remote, world.at('from'), world.at('x/to'), OP);
    expect(moved).toBe(true);
    expect(await world.text('x/to/b/c')).toBe('c');
    expect((await world.names('x/to')).sort()).toEqual(['a', 'b/']);
    expect(await remote.stat(world.at('from'), OP)).toBeUndefined();
  }),

  promise('does not move a directory over an existing one', ['moveDirFrom'], async (world) => {
    const { remote } = world;
    await world.put('from/a', 'a');
    await world.put('to/b', 'b');
    await expectError(
      remote.can.moveDirFrom?.(remote, world.at('from'), world.at('to'), OP) ?? Promise.resolve(),
      'already-exists',
    );
    expect(await world.text('from/a')).toBe('a');
    expect(await world.text('to/b')).toBe('b');
  }),

  promise('does not move a directory that is missing', ['moveDirFrom'], async (world) => {
    const { remote } = world;
    await world.put('other', 'x');
    await expectError(
      remote.can.moveDirFrom?.(remote, world.at('from'), world.at('to'), OP) ?? Promise.resolve(),
      'directory-not-found',
    );
    expect(await world.names()).toEqual(['other']);
  }),
];
