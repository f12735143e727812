import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { exportNcdu } from '../../../src/size-tree/export-ncdu.ts';
import { importNcdu } from '../../../src/size-tree/import-ncdu.ts';
import { ROOT } from '../../../src/size-tree/node.ts';
import { SizeTree } from '../../../src/size-tree/size-tree.ts';
import { TreeFeed } from '../../../src/size-tree/tree-feed.ts';
import { treePaths } from './tree-model.ts';

const header = { version: '1.0', timeMs: 1_700_000_000_000, title: 'store:bucket' };

function exported(tree: SizeTree): Buffer {
  return Buffer.concat([...exportNcdu(tree, header)]);
}

async function imported(text: string | Buffer, size = 7) {
  const bytes = Buffer.from(text);
  async function* chunks() {
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
  }
  return importNcdu(chunks());
}

function sample(): SizeTree {
  const tree = new SizeTree();
  const feed = new TreeFeed(tree, ROOT);
  feed.flatPage([
    { kind: 'file', path: 'a/"quoted"\\', size: 10 },
    { kind: 'file', path: 'a/b/日本\udcff', size: 2 ** 40 },
    { kind: 'file', path: 'unknown', size: -1 },
    { kind: 'file', path: 'line\nbreak [{', size: 0 },
  ]);
  tree.setError(feed.dirAt('locked'), 'not allowed');
  return tree;
}

describe("ncdu's format", () => {
  test('what is written is read again', async () => {
    const tree = sample();
    const read = await imported(exported(tree));
    expect(read.title).toBe('store:bucket');
    expect(treePaths(read.tree)).toEqual(treePaths(tree));
    expect([read.tree.failed(ROOT), read.tree.unknown(ROOT)]).toEqual([1, 1]);
  });

  test('in chunks of any length', async () => {
    const tree = sample();
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 200 }), async (size) => {
        const read = await imported(exported(tree), size);
        expect(treePaths(read.tree)).toEqual(treePaths(tree));
      }),
      { numRuns: 20 },
    );
  });

  test('a file with two names counts once in each directory', async () => {
    const link = '"asize":100,"dsize":512,"ino":5,"hlnkc":true';
    const { tree } = await imported(
      `[1,2,{"progname":"ncdu"},[{"name":"/t","dev":1},{"name":"x",${link}},
       [{"name":"a"},{"name":"y",${link}},{"name":"z",${link}}],
       [{"name":"other","dev":2},{"name":"w",${link}}]]]`,
    );
    const dirs = [ROOT, tree.children(ROOT)[1] ?? -1, tree.children(ROOT)[2] ?? -1];
    expect(dirs.map((dir) => tree.apparentSize(dir))).toEqual([200, 100, 100]);
    expect(dirs.map((dir) => tree.diskUsage(dir))).toEqual([1024, 512, 512]);
    expect([tree.size(ROOT), tree.files(ROOT)]).toEqual([400, 4]);
  });

  test('what lies on a disk is read and written as it is', async () => {
    const records = [
      ['{"name":"/t","asize":4096,"dsize":8192,"dev":66,"ino":1', ''],
      [`{"name":"sparse","asize":${2 ** 40},"dsize":512,"ino":${2n ** 64n - 1n}`, '}'],
      ['{"name":"link","asize":7,"ino":7,"notreg":true', '}'],
      ['{"name":"two","asize":1,"dsize":512,"ino":8,"hlnkc":true,"nlink":2', '}'],
    ];
    const text = records.map(([record, end]) => record + (end || '}')).join(',\n');
    const whole = `[1,2,{"progname":"syncer","progver":"1.0","timestamp":1700000000},\n[${text}]]\n`;
    const { tree } = await imported(whole);
    expect([tree.diskUsage(ROOT), tree.apparentSize(ROOT)]).toEqual([9216, 2 ** 40 + 4104]);
    const again = Buffer.concat([...exportNcdu(tree, { ...header, title: '/t' })]).toString();
    expect(again).toBe(whole);
  });

  test('the marks of ncdu for what a scan left out or could not read are kept', async () => {
    const entries = [
      '{"name":"a","asize":100,"dsize":512,"excluded":"pattern"}',
      ...['otherfs', 'othfs', 'kernfs', 'frmlnk'].map(
        (why) => `{"name":"${why}","excluded":"${why}"}`,
      ),
      '{"name":"unread","asize":7,"dsize":512,"read_error":true}',
      '[{"name":"mnt","dev":45,"ino":1,"excluded":"othfs"}]',
      '[{"name":"out","excluded":"pattern"}]',
      '[{"name":"locked","read_error":true}]',
    ];
    const head = '[1,2,{"progname":"syncer","progver":"1.0","timestamp":1700000000},';
    const whole = `${head}\n[{"name":"/t","dev":66},\n${entries.join(',\n')}]]\n`;
    const { tree } = await imported(whole);
    const again = Buffer.concat([...exportNcdu(tree, { ...header, title: '/t' })]).toString();
    expect(again).toBe(whole);
    tree.remove(tree.children(ROOT));
    expect(tree.marks.size).toBe(0);
  });

  test('a directory on another file system that a scan leaves out is marked', () => {
    const tree = new SizeTree();
    const usage = { size: 0, bytes: 0, inode: 1n, links: 1, isSpecial: false };
    const below = new TreeFeed(tree, ROOT).dirPage(ROOT, [
      { kind: 'dir', path: 'here', usage: { ...usage, device: 1n } },
      { kind: 'dir', path: 'mnt', usage: { ...usage, device: 2n, isForeign: true } },
    ]);
    expect(below).toHaveLength(1);
    const lines = exported(tree).toString().split('\n');
    expect(lines.filter((line) => line.includes('excluded'))).toEqual([
      '[{"name":"mnt","dev":2,"ino":1,"excluded":"othfs"}]]]',
    ]);
  });

  test('a scan of another major version of the format is refused, one of a later minor version is not', async () => {
    const scan = '{"progname":"ncdu"},[{"name":"t"}]]';
    await expect(imported(`[9,0,${scan}`)).rejects.toThrow('incompatible major format version 9');
    await expect(imported(` [ 10 , 2 , ${scan}`)).rejects.toThrow('major format version 10');
    expect((await imported(`[1,9,${scan}`)).title).toBe('t');
  });

  test.each([
    ['nothing', ''],
    ['no array', '{"a":1}'],
    ['no JSON', '[1,2,{"a":x},[{"name":"t"}]]'],
    ['cut off', '[1,2,{},[{"name":"t"},{"name":"x"}'],
    ['cut off in an object', '[1,2,{},[{"name":"t"},{"nam'],
    ['no name', '[1,2,{},[{"name":"t"},{"asize":5}]]'],
    ['no header', '[[{"name":"t"}]]'],
    ['more after its end', '[1,2,{},[{"name":"t"}]][1]'],
  ])('refused: %s', async (_, text) => {
    await expect(imported(text)).rejects.toThrow("not a scan in ncdu's format");
  });

  test('UTF-16, as some shells redirect, is refused with what to do; a byte order mark is not', async () => {
    const text = '[1,2,{},[{"name":"t"}]]';
    const wide = (async function* () {
      yield Buffer.from(`\ufeff${text}`, 'utf16le');
    })();
    await expect(importNcdu(wide)).rejects.toThrow('it is UTF-16; save it as UTF-8');
    expect((await imported(`\ufeff${text}`)).title).toBe('t');
  });

  test('a file of another format is said to be no JSON', async () => {
    await expect(imported('root:x:0:0')).rejects.toThrow('format: it is not JSON');
    await expect(imported('[1,2')).rejects.toThrow('format: incomplete');
  });
});
