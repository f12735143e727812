import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { FileEntry } from '../../../../src/core/remote.ts';
import type { FileContents } from '../../../../src/vfs/contents/contents.ts';
import { startTestGraph } from '../../../servers/graph/start-graph.ts';
import { openDrive } from '../../../support/open-drive.ts';
import { ContentsWorld, closeFile, op, readAll, UPDATE } from './contents-world.ts';

// A file of a drive that others replace, with one of the same size, while a mount has a part of it.

const SIZE = 2_000_000;
const CHUNK = 64 * 1024;
const SMALL_READS = { readChunkSize: CHUNK, readChunkSizeLimit: CHUNK, bufferSize: 0 };

async function onDrive() {
  const graph = await startTestGraph({ drives: [{ type: 'business' }] });
  const world = new ContentsWorld();
  world.remote = (await openDrive(graph)).remote;
  onTestFinished(async () => {
    await world.remote.close();
    await graph.stop();
  });
  const put = async (letter: string): Promise<FileEntry> => {
    graph.drive.put('f', letter.repeat(SIZE));
    const entry = await world.remote.stat('f', op);
    if (entry?.kind !== 'file') throw new Error('no file');
    return entry;
  };
  return { graph, world, put };
}

async function change(contents: FileContents, entry: FileEntry) {
  const file = await contents.open('f', entry, UPDATE, op);
  expect(String(await file.read(0, 4, op))).toBe('AAAA');
  await file.write(1_000_000, Buffer.from('local'), op);
  return file;
}

function aside({ cacheDir }: ContentsWorld): string[] {
  const found = readdirSync(cacheDir, { recursive: true, encoding: 'utf8' });
  const files = found.filter((path) => /(?:^|\/)aside\/[^/]+$/.test(path));
  return files.map((path) => shortly(readFileSync(join(cacheDir, path))));
}

/** Long runs of one byte as that byte and a star. */
function shortly(content: Uint8Array | undefined): string {
  return Buffer.from(content ?? [])
    .toString('latin1')
    .replace(/(.)\1{9,}/gs, '$1*');
}

function expectAside(world: ContentsWorld, stored: Uint8Array | undefined): void {
  expect(shortly(stored)).toBe('B*');
  expect(aside(world)).toEqual(['A*\0*local']);
  const errors = world.logLines().filter((line) => line.startsWith('error: '));
  expect(errors).toEqual([
    expect.stringContaining('error: f: Not uploaded, as only a part of it was changed'),
  ]);
}

test('the change is put aside, and nothing is read of both', async () => {
  const { graph, world, put } = await onDrive();
  const contents = await world.open(SMALL_READS);
  const file = await change(contents, await put('A'));
  const other = await put('B');
  await expect(file.read(1_900_000, 4, op)).rejects.toMatchObject({ code: 'source-changed' });
  await closeFile(file);
  await contents.drain(op);
  expectAside(world, graph.drive.read('f'));
  expect(shortly(await readAll(contents, 'f', other))).toBe('B*');
});

test('the next mount puts it aside, too', async () => {
  const { graph, world, put } = await onDrive();
  await closeFile(await change(await world.open(SMALL_READS), await put('A')));
  world.crash();
  await world.remote.close();
  world.remote = (await openDrive(graph)).remote;
  await put('B');
  await (await world.open(SMALL_READS)).drain(op);
  expectAside(world, graph.drive.read('f'));
});

test('who writes last wins with a file that was read before', async () => {
  const { graph, world, put } = await onDrive();
  const contents = await world.open(SMALL_READS);
  const entry = await put('A');
  const file = await contents.open('f', entry, UPDATE, op);
  for (let at = 0; at < SIZE; at += CHUNK) await file.read(at, CHUNK, op);
  await file.write(1_000_000, Buffer.from('local'), op);
  await put('B');
  await closeFile(file);
  await contents.drain(op);
  expect(shortly(graph.drive.read('f'))).toBe('A*localA*');
});

test('reading an unchanged file in parts never asks for its item', async () => {
  const { graph, world, put } = await onDrive();
  const contents = await world.open(SMALL_READS);
  const entry = await put('A');
  graph.log.clear();
  for (const at of [0, 1_900_000, 900_000]) {
    const file = await contents.open('f', entry, UPDATE, op);
    expect(String(await file.read(at, 4, op))).toBe('AAAA');
    await closeFile(file);
  }
  expect(graph.log.count('getItem')).toBe(0);
});
