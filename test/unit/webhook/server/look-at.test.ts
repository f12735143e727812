import {
  appendFile,
  mkdir,
  mkdtemp,
  rename,
  rm,
  symlink,
  unlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { lookAt, type Seen } from '../../../../src/webhook/server/look-at.ts';

let folder: string;
let path: string;
let known: Map<string, Seen>;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'look-at-'));
  path = join(folder, 'hooks.json');
  known = new Map();
  await writeFile(path, 'one');
  await looks(1);
});
afterEach(() => rm(folder, { recursive: true }));

/** Checks some times, and gives what is reported. */
async function looks(times: number): Promise<string[]> {
  const reported: string[] = [];
  for (let i = 0; i < times; i++) {
    await lookAt(
      path,
      known,
      async () => void reported.push(`changed at ${i + 1}`),
      (_, why) => void reported.push(`gone at ${i + 1}${why ? `: ${why}` : ''}`),
    );
  }
  return reported;
}

/** Writes a file as it looks a minute later. */
async function writeOld(name: string, text: string): Promise<void> {
  await writeFile(name, text);
  const time = Date.now() / 1000 - 60;
  await utimes(name, time, time);
}

test('a file that a rename put there counts at the second check if it was written before', async () => {
  await writeOld(`${path}.new`, 'two');
  await rename(`${path}.new`, path);
  expect(await looks(8)).toEqual(['changed at 2']);
});

test('so does one that a link leads to now, and one that comes back', async () => {
  await writeOld(`${path}.new`, 'two');
  await symlink(`${path}.new`, `${path}.link`);
  await rename(`${path}.link`, path);
  expect(await looks(8)).toEqual(['changed at 2']);
  await unlink(path);
  await looks(3);
  await writeOld(`${path}.other`, 'three');
  await rename(`${path}.other`, path);
  expect(await looks(8)).toEqual(['changed at 2']);
});

test('a file that was deleted and is written again counts when it has not changed for five checks', async () => {
  await rename(path, `${path}.old`);
  await writeFile(path, 'half');
  expect(await looks(4)).toEqual([]);
  await appendFile(path, ', and the rest');
  expect(await looks(8)).toEqual(['changed at 6']);
});

test('so does one that is written behind a link that was switched', async () => {
  await writeFile(`${path}.new`, 'half');
  await symlink(`${path}.new`, `${path}.link`);
  await rename(`${path}.link`, path);
  expect(await looks(4)).toEqual([]);
  await appendFile(`${path}.new`, ', and the rest');
  expect(await looks(8)).toEqual(['changed at 6']);
});

test('a file written in place counts when it has not changed for five checks', async () => {
  await writeFile(path, 'half');
  expect(await looks(5)).toEqual([]);
  await appendFile(path, ', and the rest');
  expect(await looks(8)).toEqual(['changed at 6']);
});

test('so does one that a rename put there and that is written on', async () => {
  await writeFile(`${path}.new`, 'half');
  await rename(`${path}.new`, path);
  expect(await looks(1)).toEqual([]);
  await appendFile(path, ', and the rest');
  expect(await looks(8)).toEqual(['changed at 6']);
});

test('what takes the place of a file and cannot be read is reported with the reason', async () => {
  await unlink(path);
  await mkdir(path);
  expect(await looks(8)).toEqual(['gone at 6: is a directory']);
  await rm(path, { recursive: true });
  await writeOld(path, 'one more');
  await looks(8);
  await rm(path);
  await symlink('hooks.json', path);
  expect(await looks(8)).toEqual(['gone at 2: too many levels of symbolic links']);
});

test('so does one that was missing; a missing one is reported at the second check', async () => {
  await unlink(path);
  expect(await looks(8)).toEqual(['gone at 2']);
  await writeFile(path, 'half');
  expect(await looks(8)).toEqual(['changed at 6']);
});
