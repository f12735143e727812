import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Entry } from '../src/core/remote.ts';
import { ROOT } from '../src/size-tree/node.ts';
import { SizeTree } from '../src/size-tree/size-tree.ts';
import { TreeFeed } from '../src/size-tree/tree-feed.ts';

/**
 * What the browser of sizes costs: memory for each of a million entries, and how long a key takes until its frame is
 * written, in a directory of 100,000 files. Needs the built program and `script` (util-linux).
 *
 *     node bench/browser.ts
 */
const ENTRIES = 1_000_000;
const FILES = 100_000;
const program = resolve(import.meta.dirname, '../dist/syncer.js');

function measureTree(): void {
  const before = process.memoryUsage();
  const tree = new SizeTree();
  const feed = new TreeFeed(tree, ROOT);
  const since = performance.now();
  for (let page = 0; page < ENTRIES / 1000; page++) {
    const entries = Array.from({ length: 1000 }, (_, n): Entry => {
      const path = `photos/2024/album-${page}/IMG_${String(n).padStart(6, '0')}.jpg`;
      return { kind: 'file', path, size: n * page, storedTime: 1_700_000_000_000_000_000n };
    });
    feed.flatPage(entries);
  }
  const ms = performance.now() - since;
  const { rss, arrayBuffers } = process.memoryUsage();
  console.log(`${tree.nodes} entries in ${ms.toFixed(0)} ms`);
  const each = (bytes: number) => (bytes / tree.nodes).toFixed(0);
  console.log(`arrays:      ${each(arrayBuffers - before.arrayBuffers)} bytes per entry`);
  console.log(`whole process: ${each(rss - before.rss)} bytes per entry more than before`);
}

/** Keys, and what they are called; with several, each round presses the next. */
type Keys = readonly (readonly [keys: string | readonly string[], what: string])[];

/**
 * Presses keys in a browser, and prints how long each takes until its last byte is written: a frame that only says
 * "searching" does not count.
 */
async function measureKeys(args: string, ready: RegExp, keys: Keys): Promise<void> {
  const line = `stty cols 80 rows 24; exec ${process.execPath} ${program} ncdu ${args}`;
  const env = { ...process.env, LC_ALL: 'C.UTF-8', TERM: 'xterm-256color' };
  const child = spawn('script', ['-qfec', line, '/dev/null'], { env });
  let seen = '';
  let last = 0;
  child.stdout.on('data', (chunk) => {
    seen += chunk;
    last = performance.now();
  });
  while (!ready.test(seen)) await sleep(20);
  await sleep(500);
  for (const [pressed, what] of keys) {
    const each = typeof pressed === 'string' ? [pressed] : pressed;
    const times: number[] = [];
    for (
      let round = 0;
      round < Math.max(each.length, pressed === '/' || pressed === 'F' ? 1 : 15);
      round++
    ) {
      const since = performance.now();
      last = since;
      child.stdin.write(each[round % each.length] ?? '');
      do await sleep(60);
      while (last === since || performance.now() - last < 300);
      times.push(last - since);
    }
    times.sort((a, b) => a - b);
    const [middle, most] = [times[times.length >> 1] ?? 0, times.at(-1) ?? 0];
    console.log(`${what.padEnd(20)} ${middle.toFixed(1)} ms, slowest ${most.toFixed(1)} ms`);
  }
  child.stdin.write('\x03');
  await new Promise((resolve) => child.once('close', resolve));
}

async function inDirectory(folder: string): Promise<void> {
  const tree = join(folder, 'tree');
  await mkdir(tree);
  for (let at = 0; at < FILES; at += 1000) {
    const names = Array.from({ length: 1000 }, (_, n) => `file-${(at + n) * 7}.dat`);
    await Promise.all(names.map((name) => writeFile(join(tree, name), 'x'.repeat(at % 37))));
  }
  await measureKeys(tree, /100,000 files.* in /, [
    ['j', 'down'],
    ['\x1b[6~', 'page down'],
    [['\x1b[F', '\x1b[H', '\x1b[F', '\x1b[H', '\x1b[F', '\x1b[H'], 'to the end and back'],
    ['n', 'order by name'],
    ['s', 'order by size'],
    ['/', 'filter: begin'],
    ['7', 'filter: type'],
  ]);
}

/** Finds in a scan of a million entries that a file holds. */
async function inScan(folder: string): Promise<void> {
  const scan = join(folder, 'scan.json');
  const dirs = Array.from({ length: ENTRIES / 1000 }, (_, page) =>
    JSON.stringify([
      { name: `album-${page}` },
      ...Array.from({ length: 1000 }, (_, n) => ({
        name: `IMG_${String(n).padStart(6, '0')}-${(page * 7919) % 1009}.jpg`,
        asize: n * page,
      })),
    ]),
  );
  await writeFile(scan, `[1,2,{},[{"name":"/photos"},${dirs.join(',\n')}]]`);
  await measureKeys(`-f ${scan}`, /1,000,000 files|1000000 files|1,001,00/, [
    ['F', 'find: begin'],
    [[...'album-77/IMG42'], 'find: type'],
    ['\x7f', 'find: erase'],
  ]);
}

measureTree();
const folder = await mkdtemp(join(tmpdir(), 'bench-browser-'));
await inDirectory(folder);
await inScan(folder);
await rm(folder, { recursive: true });
