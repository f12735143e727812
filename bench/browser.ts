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
  const before = process.memoryUsage.rss();
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
  const grown = process.memoryUsage.rss() - before;
  console.log(`${tree.nodes} entries in ${ms.toFixed(0)} ms`);
  console.log(`arrays:      ${(tree.memory / tree.nodes).toFixed(0)} bytes per entry`);
  console.log(`whole process: ${(grown / tree.nodes).toFixed(0)} bytes per entry more than before`);
}

async function measureKeys(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'bench-browser-'));
  const tree = join(folder, 'tree');
  await mkdir(tree);
  for (let at = 0; at < FILES; at += 1000) {
    const names = Array.from({ length: 1000 }, (_, n) => `file-${(at + n) * 7}.dat`);
    await Promise.all(names.map((name) => writeFile(join(tree, name), 'x'.repeat(at % 37))));
  }
  const line = `stty cols 80 rows 24; exec ${process.execPath} ${program} ncdu ${tree}`;
  const env = { ...process.env, LC_ALL: 'C.UTF-8', TERM: 'xterm-256color' };
  const child = spawn('script', ['-qfec', line, '/dev/null'], { env });
  let seen = '';
  let arrived = () => {};
  child.stdout.on('data', (chunk) => {
    seen += chunk;
    arrived();
  });
  while (!/100,000 files.* in /.test(seen)) await sleep(20);
  await sleep(500);
  for (const [key, what] of [
    ['j', 'down'],
    ['\x1b[6~', 'page down'],
    [['\x1b[F', '\x1b[H'], 'to the end and back'],
    ['n', 'order by name'],
    ['s', 'order by size'],
    ['/', 'filter: begin'],
    ['7', 'filter: type'],
  ] as const) {
    const times: number[] = [];
    for (let round = 0; round < (key === '/' ? 1 : 15); round++) {
      const frame = new Promise<void>((resolve) => {
        arrived = resolve;
      });
      const since = performance.now();
      child.stdin.write(typeof key === 'string' ? key : (key[round % 2] ?? ''));
      await Promise.race([frame, sleep(1000)]);
      times.push(performance.now() - since);
      await sleep(60);
    }
    times.sort((a, b) => a - b);
    const [middle, last] = [times[times.length >> 1] ?? 0, times.at(-1) ?? 0];
    console.log(`${what.padEnd(20)} ${middle.toFixed(1)} ms, slowest ${last.toFixed(1)} ms`);
  }
  child.stdin.write('\x03');
  await new Promise((resolve) => child.once('close', resolve));
  await rm(folder, { recursive: true });
}

measureTree();
await measureKeys();
