import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { makeSyncerWorld, type SyncerWorld } from '../support/run-syncer.ts';

let world: SyncerWorld;

beforeEach(async () => {
  world = await makeSyncerWorld();
});

// No program can delete it by its path.
afterEach(async () => {
  execFileSync('rm', ['-rf', 'deep'], { cwd: world.dir });
  await world.remove();
});

const nameOf = (i: number) => String(i).padStart(7, '0');
const longName = (i: number) => `l${nameOf(i)}${'x'.repeat(100)}`;

/**
 * Makes a directory whose path has 4040 bytes, and files in it whose names have 8 and 108: the system takes at most
 * 4095.
 */
function makeDeep(files: number): string {
  const segment = `${'d'.repeat(99)}/`;
  let path = join(world.dir, 'deep/');
  const lengths: number[] = [];
  while (path.length < 4040) {
    const more = Math.min(100, 4040 - path.length);
    lengths.push(more);
    path += `${segment.slice(0, more - 1)}/`;
  }
  const script = `mkdir deep; cd deep
for d in "$@"; do mkdir $d; cd $d; done
xargs touch`;
  const dirs = lengths.map((length) => 'd'.repeat(length - 1));
  const input = Array.from({ length: files }, (_, i) => `s${nameOf(i)} ${longName(i)}`).join(' ');
  execFileSync('sh', ['-ec', script, 'sh', ...dirs], { cwd: world.dir, input });
  return path.slice(0, -1);
}

test.each([3, 600])(
  'what is in a directory and has too long a path is an error, and nothing is deleted: %i files',
  async (files) => {
    const deep = makeDeep(files);
    const copy = join(world.dir, 'copy');
    await mkdir(copy);
    await writeFile(join(copy, 'only here'), '');
    for (let i = 0; i < files; i++) {
      await writeFile(join(copy, longName(i)), '');
    }
    const listed = await world.run(['lsf', deep]);
    expect(listed.stdout.toString().match(/^s/gm)).toHaveLength(files);
    for (const flags of [[], ['--ignore-errors']]) {
      const { code, stderr } = await world.run(['sync', deep, copy, '--retries', '1', ...flags]);
      expect(stderr).toMatch(/file name too long/);
      expect(code).not.toBe(0);
      expect(readdirSync(copy).filter((name) => name.startsWith('l'))).toHaveLength(files);
    }
    expect(readdirSync(copy)).not.toContain('only here');
  },
);
