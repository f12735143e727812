import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import type { Remote } from '../../../../src/core/remote.ts';
import type { GraphOperation } from '../../../servers/graph/graph-fault.ts';
import type { GraphLieCall } from '../../../servers/graph/lies/graph-lie.ts';
import { GRAPH_LIES } from '../../../servers/graph/lies/graph-lies.ts';
import { startTestGraph, type TestGraph } from '../../../servers/graph/start-graph.ts';
import { someOf } from '../../../support/in-part.ts';
import { fill, NEIGHBOURS, under } from '../../../support/lied-to-drive.ts';
import { openDrive } from '../../../support/open-drive.ts';
import { OP } from '../../../support/open-s3.ts';
import { CHANGES } from './lied-changes.ts';
import { TRANSFERS } from './lied-transfers.ts';

const OPERATIONS = { ...TRANSFERS, ...CHANGES };

/** The longest ones: a lie in the middle of them finds another state. */
const OFTEN = ['sync', 'move there', 'copy within', 'move within', 'list'];

const VISIBLE = Object.entries(GRAPH_LIES).filter(([, { isHidden }]) => isHidden !== true);

let graph: TestGraph;
beforeAll(async () => {
  graph = await startTestGraph({ drives: [{ type: 'business' }] });
});
afterAll(() => graph.stop());

function startAgain(): void {
  const { inside } = graph.drive;
  graph.setLie(undefined);
  graph.settings.maxPageSize = 1000;
  for (const item of [...(inside.root.children?.values() ?? [])]) inside.remove(item, true);
  fill(graph, '', NEIGHBOURS);
}

/** Runs an operation on a new drive. `lie` is called where the lies of it begin. */
async function runOperation(operation: keyof typeof OPERATIONS, lie: () => void): Promise<void> {
  startAgain();
  const remotes: Remote[] = [];
  const drive = async (root: string) => {
    const { remote } = await openDrive(graph, root, { options: { chunk_size: '320Ki' } });
    remotes.push(remote);
    return remote;
  };
  try {
    await OPERATIONS[operation]?.({ graph, drive }, lie);
    expect(under(graph, 'other/'), 'neighbours').toEqual({ same: 'm', x: 'old' });
    expect(under(graph, 'first/'), 'neighbours').toEqual({ 'new one': 'n' });
    expect(graph.drive.item('other/x').modified, 'time of a neighbour').toBe(1_500_000);
  } finally {
    for (const remote of remotes) await remote.close();
  }
}

/** The requests of each operation if nobody lies, in lists that begin where a lie does. */
const asked = new Map<string, GraphOperation[][]>();
beforeAll(async () => {
  for (const operation of Object.keys(OPERATIONS)) {
    const lists: GraphOperation[][] = [];
    const note = ({ operation }: GraphLieCall) => void lists.at(-1)?.push(operation);
    const of = [...new Set(VISIBLE.flatMap(([, lie]) => lie.of))];
    await runOperation(operation, () => {
      lists.push([]);
      graph.setLie({ lie: { about: 'the truth', of, tell: note } });
    });
    asked.set(operation, lists);
  }
});

/** Whether a lie about each `every`th of these requests is heard: else the operation is what it is without. */
const isHeard = (operation: string, of: readonly GraphOperation[], every: number) =>
  asked.get(operation)?.some((list) => list.filter((each) => of.includes(each)).length >= every);

test.each(someOf(VISIBLE, 10).map(([name, { about, of }]) => [name, about, of] as const))(
  '%s: %s',
  async (name, _about, of) => {
    let told = 0;
    for (const operation of Object.keys(OPERATIONS)) {
      for (const every of OFTEN.includes(operation) ? [1, 3] : [1]) {
        if (isHeard(operation, of, every) !== true) continue;
        try {
          await runOperation(operation, () => {
            told += graph.told();
            graph.setLie({ lie: name, every });
          });
        } catch (thrown) {
          const { message } = thrown as Error;
          throw new Error(`${operation}, every ${every}: ${message.slice(0, 500)}`, {
            cause: thrown,
          });
        }
        told += graph.told();
      }
    }
    expect(told).toBeGreaterThan(0);
  },
);

test('a page of another directory is refused behind an empty one, too', async () => {
  startAgain();
  graph.settings.emptyPages = true;
  onTestFinished(() => {
    graph.settings.emptyPages = false;
    graph.setLie(undefined);
  });
  const { remote } = await openDrive(graph, 'other');
  const { cursor, entries } = await remote.listPage('', undefined, OP);
  expect(entries).toEqual([]);
  graph.setLie({ lie: 'list-of-another-folder', every: 1 });
  await expect(remote.listPage('', cursor, OP)).rejects.toMatchObject({ code: 'bad-answer' });
});
