import { expect } from 'vitest';
import { toSyncerError } from '../../src/core/errors.ts';
import type { Entry, FileEntry, Remote } from '../../src/core/remote.ts';
import type { TestGraph } from '../servers/graph/start-graph.ts';
import { contentsOf, type Files, runOnce } from './memory-world.ts';
import { OP } from './open-s3.ts';

/** Two fragments. */
export const BIG = 'not the same everywhere. '.repeat(14_000);
export const NEW: Files = {
  same: 's',
  changed: ['new one', 2000],
  fresh: 'f',
  empty: '',
  'dir/x': ['new x', 3000],
  'dir/deep/y': 'y',
  big: BIG,
};
export const OLD: Files = {
  same: 's',
  changed: ['old', 1500],
  empty: 'was not',
  extra: 'extra',
  'extra dir/z': 'z',
  'dir/x': ['old', 1500],
};
/** Nobody asks for anything to be done to these. */
export const NEIGHBOURS: Files = {
  'first/new one': 'n',
  'other/same': 'm',
  'other/x': ['old', 1500],
};

/** A drive that is lied about, and how to open a folder of it. */
export type World = { graph: TestGraph; drive(root: string): Promise<Remote> };
export type Texts = Readonly<Record<string, string>>;

const textOf = (file: Files[string]) => (typeof file === 'string' ? file : file[0]);
export const textsOf = (files: Files): Texts =>
  Object.fromEntries(Object.entries(files).map(([path, file]) => [path, textOf(file)]));

/** Puts files below a folder of the drive. */
export function fill({ drive }: TestGraph, root: string, files: Files): void {
  for (const [path, file] of Object.entries(files)) {
    const second = typeof file === 'string' ? 1000 : file[1];
    drive.put(`${root}${path}`, textOf(file), new Date(second * 1000));
  }
}

/** The files below a folder of the drive. */
export function under({ drive }: TestGraph, root: string): Texts {
  const all = Object.entries(drive.tree()).filter(([path]) => !path.endsWith('/'));
  const below = all.filter(([path]) => path.startsWith(root));
  return Object.fromEntries(below.map(([path, text]) => [path.slice(root.length), text]));
}

export async function inMemory(remote: Remote): Promise<Texts> {
  const files = Object.entries(await contentsOf(remote)).filter(([path]) => !path.endsWith('/'));
  return Object.fromEntries(files.map(([path, text]) => [path, text.replace(/@-?\d+$/, '')]));
}

/** Every file is as it was, or as it was to be. */
export function expectNoneWrong(found: Texts, ...right: readonly Texts[]): void {
  for (const [path, text] of Object.entries(found)) {
    const known = right.map((texts) => texts[path]);
    expect(known.includes(text), `${path} holds ${text.slice(0, 20)}`).toBe(true);
  }
}

/** Of every file that was moved there is the source or the copy. */
export function expectNoneLost(files: Files, ...places: readonly Texts[]): void {
  for (const [path, text] of Object.entries(textsOf(files))) {
    expect(
      places.some((place) => place[path] === text),
      `${path} is there`,
    ).toBe(true);
  }
}

/** What the user gets is an error, or what was asked for was done. */
export async function judge(work: () => Promise<unknown>, isDone: () => void): Promise<void> {
  const error = await work().then(
    () => undefined,
    (thrown: unknown) => toSyncerError(thrown),
  );
  if (error === undefined) isDone();
  else expect(['other', error.message]).not.toEqual([error.code, expect.anything()]);
}

export async function run(...args: Parameters<typeof runOnce>): Promise<void> {
  const { error } = await runOnce(...args);
  if (error !== undefined) throw error;
}

export async function listed(remote: Remote, dir = ''): Promise<Entry[]> {
  const found: Entry[] = [];
  let cursor: string | undefined;
  do {
    const page = await remote.listPage(dir, cursor, OP);
    if (page.failed?.[0] !== undefined) throw page.failed[0].error;
    found.push(...page.entries);
    cursor = page.cursor;
    if (found.length > 100) throw new Error('it never ends');
  } while (cursor !== undefined);
  return found;
}

export const isFile = (entry: Entry): entry is FileEntry => entry.kind === 'file';

/** What is done under a lie, by name; `lie` begins it. */
export type LiedOperations = Readonly<
  Record<string, (world: World, lie: () => void) => Promise<void>>
>;
