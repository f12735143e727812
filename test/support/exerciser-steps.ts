import { createHash } from 'node:crypto';
import {
  type FileHandle,
  mkdir,
  open,
  readdir,
  readFile,
  rename,
  rmdir,
  stat,
  unlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';

/** One of the two file systems that are compared. */
export interface Side {
  readonly root: string;
  /** Files that are held open, by a number that both sides share. */
  readonly open: Map<number, FileHandle>;
}

/** Something to be done on both sides. */
export interface Step {
  readonly name: string;
  act(side: Side): Promise<unknown>;
}

type Random = (below: number) => number;

const DIRS = ['', 'a', 'a/b', 'c'];
const NAMES = ['one', 'two', 'drei ü', 'four'];
const MAX_SIZE = 300_000;

/** A random operation; `open` are the numbers of the files that are held open. */
export function pickStep(random: Random, open: readonly number[], writesAnywhere: boolean): Step {
  const path = join(oneOf(random, DIRS), oneOf(random, NAMES));
  const other = join(oneOf(random, DIRS), oneOf(random, NAMES));
  const dir = oneOf(random, DIRS.slice(1));
  const otherDir = oneOf(random, DIRS.slice(1));
  const kind = random(20);
  if (kind < 5) return writeWhole(random, path, writesAnywhere);
  if (kind < 10 && writesAnywhere) return stepOnOpenFile(random, path, open);
  switch (kind) {
    case 10:
      return { name: `unlink ${path}`, act: ({ root }) => unlink(join(root, path)) };
    case 11:
    case 12:
      return renaming(path, other);
    case 13:
      return { name: `mkdir ${dir}`, act: ({ root }) => mkdir(join(root, dir)) };
    case 14:
      return { name: `rmdir ${dir}`, act: ({ root }) => rmdir(join(root, dir)) };
    case 15:
      return renaming(dir, otherDir);
    case 16:
      return touch(path, 1_000_000_000 + random(500_000_000));
    case 17:
      return { name: `list ${dir}`, act: ({ root }) => namesIn(join(root, dir)) };
    case 18:
      return { name: `stat ${path}`, act: ({ root }) => shape(join(root, path)) };
    default:
      return { name: `read ${path}`, act: ({ root }) => digest(join(root, path)) };
  }
}

/** Every path below the root with its size and its content. */
export async function snapshotOf({ root }: Side): Promise<unknown> {
  const tree: Record<string, unknown> = {};
  const look = async (dir: string): Promise<void> => {
    for (const name of await namesIn(join(root, dir))) {
      const path = join(dir, name);
      const found = await shape(join(root, path));
      tree[path] = found.kind === 'dir' ? 'dir' : await digest(join(root, path));
      if (found.kind === 'dir') await look(path);
    }
  };
  await look('');
  return tree;
}

function writeWhole(random: Random, path: string, appends: boolean): Step {
  const flag = random(4) === 0 && appends ? 'a' : random(6) === 0 ? 'wx' : 'w';
  const size = random(5) === 0 ? random(MAX_SIZE) : random(5_000);
  const data = bytesOf(random, size);
  return {
    name: `write ${size} to ${path} (${flag})`,
    act: ({ root }) => writeFile(join(root, path), data, { flag }),
  };
}

function stepOnOpenFile(random: Random, path: string, open: readonly number[]): Step {
  const number = random(4);
  if (!open.includes(number)) return opening(path, number, oneOf(random, ['r+', 'w+', 'a+']));
  const at = random(MAX_SIZE);
  const size = random(20_000);
  const held = (name: string, act: (file: FileHandle) => Promise<unknown>): Step => ({
    name: `${name} of open file ${number}`,
    act: ({ open }) => act(open.get(number) as FileHandle),
  });
  switch (random(7)) {
    case 0:
      return closing(number);
    case 1:
    case 2: {
      const data = bytesOf(random, size);
      return held(
        `write ${size} at ${at}`,
        async (file) => (await file.write(data, 0, size, at)).bytesWritten,
      );
    }
    case 3:
      return held(`truncate to ${at}`, (file) => file.truncate(at));
    case 4:
      return held('stat', async (file) => (await file.stat()).size);
    case 5:
      return held('sync', (file) => file.sync());
    default:
      return held(`read ${size} at ${at}`, async (file) => {
        const { buffer, bytesRead } = await file.read(Buffer.alloc(size), 0, size, at);
        return hashOf(buffer.subarray(0, bytesRead));
      });
  }
}

function opening(path: string, number: number, flags: string): Step {
  return {
    name: `open ${path} as ${number} (${flags})`,
    act: async ({ root, open: held }) => {
      held.set(number, await open(join(root, path), flags));
    },
  };
}

function closing(number: number): Step {
  return {
    name: `close ${number}`,
    act: async ({ open: held }) => {
      const file = held.get(number);
      held.delete(number);
      await file?.close();
    },
  };
}

function renaming(from: string, to: string): Step {
  return {
    name: `rename ${from} to ${to}`,
    act: ({ root }) => rename(join(root, from), join(root, to)),
  };
}

function touch(path: string, seconds: number): Step {
  return {
    name: `touch ${path} -d @${seconds}`,
    act: async ({ root }) => {
      await utimes(join(root, path), seconds, seconds);
      return (await stat(join(root, path))).mtimeMs;
    },
  };
}

async function namesIn(dir: string): Promise<string[]> {
  return (await readdir(dir)).sort();
}

async function shape(path: string): Promise<{ kind: 'dir' | 'file'; size: number }> {
  const found = await stat(path);
  return found.isDirectory() ? { kind: 'dir', size: 0 } : { kind: 'file', size: found.size };
}

async function digest(path: string): Promise<string> {
  const content = await readFile(path);
  return `${content.length} ${hashOf(content)}`;
}

function hashOf(bytes: Uint8Array): string {
  return createHash('sha1').update(bytes).digest('hex').slice(0, 12);
}

function bytesOf(random: Random, size: number): Buffer {
  const pattern = Buffer.from(Array.from({ length: 97 }, () => random(256)));
  return Buffer.alloc(size, pattern);
}

function oneOf<T>(random: Random, values: readonly T[]): T {
  return values[random(values.length)] as T;
}
