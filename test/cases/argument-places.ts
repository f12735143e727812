import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { COMMANDS } from '../../commands/index.ts';
import { allUsages, type CommandUsage } from '../../src/shell/command-line/command.ts';

/** The arguments of a command as its usage line shows them, without the pairs of `config create`. */
export function argumentPlaces({ usage }: CommandUsage): readonly string[] {
  const plain = usage.replace(/ ?\[(?:key=|argument).*/, '').replace(/[[\]]/g, '');
  return plain.split(' ').filter((place) => place !== '');
}

/** Whether a place is for `remote:path`. */
export function isPath(place: string): boolean {
  return place.includes(':path');
}

/** Arguments with which the command would work in a folder that has `dir`, `out` and `sums`. */
export function sampleArguments(usage: CommandUsage, folder: string): readonly string[] {
  return argumentPlaces(usage).map((place) => {
    const sample = SAMPLES[place];
    if (sample === undefined) throw new Error(`no sample for "${place}" of ${usage.name}`);
    return sample.startsWith('@') ? join(folder, sample.slice(1)) : sample;
  });
}

/** A value for each place of usage lines; `@` stands for the folder. */
const SAMPLES: Readonly<Record<string, string>> = {
  'remote:path': '@dir',
  'remote:path…': '@dir',
  'source:path': '@dir',
  'dest:path': '@out',
  path: 'plain',
  path1: '@dir',
  path2: '@out',
  hash: 'md5',
  'run-id': '7k3f',
  run: '7k3f',
  'path…': 'a',
  sumfile: '@sums',
  'https://example.com': 'http://127.0.0.1:1/x',
  command: 'features',
  mode: 'skip',
  'ls|abort': 'ls',
  'ls|restore|prune': 'ls',
  'ls|restore|empty': 'ls',
  tier: 'STANDARD',
  '/path/to/mountpoint': '@out',
  '/path/to/directory': '@dir',
};

/** These came after rclone 1.60.1, and need a flag or only a path that can be read: they have tests of their own. */
const NEWER = ['convmv', 'config string', 'doctor'];
/** rclone does not have them, or they do not end: a mount or a server that works. */
const NOT_COMPARED = /^(?:mount|serve|why|guard|versions|uploads|scrub|unlock|trash|worker)(?: |$)/;

/** The commands that take paths. */
export const withPaths = allUsages(COMMANDS).filter(
  (usage) =>
    usage.hidden !== true && argumentPlaces(usage).some(isPath) && !NEWER.includes(usage.name),
);

/** The paths, by their places and what is there, for which rclone ends with the same exit code. */
export function comparedPaths(usage: CommandUsage): (readonly [place: string, what: string])[] {
  if (NOT_COMPARED.test(usage.name)) return [];
  const places = argumentPlaces(usage).filter(isPath);
  return ['missing', 'file', 'dir'].flatMap((what) =>
    places
      .filter((place) => !DIFFERENT.includes(`${usage.name} ${place} ${what}`))
      .map((place) => [place, what] as const),
  );
}

/** Writes what the samples name into a folder, which holds nothing else then. */
export async function writeSampleFiles(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  for (const dir of ['dir/sub', 'out', 'home']) await mkdir(join(folder, dir), { recursive: true });
  await writeFile(join(folder, 'dir/f'), 'x');
  await writeFile(join(folder, 'dir/sub/g'), 'y');
  await writeFile(join(folder, 'file'), 'z');
  await writeFile(join(folder, 'sums'), '');
}

/**
 * Where another exit code is meant, or those of rclone 1.60.1 and 1.75 differ: local disks can be cleaned up; a source
 * that is missing ends `moveto` alike whether the destination is there or not; `deletefile` of nothing ends with 4
 * since rclone 1.62; `ncdu` without a terminal is a wrong use of it; a missing directory ends `purge` alike everywhere.
 */
const DIFFERENT = [
  'backend remote:path file',
  'cleanup remote:path missing',
  'cleanup remote:path dir',
  'deletefile remote:path missing',
  'deletefile remote:path dir',
  'moveto source:path missing',
  'ncdu remote:path missing',
  'ncdu remote:path file',
  'ncdu remote:path dir',
  'purge remote:path missing',
];
