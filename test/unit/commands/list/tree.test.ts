import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  compareNatural,
  sortTree,
  TreeDrawing,
  type TreeRules,
  type TreeSort,
  treeOrder,
} from '../../../../commands/list/tree.ts';
import {
  isHidden,
  rowsOfTree,
  TreeBuilder,
  type TreeNode,
} from '../../../../src/listing/tree-rows.ts';

const plain: TreeRules = {
  colour: false,
  harmless: false,
  sizes: 'none',
  protections: false,
  times: false,
  clock: 0n,
  quote: false,
  fullPath: false,
  indent: true,
  level: -1,
  now: 0n,
};

function treeOf(files: Record<string, number>, dirs: readonly string[] = []): TreeNode {
  const builder = new TreeBuilder();
  for (const [path, size] of Object.entries(files)) {
    builder.add({ kind: 'file', path, size, modTime: BigInt(size) });
  }
  for (const path of dirs) builder.add({ kind: 'dir', path });
  return builder.root;
}

async function draw(root: TreeNode, rules: Partial<TreeRules> = {}): Promise<string> {
  return (await drawing(root, rules)).text;
}

async function report(root: TreeNode, dirsOnly: boolean): Promise<string> {
  return (await drawing(root, {})).drawn.report(dirsOnly);
}

async function drawing(root: TreeNode, rules: Partial<TreeRules>) {
  sortTree(root, treeOrder('name', { reverse: false, dirSize: -1, now: 0n }));
  const drawn = new TreeDrawing({ ...plain, ...rules });
  const lines: string[] = [];
  for await (const text of drawn.lines([[...rowsOfTree(root)]])) lines.push(text);
  return { drawn, text: lines.join('') };
}

const sample = () =>
  treeOf({ 'a/deep/x.tar': 7, 'a/in.txt': 5, 'a-b': 12, 'z.jpg': 1 }, ['empty', 'a']);

test('branches are drawn as rclone draws them', async () => {
  expect(await draw(sample())).toBe(
    '/\n├── a\n│   ├── deep\n│   │   └── x.tar\n│   └── in.txt\n├── a-b\n├── empty\n└── z.jpg\n',
  );
  expect(await report(sample(), false)).toBe('\n3 directories, 4 files\n');
});

test('a tree without files is reported without directories', async () => {
  expect(await report(treeOf({}, ['a', 'b']), false)).toBe('\n0 directories, 0 files\n');
  expect(await report(treeOf({}, ['a', 'b']), true)).toBe('\n0 directories\n');
});

test('properties stand before the names', async () => {
  const rules = { sizes: 'bytes', protections: true, times: true } as const;
  const lines = (await draw(sample(), rules)).split('\n');
  expect(lines[0]).toBe('[         25]  /');
  expect(lines[1]).toBe('├── [         12]  a');
  expect(lines[3]).toMatch(
    /^│ {3}│ {3}└── \[-rw-rw-rw- {11}7 (Jan 01|Dec 31) \d\d:\d\d\] {2}x\.tar$/,
  );
  expect(await draw(sample(), { sizes: 'short' })).toMatch(/^\[ {2}25\] {2}\/\n/);
});

test('sizes of directories that were not looked into are unknown', async () => {
  const root = treeOf({ x: 1 }, ['d']);
  expect(await draw(root, { sizes: 'bytes', level: 1 })).toBe(
    '[          1]  /\n├── [???????????]  d\n└── [          1]  x\n',
  );
  const nested = treeOf({ x: 1 }, ['d', 'd/e']);
  expect(await draw(nested, { sizes: 'bytes', level: 2 })).toContain('├── [???????????]  d\n');
});

test('directories in many packed pieces have their own sizes', async () => {
  const files: Record<string, number> = {};
  const long = 'n'.repeat(200);
  for (let i = 100; i < 900; i++) files[`d${i}/${long}`] = i;
  const lines = (await draw(treeOf(files), { sizes: 'bytes', indent: false })).split('\n');
  const total = Object.values(files).reduce((sum, size) => sum + size);
  expect(lines[0]).toBe(`[${String(total).padStart(11)}]  /`);
  for (let i = 100; i < 900; i++) expect(lines[2 * (i - 100) + 1]).toBe(`[        ${i}]  d${i}`);
});

test('quotes, full paths, no indent, colours', async () => {
  expect(await draw(sample(), { quote: true, fullPath: true, indent: false })).toBe(
    '"/"\n"/a"\n"/a/deep"\n"/a/deep/x.tar"\n"/a/in.txt"\n"/a-b"\n"/empty"\n"/z.jpg"\n',
  );
  const coloured = await draw(
    treeOf({ 'A.ZIP': 1, 'run.exe': 1, 'p.jpg': 1, plain: 1 }, ['d.gz']),
    {
      colour: true,
    },
  );
  expect(coloured).toBe(
    '\x1b[1;34m/\x1b[0m\n├── \x1b[1;31mA.ZIP\x1b[0m\n├── \x1b[1;31md.gz\x1b[0m\n' +
      '├── \x1b[1;35mp.jpg\x1b[0m\n├── plain\n└── \x1b[1;32mrun.exe\x1b[0m\n',
  );
});

test('orders', () => {
  const order = (sort: Exclude<TreeSort, 'none'>, reverse = false) => {
    const root = treeOf({ f10: 3, f2: 1, F1: 2 }, ['d']);
    sortTree(root, treeOrder(sort, { reverse, dirSize: -1, now: 2n }));
    return root.children.map(({ entry }) => entry.path).join(' ');
  };
  expect(order('name')).toBe('F1 d f10 f2');
  expect(order('name', true)).toBe('f2 f10 d F1');
  expect(order('version')).toBe('F1 d f2 f10');
  expect(order('size')).toBe('d f2 F1 f10');
  expect(order('mtime')).toBe('f2 F1 d f10');
  expect(order('dirsfirst')).toBe('d F1 f10 f2');
});

test('natural order: numbers by value, then fewer zeros, digits before letters', () => {
  const sorted = ['1', '2', '02', '10', 'a', 'a1', 'a2', 'a2b', 'a02', 'a10', 'aa'];
  expect([...sorted].reverse().sort(compareNatural)).toEqual(sorted);
});

test('natural order is an order', () => {
  const name = fc.string({
    unit: fc.constantFrom('0', '1', '2', 'a', 'b', 'ü', '😀'),
    maxLength: 5,
  });
  fc.assert(
    fc.property(name, name, name, (a, b, c) => {
      expect(Math.sign(compareNatural(a, b))).toBe(-Math.sign(compareNatural(b, a)) + 0);
      if (compareNatural(a, b) <= 0 && compareNatural(b, c) <= 0) {
        expect(compareNatural(a, c)).toBeLessThanOrEqual(0);
      }
    }),
  );
});

test('what lies in a hidden directory is hidden', () => {
  expect(['.a', 'a/.b', '.a/b', 'a/.b/c'].every(isHidden)).toBe(true);
  expect(['a', 'a.b', 'a/b.c'].some(isHidden)).toBe(false);
});
