import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readScan, scanBytes } from '../../../../commands/ncdu/scan-files.ts';
import { KeptScans, ScanHistory } from '../../../../commands/ncdu/scan-history.ts';
import { exportNcdu } from '../../../../src/size-tree/export-ncdu.ts';
import { ROOT } from '../../../../src/size-tree/node.ts';
import { SizeTree } from '../../../../src/size-tree/size-tree.ts';

let folder = '';
let kept: KeptScans;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'scan-history-'));
  kept = new KeptScans(folder, 'a');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

function historyAt(nowMs: number): ScanHistory {
  const context = { clock: { now: () => nowMs }, signal: new AbortController().signal };
  const invocation = { context: { ...context, emit: () => {} }, flags: {} };
  return new ScanHistory(invocation as never, 'store:', kept);
}

test.each<[string, (tree: SizeTree, dir: number) => void, number]>([
  ['is whole', () => {}, 1],
  ['could not list a directory', (tree, dir) => tree.setError(dir, 'denied'), 1],
  ['has a part of a directory', (tree) => tree.setError(ROOT, 'a page failed'), 0],
  ['waits for a part', (tree) => tree.setPartial(ROOT, true), 0],
  ['was not listed to its end', (tree, dir) => tree.setListed(dir, false), 0],
])('a scan that %s is kept or not', async (_, change, count) => {
  const tree = new SizeTree();
  const dir = tree.add(ROOT, [{ name: 'd', isDir: true, size: 0, timeMs: 0 }]);
  tree.setListed(ROOT);
  tree.setListed(dir);
  change(tree, dir);
  const history = historyAt(5);
  history.save(tree);
  await history.close();
  expect(await kept.list()).toHaveLength(count);
});

test('the size of a kept scan is known from its first line, if it is that of all files', async () => {
  const tree = new SizeTree();
  const file = tree.add(ROOT, [{ name: 'f', isDir: false, size: 7, timeMs: 0 }]);
  tree.setListed(ROOT);
  const sizes: unknown[] = [];
  for (const change of [() => {}, () => tree.setExcluded(file, true)]) {
    change();
    const history = historyAt(5);
    history.save(tree);
    await history.close();
    sizes.push(await scanBytes((await kept.list())[0]?.path ?? ''));
  }
  expect(sizes).toEqual([7, undefined]);
  expect(await scanBytes(join(folder, 'none'))).toBeUndefined();
});

/** More than what waits for a slow save. */
function largeTree(): SizeTree {
  const tree = new SizeTree();
  const name = 'a file with a long name '.repeat(8);
  const files = Array.from({ length: 60_000 }, (_, n) => {
    return { name: `${name}${n}`, isDir: false, size: n, timeMs: 1000 };
  });
  tree.add(ROOT, files);
  tree.setListed(ROOT);
  return tree;
}

const HEADER = { version: '1', timeMs: 5, title: 'store:' };

test('an export is written whole where its scan cannot be kept', async () => {
  await writeFile(join(folder, 'file'), '');
  kept = new KeptScans(join(folder, 'file'), 'a');
  const history = historyAt(5);
  let bytes = 0;
  await history.saveBeside(largeTree(), HEADER, async (pieces) => {
    for await (const piece of pieces) bytes += piece.length;
  });
  await history.close();
  expect(bytes).toBe(Buffer.concat([...exportNcdu(largeTree(), HEADER)]).length);
});

test.each<[string, number]>([
  ['written whole', Number.POSITIVE_INFINITY],
  ['written in part', 2],
  ['not written at all', 0],
])('a scan is kept whole beside an export that is %s', async (_, most) => {
  const tree = largeTree();
  const history = historyAt(5);
  const written: Buffer[] = [];
  const write = async (pieces: AsyncIterable<Buffer>) => {
    if (most === 0) throw new Error('no such directory');
    for await (const piece of pieces) {
      written.push(piece);
      if (written.length === most) throw new Error('the disk is full');
    }
  };
  const saving = history.saveBeside(tree, HEADER, write);
  if (most < 10) await expect(saving).rejects.toThrow();
  else {
    await saving;
    const whole = Buffer.concat([...exportNcdu(tree, HEADER)]);
    expect(Buffer.concat(written).equals(whole)).toBe(true);
  }
  await history.close();
  const [scan] = await kept.list();
  const { tree: again } = await readScan(scan?.path ?? '', () => Readable.from([]) as never);
  expect(again.files(ROOT)).toBe(tree.files(ROOT));
  expect(again.size(ROOT)).toBe(tree.size(ROOT));
});

test('a scan of a time to come is not the newest', async () => {
  const keep = (ms: number) => kept.keep(ms, ['[]'], () => true, new AbortController().signal);
  for (const ms of [3, 900]) await keep(ms);
  expect((await historyAt(5).newest())?.timeMs).toBe(3);
});
