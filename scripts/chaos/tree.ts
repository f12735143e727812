import { dirname } from 'node:path/posix';
import type { Plan, Planted } from './case.ts';

/** A file as it was found. The time is in nanoseconds. */
export interface FoundFile {
  readonly content: string;
  readonly time: bigint;
}

/** What a place holds: files and links by path, and all its directories. */
export interface Tree {
  readonly files: ReadonlyMap<string, FoundFile>;
  readonly dirs: ReadonlySet<string>;
  readonly links: ReadonlyMap<string, string>;
}

/** The places of a trial; `undefined` where one is not there. */
export interface World {
  readonly a: Tree | undefined;
  readonly b: Tree | undefined;
  readonly c: Tree | undefined;
}

export const SIDES = ['a', 'b', 'c'] as const;
export type SideName = (typeof SIDES)[number];

/** A place that holds nothing. */
export const NOTHING: Tree = { files: new Map(), dirs: new Set(), links: new Map() };

/** All directories above a path, without the root. */
export function dirsAbove(path: string): string[] {
  const dirs: string[] = [];
  for (let dir = dirname(path); dir !== '.' && dir !== '/'; dir = dirname(dir)) dirs.push(dir);
  return dirs;
}

/** Whether a path lies in a directory. */
export function isBelow(path: string, dir: string): boolean {
  return path.startsWith(`${dir}/`);
}

/** Seconds as text to nanoseconds. */
export function timeOf(text: string): bigint {
  const [whole = '0', fraction = ''] = text.split('.');
  const nanoseconds = BigInt(fraction.padEnd(9, '0'));
  return BigInt(whole) * 1_000_000_000n + (whole.startsWith('-') ? -nanoseconds : nanoseconds);
}

/** The files of a plan, without its empty directories and links. */
export function plantedFiles(plan: Plan): (readonly [path: string, file: Planted])[] {
  return Object.entries(plan).filter(([, what]) => typeof what !== 'string');
}

/** Paths that cannot be together in one tree of files: one is a directory for the other. */
export function clashes(plan: Plan, path: string): boolean {
  const above = dirsAbove(path);
  return Object.entries(plan).some(
    ([other, what]) =>
      other === path || isBelow(other, path) || (what !== 'dir' && above.includes(other)),
  );
}
