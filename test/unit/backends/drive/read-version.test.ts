import { afterEach, beforeEach, expect, it } from 'vitest';
import { collectBody } from '../../../../src/core/body.ts';
import type { FileEntry, ReadRange, Remote } from '../../../../src/core/remote.ts';
import { startTestGraph, type TestGraph } from '../../../servers/graph/start-graph.ts';
import { openDrive } from '../../../support/open-drive.ts';
import { OP } from '../../../support/open-s3.ts';

// Ranges of one file are of one version; the download URL of an item leads to whatever it holds now.

const OLD = 'old content';
const NEW = 'new content';

let graph: TestGraph;
let remote: Remote;
let file: FileEntry;

beforeEach(async () => {
  graph = await startTestGraph({ drives: [{ type: 'business' }] });
  ({ remote } = await openDrive(graph));
  graph.drive.put('f', OLD);
  file = await fileNow();
  graph.log.clear();
});
afterEach(async () => {
  await remote.close();
  await graph.stop();
});

async function fileNow(): Promise<FileEntry> {
  const entry = await remote.stat('f', OP);
  if (entry?.kind !== 'file') throw new Error('no file');
  return entry;
}

async function read(range?: ReadRange, from = file): Promise<string> {
  return String(await collectBody(await remote.read(from, range, OP), OP.signal));
}

const HEAD = { offset: 0, length: 3 };
const REST = { offset: 3 };

it('takes one request for each range', async () => {
  expect((await read(HEAD)) + (await read(REST))).toBe(OLD);
  expect((await read()) + (await read({ ...REST, continues: true }))).toBe(OLD + OLD.slice(3));
  expect(graph.log.counts()).toEqual({ download: 4 });
});

it.each<[string, ReadRange | undefined, boolean]>([
  ['a range', HEAD, false],
  ['the begin of the whole file', undefined, false],
  ['a range without an ETag', HEAD, true],
])('refuses to continue %s with another version', async (_name, first, untagged) => {
  graph.settings.untaggedDownloads = untagged;
  expect(await read(first)).toBe(first === undefined ? OLD : 'old');
  graph.drive.put('f', NEW);
  await expect(read(REST)).rejects.toMatchObject({ code: 'source-changed' });
  const next = await fileNow();
  expect((await read(HEAD, next)) + (await read(REST, next))).toBe(NEW);
  await expect(read(HEAD)).rejects.toMatchObject({ code: 'source-changed' });
});

it('refuses to continue what another run has read with another version', async () => {
  graph.drive.put('f', NEW);
  await expect(read({ ...REST, continues: true })).rejects.toMatchObject({
    code: 'source-changed',
  });
});

it('asks once whether what another run has read continues', async () => {
  expect(await read({ ...HEAD, continues: true })).toBe('old');
  expect(await read({ ...REST, continues: true })).toBe(OLD.slice(3));
  expect(graph.log.counts()).toEqual({ download: 2, getItem: 1 });
});

it('continues where only the time was changed', async () => {
  graph.settings.untaggedDownloads = true;
  await read(HEAD);
  graph.drive.inside.setTimes(graph.drive.item('f'), { modified: 1_000_000_000_000 });
  expect(await read(REST)).toBe(OLD.slice(3));
  expect(graph.log.counts()).toEqual({ download: 2, getItem: 1 });
});
