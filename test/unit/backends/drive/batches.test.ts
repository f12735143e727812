import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SyncerError } from '../../../../src/core/errors.ts';
import type { FileEntry, Remote } from '../../../../src/core/remote.ts';
import { deleteOne } from '../../../../src/core/remote-calls.ts';
import { failFirstGraph, type GraphFault } from '../../../servers/graph/graph-fault.ts';
import { startTestGraph, type TestGraph } from '../../../servers/graph/start-graph.ts';
import { openDrive } from '../../../support/open-drive.ts';
import { OP } from '../../../support/open-s3.ts';

let graph: TestGraph;
let remote: Remote;
let files: FileEntry[];

beforeEach(async () => {
  graph = await startTestGraph({ drives: [{ type: 'business' }] });
  for (let i = 0; i < 45; i++) graph.drive.put(`file${i}`, 'x');
  ({ remote } = await openDrive(graph));
  const { entries } = await remote.listPage('', undefined, OP);
  files = entries.filter((entry) => entry.kind === 'file');
  graph.log.clear();
});
afterEach(async () => {
  await remote.close();
  await graph.stop();
});

const removeAll = async () => remote.delete(files, OP);

describe('deleting many files', () => {
  it('takes one request for twenty', async () => {
    expect((await removeAll()).size).toBe(0);
    expect(graph.drive.files()).toEqual([]);
    expect(graph.log.count('batch')).toBe(3);
  });

  it.each<[string, GraphFault]>([
    ['is slowed down', { status: 429, retryAfter: 1 }],
    ['has a fault', { status: 500 }],
  ])('tries those again in which the service %s', async (_name, fault) => {
    graph.setFaults(failFirstGraph('deleteItem', 7, fault));
    expect((await removeAll()).size).toBe(0);
    expect(graph.drive.files()).toEqual([]);
  });

  it.each<[string, GraphFault]>([
    ['is not known', { status: 404 }],
    ['has a lost answer', { reset: 'after' }],
    ['has an answer that breaks off', { truncate: true, afterBytes: 20 }],
  ])('deletes one by one where a batch %s', async (_name, fault) => {
    graph.setFaults(failFirstGraph('batch', 9, fault));
    expect((await removeAll()).size).toBe(0);
    expect(graph.drive.files()).toEqual([]);
  });

  it('does not take what is said to be missing for deleted where it is there', async () => {
    graph.setLie({ lie: 'delete-missing', every: 1 });
    const failures = [...(await removeAll()).values()];
    expect(failures.map((error) => (error as SyncerError).code)).toEqual(
      failures.map(() => 'bad-answer'),
    );
    expect(failures).toHaveLength(graph.drive.files().length);
    const [file] = files;
    if (file === undefined) throw new Error('no file');
    await expect(deleteOne(remote, file, OP)).rejects.toMatchObject({ code: 'bad-answer' });
    expect(graph.drive.files()).toContain(file.path);
  });

  it('leaves what somebody wrote meanwhile or has open, and tells of it', async () => {
    graph.drive.put('file3', 'new');
    graph.drive.lock('file4');
    const failures = await removeAll();
    const told = [...(failures ?? [])].map(([{ path }, { message }]) => `${path}: ${message}`);
    expect(told.sort()).toEqual([
      expect.stringContaining('file3: cannot delete file3: it was changed'),
      expect.stringContaining('file4: cannot delete file4: it is locked'),
    ]);
    expect(graph.drive.files()).toEqual(['file3', 'file4']);
  });
});
