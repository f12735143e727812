import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { treeListed } from '../../../../src/engine/tree-listed.ts';
import { expectError } from '../../../contract/contract-world.ts';
import { IDS_BY_TURNS } from '../../../servers/graph/odd-ids.ts';
import { startTestGraph, type TestGraph } from '../../../servers/graph/start-graph.ts';
import { openDrive } from '../../../support/open-drive.ts';
import { OP } from '../../../support/open-s3.ts';

let graph: TestGraph;

beforeEach(async () => {
  graph = await startTestGraph({
    drives: [{ type: 'business' }, { type: 'business' }],
    pageSize: 4,
    maxPageSize: 4,
    emptyPages: true,
    deltaDuplicates: true,
  });
  for (const path of ['a/one', 'a/b/two', 'three', 'c: d?/four']) {
    graph.drive.put(path.replace(':', '：').replace('?', '？'), path);
  }
  graph.drive.mkdir('empty');
  graph.drive.addPackage('a/Notes');
});
afterEach(() => graph.stop());

async function treeOf(root = ''): Promise<string[]> {
  const { remote } = await openDrive(graph, root);
  const listed = treeListed(remote);
  const found: string[] = [];
  const waiting = [''];
  for (let dir = waiting.pop(); dir !== undefined; dir = waiting.pop()) {
    let cursor: string | undefined;
    do {
      const page = await listed.listPage(dir, cursor, OP);
      for (const { kind, path } of page.entries) {
        found.push(kind === 'dir' ? `${path}/` : path);
        if (kind === 'dir') waiting.push(path);
      }
      cursor = page.cursor;
    } while (cursor !== undefined);
  }
  await remote.close();
  return found.sort();
}

const TREE = ['a/', 'a/b/', 'a/b/two', 'a/one', 'c: d?/', 'c: d?/four', 'empty/', 'three'];

describe('a listing of a whole drive', () => {
  it('needs no request for each directory', async () => {
    expect(await treeOf()).toEqual(TREE);
    expect(graph.log.count('listChildren')).toBe(0);
  });

  it('finds the directories of items whose ids come in two forms', async () => {
    await graph.stop();
    graph = await startTestGraph({ oddIds: IDS_BY_TURNS, deltaDuplicates: true, maxPageSize: 4 });
    for (const path of ['a/one', 'a/b/two', 'a/b/three', 'a/c/four']) graph.drive.put(path, path);
    expect(await treeOf()).toEqual([
      'a/',
      'a/b/',
      'a/b/three',
      'a/b/two',
      'a/c/',
      'a/c/four',
      'a/one',
    ]);
    expect(graph.log.count('listChildren')).toBe(0);
  });

  it('lists what is behind a shortcut by itself', async () => {
    graph.drives[1]?.put('shared/file', 'x');
    const [, other] = graph.drives;
    if (other !== undefined) graph.drive.addShortcut('short', other, 'shared');
    expect(await treeOf()).toEqual([...TREE, 'short/', 'short/file'].sort());
  });

  it('begins anew where the service has forgotten where it was', async () => {
    graph.setFaults(({ operation }, n) => {
      if (operation === 'delta' && n === 2) graph.forgetDeltaTokens();
      return undefined;
    });
    expect(await treeOf()).toEqual(TREE);
    expect(graph.log.count('listChildren')).toBe(0);
  });

  it.each([400, 403, 404, 405, 410, 501])(
    'lists one directory after the other where the service answers %d to all or to a later page',
    async (status) => {
      for (const from of [0, 2]) {
        graph.setFaults(({ operation }, n) =>
          operation === 'delta' && n >= from ? { status, code: 'refused' } : undefined,
        );
        expect(await treeOf()).toEqual(TREE);
      }
    },
  );

  it('fails where the drive cannot be listed at all', async () => {
    graph.setFaults(({ operation }) =>
      operation === 'delta' || operation === 'listChildren' ? { status: 403 } : undefined,
    );
    await expectError(treeOf(), 'access-denied');
  });

  it('lists one directory after the other below a folder', async () => {
    expect(await treeOf('a')).toEqual(['b/', 'b/two', 'one']);
    expect(graph.log.count('delta')).toBe(0);
  });
});
