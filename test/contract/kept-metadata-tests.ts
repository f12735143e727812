import { expect } from 'vitest';
import { type ContractTest, promise } from './contract-test.ts';
import { OP, SOME_TIME, type World } from './contract-world.ts';

const METADATA = { colour: 'red', umlaut: 'größer ☃', empty: '', 'with-dash': '1' };

async function metadataOf(world: World, path: string) {
  return (await world.details(path)).metadata ?? {};
}

/** That metadata stay with a file. */
export const keptMetadataTests: readonly ContractTest[] = [
  promise(
    'keeps the metadata that a file is written with',
    ['details', 'ownMetadata'],
    async (world) => {
      for (const content of ['', 'content', 'x'.repeat(2_000_000)]) {
        await world.put('file', content, { metadata: METADATA });
        expect(await metadataOf(world, 'file')).toMatchObject(METADATA);
        expect(await world.text('file')).toBe(content);
        if (world.remote.traits.modTimePrecision !== 1n) continue;
        expect((await world.details('file')).modTime).toBe(SOME_TIME);
      }
    },
  ),

  promise(
    'gives a file no metadata of the one it replaces',
    ['details', 'ownMetadata'],
    async (world) => {
      await world.put('file', 'one', { metadata: METADATA });
      await world.put('file', 'two', { metadata: { shape: 'round' } });
      const second = await metadataOf(world, 'file');
      expect(second).toHaveProperty('shape', 'round');
      expect(second).not.toHaveProperty('colour');
      await world.put('file', 'three');
      expect(await metadataOf(world, 'file')).not.toHaveProperty('shape');
    },
  ),

  promise(
    'copies metadata where that is wanted',
    ['details', 'ownMetadata', 'copyFrom'],
    async (world) => {
      await world.put('from', 'content', { metadata: METADATA });
      await world.put('to', 'other content', { metadata: { shape: 'round' } });
      const { remote } = world;
      const file = await world.file('from');
      await remote.can.copyFrom?.(remote, file, world.at('to'), OP, { set: {} });
      const copied = await metadataOf(world, 'to');
      expect(copied).toMatchObject(METADATA);
      expect(copied).not.toHaveProperty('shape');
      expect(await world.text('to')).toBe('content');
    },
  ),

  promise('moves metadata with a file', ['details', 'ownMetadata', 'moveFrom'], async (world) => {
    await world.put('from', 'content', { metadata: METADATA });
    const { remote } = world;
    await remote.can.moveFrom?.(remote, await world.file('from'), world.at('to'), OP);
    expect(await metadataOf(world, 'to')).toMatchObject(METADATA);
  }),

  promise(
    'leaves metadata when it sets a time',
    ['details', 'ownMetadata', 'setModTime'],
    async (world) => {
      await world.put('file', 'content', { metadata: METADATA });
      await world.remote.can.setModTime?.(await world.file('file'), SOME_TIME + 1n, OP);
      expect(await metadataOf(world, 'file')).toMatchObject(METADATA);
    },
  ),
];
