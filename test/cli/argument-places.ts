import { join } from 'node:path';
import type { CommandUsage } from '../../src/app/command.ts';

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
