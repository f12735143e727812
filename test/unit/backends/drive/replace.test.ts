import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SyncerEvent } from '../../../../src/core/events.ts';
import type { FileEntry, Op, Remote } from '../../../../src/core/remote.ts';
import { messageOf } from '../../../../src/shell/log/words.ts';
import { expectError } from '../../../contract/contract-world.ts';
import type { GraphFault, GraphOperation } from '../../../servers/graph/graph-fault.ts';
import { startTestGraph, type TestGraph } from '../../../servers/graph/start-graph.ts';
import { openDrive } from '../../../support/open-drive.ts';
import { OP } from '../../../support/open-s3.ts';

const DAY_MS = 86_400_000;
/** The service does what it is asked, and its answer does not come. */
const LOST: GraphFault = { truncate: true, afterBytes: 10 };
const LEFT = 'target.syncer-0123456789ab.tmp';

let graph: TestGraph;
let remote: Remote;
let events: SyncerEvent[];

beforeEach(async () => {
  graph = await startTestGraph({ drives: [{ type: 'business' }] });
  ({ remote, events } = await openDrive(graph));
  graph.drive.put('source', 'new');
});
afterEach(async () => {
  await remote.close();
  await graph.stop();
});

async function source(): Promise<FileEntry> {
  const entry = await remote.stat('source', OP);
  if (entry?.kind !== 'file') throw new Error('no source');
  return entry;
}

const told = (level: string) =>
  events.flatMap((event) =>
    event.type === 'log' && event.level === level ? [messageOf(event)] : [],
  );

/** Requests of one kind from the `from`th to the one before `to` fail. */
function failing(operation: GraphOperation, from: number, to: number, fault: GraphFault) {
  graph.setFaults((request, n) =>
    request.operation === operation && n >= from && n < to ? fault : undefined,
  );
}

type Verb = 'copyFrom' | 'moveFrom';

async function replace(verb: Verb, op: Op = OP): Promise<unknown> {
  return remote.can[verb]?.(remote, await source(), 'target', op);
}

/** What the drive has when the source was copied or moved onto the target. */
const treeAfter = (verb: Verb) =>
  verb === 'copyFrom' ? { source: 'new', target: 'new' } : { target: 'new' };

// The requests of a copy: time, name (taken), aside, name. Of a move: name (taken), aside, name.
describe.each([
  ['copyFrom', 2],
  ['moveFrom', 1],
] as const)('%s onto a file', (verb, aside) => {
  beforeEach(() => void graph.drive.put('target', 'old'));

  it.each<[string, GraphOperation, number]>([
    ['moved aside', 'patchItem', aside],
    ['replaced', 'patchItem', aside + 1],
    ['deleted', 'deleteItem', 0],
  ])(
    'comes to its end where the run is broken off while the old file is %s',
    async (_, at, nth) => {
      const run = new AbortController();
      graph.setFaults(({ operation }, n) => {
        if (operation !== at || n !== nth) return undefined;
        run.abort(new Error('broken off'));
        return { latencyMs: 20 };
      });
      await replace(verb, run).catch(() => {});
      expect(graph.drive.tree()).toEqual(treeAfter(verb));
    },
  );

  it('gives the old file its name back where the answer to moving it aside never comes', async () => {
    failing('patchItem', aside, aside + 5, LOST);
    await expectError(replace(verb), 'body-cut');
    expect(graph.drive.tree()).toEqual({ source: 'new', target: 'old' });
    expect(told('error')).toEqual([]);
  });

  it('asks for nothing more where the service refuses to move it aside', async () => {
    failing('patchItem', aside, aside + 1, { status: 423 });
    await expectError(replace(verb), 'access-denied');
    expect(graph.log.count('patchItem')).toBe(aside + 1);
    expect(graph.drive.tree()).toEqual({ source: 'new', target: 'old' });
  });

  it('is done where only the answer to the new name never came', async () => {
    failing('patchItem', aside + 1, aside + 6, LOST);
    await replace(verb);
    expect(graph.drive.tree()).toEqual(treeAfter(verb));
  });

  it('names the renamed-away old file; the retry cleans up', async () => {
    failing('patchItem', aside + 1, 99, { status: 500 });
    await expectError(replace(verb), 'server');
    const left = graph.drive.files().find((path) => path.startsWith('target.')) ?? '';
    expect(graph.drive.tree()).toEqual({ source: 'new', [left]: 'old' });
    expect(told('error')).toEqual([expect.stringMatching(/^target: .*left as target\.syncer-/)]);
    graph.setFaults(undefined);
    await replace(verb);
    expect(graph.drive.tree()).toEqual(treeAfter(verb));
  });
});

it('uses the copy that the service has made where it does not say so', async () => {
  graph.settings.copyPolls = 0;
  graph.drive.put('target', 'old');
  // The first copy fails, as the name is taken.
  failing('monitor', 1, 99, LOST);
  await replace('copyFrom');
  expect(graph.drive.tree()).toEqual(treeAfter('copyFrom'));
});

describe('cleaning up', () => {
  it('gives a file its name back that had made room for one that never came', async () => {
    graph.drive.put(`dir/${LEFT}`, 'old', new Date('2014-05-13'));
    await remote.can.cleanUp?.(DAY_MS, OP);
    expect(graph.drive.tree()).toEqual({ 'dir/': '', 'dir/target': 'old', source: 'new' });
    expect(graph.drive.item('dir/target').modified).toBe(Date.parse('2014-05-13'));
  });

  it('deletes a file that had made room for one that is there', async () => {
    graph.drive.put(LEFT, 'old');
    graph.drive.put('target', 'newer');
    await remote.can.cleanUp?.(DAY_MS, OP);
    expect(graph.drive.tree()).toEqual({ source: 'new', target: 'newer' });
  });

  it('keeps a file that is moved aside between two pages of the listing', async () => {
    Object.assign(graph.settings, { pageSize: 2, maxPageSize: 2 });
    const { inside } = graph.drive;
    const old = graph.drive.put('target', 'old');
    graph.drive.put('z', 'z');
    graph.setFaults(({ operation }, n) => {
      // The first page had it under its own name; the second has it again.
      if (operation === 'listChildren' && n === 1) {
        inside.move(old, inside.root, LEFT);
        graph.drive.put('a', 'a');
      }
      return undefined;
    });
    await remote.can.cleanUp?.(DAY_MS, OP);
    expect(graph.drive.read('target')?.toString()).toBe('old');
  });

  it('keeps a file whose name a directory has by now, or whose name nobody knows, and says so', async () => {
    graph.drive.put(LEFT, 'old');
    graph.drive.mkdir('target');
    graph.drive.put('syncer-0123456789ab.tmp', 'nameless');
    await remote.can.cleanUp?.(0, OP);
    expect(graph.drive.files()).toEqual(['source', 'syncer-0123456789ab.tmp', LEFT]);
    expect(told('notice')).toHaveLength(2);
  });

  it('deletes a copy that never got its name when it is old', async () => {
    graph.drive.put('syncer-0123456789ab.copy', 'new', new Date('2014-05-13'));
    await remote.can.cleanUp?.(DAY_MS, OP);
    expect(graph.drive.files()).toContain('syncer-0123456789ab.copy');
    await remote.can.cleanUp?.(0, OP);
    expect(graph.drive.files()).toEqual(['source']);
  });
});
