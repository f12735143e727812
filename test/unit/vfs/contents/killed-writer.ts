/**
 * A program that writes files through contents above a folder until it is killed: `node killed-writer.ts remote cache`.
 * Says `begin NAME HASH` before it begins a version of a file and `closed NAME HASH` when it has closed it.
 */
import { createHash, randomBytes } from 'node:crypto';
import { writeSync } from 'node:fs';
import { op, openOverFolder, remoteOf } from './folder-contents.ts';

const [, , root = '', cacheDir = ''] = process.argv;
const contents = await openOverFolder(root, cacheDir, 20);
const say = (line: string) => writeSync(1, `${line}\n`);
say('ready');

const access = { read: true, write: true, truncate: true };
const versions = new Map<string, Buffer>();
for (;;) {
  const name = `dir/f${Math.floor(Math.random() * 6)}`;
  const before = versions.get(name);
  const changes = before !== undefined && Math.random() < 0.5;
  const content = changes ? patched(before) : randomBytes(randomLength());
  const digest = createHash('md5').update(content).digest('hex');
  say(`begin ${name} ${digest}`);
  const waits = contents.pending(name);
  const there = waits === undefined ? await contentsEntry(name) : undefined;
  const file = await contents.open(name, there, { ...access, truncate: !changes }, op);
  // Only what differs: the rest must have survived.
  const from = changes ? content.length - 1000 : 0;
  for (let at = from; at < content.length; at += 50_000) {
    await file.write(at, content.subarray(at, at + 50_000), op);
  }
  await file.flush(op);
  say(`closed ${name} ${digest}`);
  await file.release(op);
  versions.set(name, content);
}

/** Often so little that the journal takes it. */
function randomLength(): number {
  return Math.floor(Math.random() * (Math.random() < 0.5 ? 18_000 : 300_000));
}

/** What it was, but for its end, which is longer. */
function patched(before: Buffer): Buffer {
  return Buffer.concat([before, randomBytes(1000)]);
}

async function contentsEntry(path: string) {
  const entry = await remoteOf(root).stat(path, op);
  return entry?.kind === 'file' ? entry : undefined;
}
