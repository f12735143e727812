import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Script } from 'node:vm';
import { expect, test } from 'vitest';
import { exportHtml } from '../../../src/size-tree/export-html.ts';
import { ROOT } from '../../../src/size-tree/node.ts';
import { SizeTree } from '../../../src/size-tree/size-tree.ts';

const CHROMIUM = '/usr/bin/chromium';
const EVIL = '</script><img src=x onerror=alert(1)>';

interface Entry {
  readonly n: string;
  readonly s: number;
  readonly c?: readonly Entry[];
  readonly r?: readonly [number, number];
}

function pageOf(tree: SizeTree): string {
  return [...exportHtml(tree, { timeMs: Date.UTC(2026, 0, 2), title: EVIL })].join('');
}

function scanOf(page: string): { readonly title: string; readonly root: Entry } {
  return JSON.parse(/id="scan">(.*)<\/script>/.exec(page)?.[1] ?? '');
}

function countOf({ c = [] }: Entry): number {
  return c.reduce((sum, child) => sum + countOf(child), 1);
}

function evilTree(): SizeTree {
  const tree = new SizeTree();
  const file = { isDir: false, timeMs: 1000 };
  const dir = tree.add(ROOT, [{ name: `dir ${EVIL}`, isDir: true, size: 0, timeMs: Number.NaN }]);
  tree.add(ROOT, [{ ...file, name: 'small', size: 2048 }]);
  tree.add(dir, [{ ...file, name: `b\u2028${EVIL}`, size: 5 * 1024 ** 2 }]);
  return tree;
}

test('the page holds the tree as data, loads nothing, and its script is sound', () => {
  const page = pageOf(evilTree());
  expect(page).not.toContain(EVIL);
  expect(page.replace(/id="scan">.*/, '')).not.toMatch(/https?:|\b(?:src|href)=/);
  const { title, root } = scanOf(page);
  expect(title).toBe(EVIL);
  expect(root.c?.map(({ n, s }) => [n, s])).toEqual([
    [`dir ${EVIL}`, 5 * 1024 ** 2],
    ['small', 2048],
  ]);
  const [, script = ''] = /<script>(.*)<\/script>/s.exec(page) ?? [];
  expect(() => new Script(script)).not.toThrow();
});

test('a name shows what would change the direction of writing', () => {
  const tree = new SizeTree();
  tree.add(ROOT, [{ name: 'a\u202egpj.exe', isDir: false, size: 1, timeMs: 0 }]);
  expect(scanOf(pageOf(tree)).root.c?.map(({ n }) => n)).toEqual(['a\ufffdgpj.exe']);
});

test('of very many entries the largest are kept, and the rest is summed up', () => {
  const tree = new SizeTree();
  const dirs = Array.from({ length: 50 }, (_, at) => ({
    ...{ name: `d${at}`, isDir: true, size: 0, timeMs: Number.NaN },
  }));
  const first = tree.add(ROOT, dirs);
  for (let at = 0; at < 50; at++) {
    const files = Array.from({ length: 1500 }, (_, n) => ({
      ...{ name: `f${n}`, isDir: false, size: 1 + at * n, timeMs: 0 },
    }));
    tree.add(first + at, files);
  }
  const { root } = scanOf(pageOf(tree));
  expect(countOf(root)).toBeLessThanOrEqual(20_001);
  const sum = ({ c, r, s }: Entry): number =>
    c === undefined ? s : c.reduce((all, child) => all + sum(child), r?.[1] ?? 0);
  expect(sum(root)).toBe(root.s);
  expect(root.c?.[0]).toMatchObject({ n: 'd49', r: [500, expect.any(Number)] });
});

test.skipIf(!existsSync(CHROMIUM))('a browser shows names as text', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'page-'));
  try {
    await writeFile(join(dir, 'page.html'), pageOf(evilTree()));
    const { stdout } = await promisify(execFile)(CHROMIUM, [
      ...['--headless', '--no-sandbox', '--disable-gpu', `--user-data-dir=${dir}/profile`],
      ...['--window-size=1200,800', '--dump-dom', `file://${dir}/page.html`],
    ]);
    // In the values of attributes `<` is itself.
    const shown = stdout.replace(/="[^"]*"/g, '');
    expect(shown).toContain('<td title>dir &lt;/script&gt;&lt;img src=x');
    expect(shown).toContain('<td>2.0 KiB</td>');
    expect(shown).not.toContain('<img');
    expect(stdout).toContain('style="left: 0px; top: 0px; width: ');
  } finally {
    await rm(dir, { recursive: true, force: true, maxRetries: 5 });
  }
});
