import { createReadStream } from 'node:fs';
import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readScan } from '../../../../commands/ncdu/scan-files.ts';
import { KeptScans, thinnedScans } from '../../../../commands/ncdu/scan-history.ts';
import { partialPath } from '../../../../src/names/partial-name.ts';
import { exportNcdu } from '../../../../src/size-tree/export-ncdu.ts';
import { ROOT } from '../../../../src/size-tree/node.ts';
import { SizeTree } from '../../../../src/size-tree/size-tree.ts';
import { ownMark } from '../../../../src/system/owner-state.ts';

const DAY = 86_400_000;
const NOW = 400 * DAY;
const { signal } = new AbortController();
const noInput = () => createReadStream('/dev/null');

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kept-scans-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

function scanText(): Uint8Array[] {
  const tree = new SizeTree();
  tree.add(ROOT, [{ name: 'x\udcff', isDir: false, size: 5, timeMs: 0 }]);
  return [...exportNcdu(tree, { version: '1', timeMs: NOW, title: 'store:' })];
}

describe('kept scans', () => {
  test('daily scans leave one about a day, a week, a month and a quarter old', () => {
    let times: readonly number[] = [];
    for (let day = 0; day < 400; day++) {
      const nowMs = day * DAY + 3_600_000;
      times = [...thinnedScans([...times, nowMs], nowMs)];
      expect(times.length).toBeLessThanOrEqual(6);
      expect(times).toContain(nowMs);
    }
    const ages = times.map((time) => (399 * DAY + 3_600_000 - time) / DAY).sort((a, b) => a - b);
    for (const [wanted, least, most] of [
      [1, 1, 3],
      [7, 3, 14],
      [30, 14, 60],
      [91, 60, 182],
    ] as const) {
      const found = ages.filter((age) => age >= least && age <= most);
      expect(found, `about ${wanted} days`).not.toEqual([]);
    }
  });

  test('scans of a time to come stay beside the others', () => {
    expect([...thinnedScans([NOW + DAY, NOW, NOW - 1, NOW - 2], NOW)].sort()).toEqual(
      [NOW - 2, NOW, NOW + DAY].sort(),
    );
  });

  test('are compressed, for their user alone, and read again; other paths have others', async () => {
    const kept = new KeptScans(join(folder, 'ncdu'), 'a');
    await kept.keep(NOW, scanText(), () => true, signal);
    await kept.keep(NOW + 1, scanText(), () => true, signal);
    await new KeptScans(join(folder, 'ncdu'), 'b').keep(NOW, scanText(), () => true, signal);
    const list = await kept.list();
    expect(list.map(({ timeMs }) => timeMs)).toEqual([NOW + 1, NOW]);
    const path = list[0]?.path ?? '';
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect((await stat(join(folder, 'ncdu'))).mode & 0o777).toBe(0o700);
    const { tree, title, timeMs } = await readScan(path, noInput);
    expect([title, timeMs, tree.size(ROOT), tree.name(1)]).toEqual(['store:', NOW, 5, 'x\udcff']);
    expect(tree.hasDisk).toBe(false);
  });

  test('the oldest go if all take more than the limit; temporary files of killed processes go', async () => {
    const kept = new KeptScans(folder, 'a', 2 * 4096);
    const dead = ownMark().replace(/-\w+$/, '-1');
    const leftover = partialPath(`${'0'.repeat(32)}.${NOW}.json.zst`, dead, '0');
    await writeFile(join(folder, leftover), '');
    await writeFile(join(folder, 'of somebody else'), '');
    for (const days of [30, 5, 0])
      await kept.keep(NOW - days * DAY, scanText(), () => true, signal);
    expect((await kept.list()).map(({ timeMs }) => (NOW - timeMs) / DAY)).toEqual([0, 5]);
    expect((await readdir(folder)).filter((name) => !name.endsWith('.zst'))).toEqual([
      'of somebody else',
    ]);
  });

  test('nothing is kept of a tree that changes before the end, or of a stopped save', async () => {
    const kept = new KeptScans(folder, 'a');
    let turns = 0;
    await kept.keep(NOW, ['[', 'x', 'y'], () => turns++ < 2, signal);
    const aborted = AbortSignal.abort(new Error('left'));
    await expect(kept.keep(NOW, scanText(), () => true, aborted)).rejects.toThrow();
    expect(await readdir(folder)).toEqual([]);
  });
});

test('a scan is read from gzip too; one that is cut off is an error', async () => {
  const whole = gzipSync(scanText().join(''));
  const path = join(folder, 'scan.gz');
  await writeFile(path, whole);
  expect((await readScan(path, noInput)).tree.files(ROOT)).toBe(1);
  await writeFile(path, whole.subarray(0, -20));
  await expect(readScan(path, noInput)).rejects.toThrow(/^cannot read .*scan\.gz: /);
  await expect(readScan(join(folder, 'none'), noInput)).rejects.toThrow('no such file');
});
