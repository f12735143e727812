import { expect, test } from 'vitest';
import { planUpload, renameNode } from '../../../../commands/ncdu/place-entries.ts';
import { scanTree } from '../../../../commands/ncdu/scan-tree.ts';
import {
  conflictsOf,
  type TransferSource,
  transferNodes,
} from '../../../../commands/ncdu/transfer-nodes.ts';
import type { Remote } from '../../../../src/core/remote.ts';
import { passAllFilter } from '../../../../src/filter/filter.ts';
import type { Invocation } from '../../../../src/shell/command-line/command.ts';
import { findNode } from '../../../../src/size-tree/find-node.ts';
import { type NodeId, ROOT } from '../../../../src/size-tree/node.ts';
import { SizeTree } from '../../../../src/size-tree/size-tree.ts';
import { contentsOf, remoteBut } from '../../../support/memory-world.ts';
import { OP } from '../../../support/open-s3.ts';
import { runAsNcdu } from '../../../support/run-as-ncdu.ts';
import { treePaths } from '../../size-tree/tree-model.ts';

/** Works on a scan of a bucket with an object `f` and a directory `d`; gives what the scan shows afterwards. */
async function inBucket(
  work: (
    invocation: Invocation,
    scanned: TransferSource,
    node: (name: string) => NodeId,
  ) => unknown,
) {
  const tree = new SizeTree();
  const ended = await runAsNcdu(':memory:', { SYNCER_CONFIG: '' }, async (invocation) => {
    const remote = await invocation.remotes.openDir(':memory:bucket');
    for (const path of ['f', 'd/x']) {
      const body = Buffer.from(path);
      await remote.write({ path, size: body.length, seekable: true, open: async () => body }, OP);
    }
    const scanned = { remote, filter: passAllFilter, atOnce: 4, tree, spec: ':memory:bucket' };
    await scanTree(scanned, { into: ROOT, path: '' }, OP);
    await work(invocation, scanned, (name) => findNode(tree, ROOT, name) as NodeId);
  });
  expect(ended).toEqual({ code: 0, log: '' });
  return Object.keys(treePaths(tree)).sort();
}

/** An invocation that opens one of its directories as another remote. */
function opening(invocation: Invocation, dir: string, as: Remote): Invocation {
  const { remotes } = invocation;
  const openDir: typeof remotes.openDir = async (spec) =>
    spec === dir ? as : remotes.openDir(spec);
  const openPath: typeof remotes.openPath = async (spec) =>
    spec === dir ? { remote: as } : remotes.openPath(spec);
  return {
    ...invocation,
    remotes: Object.assign(Object.create(remotes), { openDir, openPath }),
  };
}

const REPORT = { found() {}, bytes() {}, done() {}, failed() {}, moved() {} };

test('a moved object is gone although there is a directory of its name', async () => {
  const left = await inBucket(async (invocation, scanned, node) => {
    const stat: Remote['stat'] = async (path) => ({ kind: 'dir', path });
    const beside = { ...scanned, remote: remoteBut(scanned.remote, { stat }) };
    const moved = (nodes: readonly NodeId[]) => scanned.tree.remove(nodes);
    const request = { verb: 'move' as const, nodes: [node('f')], dest: ':memory:other' };
    await transferNodes(invocation, beside, request, { ...REPORT, moved }, OP);
  });
  expect(left).toEqual(['d/', 'd/x']);
});

test('a renamed directory is named as one, as an object may have its name', async () => {
  const opened: string[] = [];
  const left = await inBucket(async (invocation, scanned, node) => {
    const { remotes } = invocation;
    const openPath: typeof remotes.openPath = (spec) => {
      opened.push(spec);
      return remotes.openPath(spec);
    };
    const noting = { ...invocation, remotes: Object.assign(Object.create(remotes), { openPath }) };
    for (const name of ['d', 'f']) {
      await renameNode(noting, scanned, [node(name), `${name}2`], REPORT, OP);
    }
  });
  expect(left).toEqual(['d2/', 'd2/x', 'f2']);
  expect(opened).toEqual([
    ...[':memory:bucket/d/', ':memory:bucket/d2'],
    ...[':memory:bucket/f', ':memory:bucket'],
  ]);
});

test.each(['copy', 'move'] as const)(
  'a %s does with each file that is there already what was answered, and replaces no other',
  async (verb) => {
    const failed: string[] = [];
    let there: Record<string, string> = {};
    const tree = new SizeTree();
    await inBucket(async (invocation, { tree: _, ...others }) => {
      const scanned = { ...others, tree };
      const node = (name: string) => findNode(tree, ROOT, name) as NodeId;
      const dest = await invocation.remotes.openDir(':memory:other');
      const write = (path: string) => {
        const body = Buffer.from(`the old ${path}`);
        return dest.write({ path, size: body.length, seekable: true, open: async () => body }, OP);
      };
      const source = await invocation.remotes.openDir(':memory:bucket');
      for (const path of ['d/both.txt', 'd/late', 'd/left', 'd/new']) {
        const body = Buffer.from(path);
        await source.write({ path, size: body.length, seekable: true, open: async () => body }, OP);
      }
      await scanTree(scanned, { into: ROOT, path: '' }, OP);
      for (const path of ['f', 'd/both.txt', 'd/both (2).txt', 'd/left', 'd/other'])
        await write(path);
      const request = { verb, nodes: [node('f'), node('d')], dest: ':memory:other' };
      const found = await conflictsOf(invocation, scanned, request, OP);
      expect(found.map(({ path, here, there }) => [path, here.bytes, there.bytes])).toEqual([
        ['d/both.txt', 10, 18],
        ['d/left', 6, 14],
        ['f', 1, 9],
      ]);
      await write('d/late');
      const conflicts = new Map([
        ['d/both.txt', 'both'],
        ['d/left', 'leave'],
        ['f', 'replace'],
      ] as const);
      const moved = (nodes: readonly NodeId[]) => tree.remove(nodes);
      const report = { ...REPORT, moved, failed: (path: string) => failed.push(path) };
      await transferNodes(invocation, scanned, { ...request, conflicts }, report, OP);
      there = await contentsOf(dest);
      for (const [path, content] of Object.entries(there)) there[path] = content.replace(/@.*/, '');
    });
    expect(failed).toEqual(['d/late']);
    expect(there).toEqual({
      'd/both.txt': 'the old d/both.txt',
      'd/both (2).txt': 'the old d/both (2).txt',
      'd/both (3).txt': 'd/both.txt',
      'd/late': 'the old d/late',
      'd/left': 'the old d/left',
      'd/new': 'd/new',
      'd/other': 'the old d/other',
      'd/x': 'd/x',
      f: 'f',
    });
    const kept = ['d/', 'd/late', 'd/left'];
    const all = ['d/', 'd/both.txt', 'd/late', 'd/left', 'd/new', 'd/x', 'f'];
    const left = Object.keys(treePaths(tree)).sort();
    expect(left).toEqual(verb === 'move' ? kept : all);
  },
);

test.each(['leave', 'both', 'replace'] as const)(
  'a file whose time only another upload can change: the answer %s counts',
  async (answer) => {
    let [written, there]: [string[], string[]] = [[], []];
    await inBucket(async (invocation, scanned, node) => {
      const { remotes } = invocation;
      const other = await remotes.openDir(':memory:other');
      const body = Buffer.from('f');
      const old = { path: 'f', size: 1, modTime: 1n, seekable: true, open: async () => body };
      await other.write(old, OP);
      const { setModTime: _, copyFrom: __, ...can } = other.can;
      const dest = remoteBut(other, {
        can,
        write(file, op) {
          written.push(file.path);
          return other.write(file, op);
        },
      });
      const own = opening(invocation, ':memory:other', dest);
      const request = { verb: 'copy' as const, nodes: [node('f')], dest: ':memory:other' };
      const found = await conflictsOf(own, scanned, request, OP);
      expect(found.map(({ path }) => path)).toEqual(['f']);
      written = [];
      const conflicts = new Map([['f', answer]] as const);
      await transferNodes(own, scanned, { ...request, conflicts }, REPORT, OP);
      there = Object.keys(await contentsOf(other));
    });
    const expected = { leave: [], both: ['f (2)'], replace: ['f'] }[answer];
    expect(written).toEqual(expected);
    expect(there).toEqual([...new Set(['f', ...expected])].sort());
  },
);

test('questions have the times that listings lack', async () => {
  const asked: (readonly [string, number, number])[] = [];
  await inBucket(async (invocation, scanned, node) => {
    const [bucket, other] = await Promise.all(
      [':memory:bucket', ':memory:other'].map((spec) => invocation.remotes.openDir(spec)),
    );
    if (bucket === undefined || other === undefined) return;
    const write = (remote: Remote, path: string, second: number, text: string) => {
      const [body, modTime] = [Buffer.from(text), BigInt(second) * 1_000_000_000n];
      const file = { path, size: body.length, modTime, seekable: true };
      return remote.write({ ...file, open: async () => body }, OP);
    };
    for (const path of ['d/x', 'f']) {
      await write(bucket, path, 2, 'in the bucket');
      await write(other, path, 1, 'in the other');
    }
    const untimed = (remote: Remote) =>
      remoteBut(remote, {
        async listPage(dir, cursor, op) {
          const page = await remote.listPage(dir, cursor, op);
          const entries = page.entries.map((entry) => {
            if (entry.kind === 'dir') return entry;
            const { modTime: _, ...rest } = entry;
            return rest;
          });
          return { ...page, entries };
        },
      });
    const copying = opening(invocation, ':memory:other', untimed(other));
    const request = { verb: 'copy' as const, nodes: [node('d')], dest: ':memory:other' };
    const found = await conflictsOf(copying, scanned, request, OP);
    const uploading = opening(invocation, ':memory:bucket', untimed(bucket));
    const { replaced } = await planUpload(uploading, scanned, ':memory:other/f', ROOT, OP);
    for (const { path, here, there } of [...found, ...replaced])
      asked.push([path, here.timeMs, there.timeMs]);
  });
  expect(asked).toEqual([
    ['d/x', 2000, 1000],
    ['f', 1000, 2000],
  ]);
});
