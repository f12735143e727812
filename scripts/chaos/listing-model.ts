import { createHash } from 'node:crypto';
import type { Case } from './case.ts';
import { contentOf, sizeOfContent } from './content.ts';
import { FILTER_FLAGS, filterOf } from './filter-model.ts';
import { CaseFlags } from './flags.ts';
import { shareHash, TRAITS } from './traits.ts';
import { dirsAbove, type FoundFile, type Tree, type World } from './tree.ts';
import { nothingChanges, type Prediction } from './wanted.ts';

/** Commands that only read a place, `b`. */
export const LISTINGS = ['ls', 'lsl', 'lsf', 'lsjson', 'size', 'md5sum', 'cat'];

/** What they are to print. Lines whose order is open are sorted. */
export function predictListing(trial: Case, world: World): Prediction {
  const flags = new CaseFlags(trial.flags);
  const { b } = world;
  if (b === undefined) return nothingChanges(world, 'fail');
  if (trial.name !== undefined && !b.files.has(trial.name)) return nothingChanges(world, 'any');
  const keeps = filterOf(flags, b);
  const isChosen = (path: string) => trial.name === undefined || path === trial.name;
  const files = [...b.files].filter(([path, file]) => isChosen(path) && keeps(path, file));
  const linesOf = LINES[trial.command] ?? (() => []);
  const output = linesOf(files, trial, b).sort();
  return { ...nothingChanges(world, 0), settles: false, output };
}

type Lines = (files: readonly [string, FoundFile][], trial: Case, tree: Tree) => string[];

const LINES: Readonly<Record<string, Lines>> = {
  ls: (files) => files.map(([path, file]) => `${`${sizeOf(file)}`.padStart(9)} ${path}`),
  lsl: (files, { to }) =>
    files.map(([path, file]) => `${`${sizeOf(file)}`.padStart(9)} ${dateOf(file, to, 9)} ${path}`),
  lsf: (files, trial, tree) => {
    if (trial.flags.includes('--format=pst')) {
      return files.map(([path, file]) => `${path};${sizeOf(file)};${dateOf(file, trial.to, 0)}`);
    }
    const implied = files.flatMap(([path]) => dirsAbove(path));
    const dirs = TRAITS[trial.to].dirs && !isFiltered(trial) ? tree.dirs : implied;
    return [...files.map(([path]) => path), ...[...new Set(dirs)].map((dir) => `${dir}/`)];
  },
  lsjson: (files, { to }) =>
    files.map(([path, file]) =>
      JSON.stringify([path, sizeOf(file), dateOf(file, to, 0), hashOf(file, to)]),
    ),
  size: (files) => {
    const bytes = files.reduce((sum, [, file]) => sum + sizeOf(file), 0);
    return [JSON.stringify([files.length, bytes])];
  },
  md5sum: (files) => files.map(([path, file]) => `${md5(file)}  ${path}`),
  cat: (files, { flags }) => {
    const [, count] = /--count=(\d+)/.exec(flags.join(' ')) ?? [];
    const [, offset = '0'] = /--offset=(\d+)/.exec(flags.join(' ')) ?? [];
    const end = count === undefined ? undefined : Number(offset) + Number(count);
    return files.map(([, file]) => bytesOf(file).subarray(Number(offset), end).toString('hex'));
  },
};

/** The lines of the output that are compared, sorted; `lsjson` and `size` in the form that the model gives. */
export function linesPrinted(trial: Case, output: Buffer): string[] {
  if (trial.command === 'cat') return [output.toString('hex')];
  const text = output.toString().normalize();
  if (trial.command === 'size') {
    const { count, bytes } = JSON.parse(text);
    return [JSON.stringify([count, bytes])];
  }
  if (trial.command === 'lsjson') {
    const entries: { Path: string; Size: number; ModTime: string; Hashes?: { md5?: string } }[] =
      JSON.parse(text);
    return entries
      .map(({ Path, Size, ModTime, Hashes }) => {
        const time = ModTime.replace('T', ' ').slice(0, 19);
        return JSON.stringify([asNamed(Path), Size, time, Hashes?.md5 ?? '']);
      })
      .sort();
  }
  return asNamed(text).split('\n').slice(0, -1).sort();
}

/** A tab is shown as its symbol, as rclone does. */
function asNamed(text: string): string {
  return text.replaceAll('␉', '\t');
}

function isFiltered({ flags }: Case): boolean {
  return new CaseFlags(flags).has(...FILTER_FLAGS);
}

function sizeOf({ content }: FoundFile): number {
  return sizeOfContent(content);
}

function bytesOf({ content }: FoundFile): Buffer {
  const [size = '0', id = '0'] = content.split(':');
  return contentOf(Number(size), Number(id));
}

function md5(file: FoundFile): string {
  return createHash('md5').update(bytesOf(file)).digest('hex');
}

function hashOf(file: FoundFile, kind: Case['to']): string {
  return shareHash(kind, 's3') ? md5(file) : '';
}

function dateOf({ time }: FoundFile, kind: Case['to'], digits: number): string {
  const cut = time - (kind === 'drive' ? time % 1_000_000_000n : 0n);
  const seconds = new Date(Number(cut / 1_000_000n)).toISOString().slice(0, 19).replace('T', ' ');
  return digits === 0 ? seconds : `${seconds}.${`${cut % 1_000_000_000n}`.padStart(digits, '0')}`;
}
