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
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  LOOK_INTERVAL_MS,
  type LookOptions,
  lookAt,
  type Seen,
} from '../../../../src/webhook/server/watch-hooks.ts';

let folder: string;
let path: string;
let known: Map<string, Seen>;
let now: number;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'look-at-'));
  path = join(folder, 'hooks.json');
  known = new Map();
  now = 0;
  await writeFile(path, 'one');
  await looks(1);
});
afterEach(() => rm(folder, { recursive: true }));

/** Checks some times at the usual interval, and gives what is reported. */
async function looks(times: number): Promise<string[]> {
  const reported: string[] = [];
  for (let i = 0; i < times; i++) {
    await lookAt(
      path,
      known,
      async () => void reported.push(`changed at ${i + 1}`),
      (_, why) => void reported.push(`gone at ${i + 1}${why ? `: ${why}` : ''}`),
      { now },
    );
    now += LOOK_INTERVAL_MS;
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

/** Checks a file every 25 ms, with an edit before some of the checks; gives when it counts. */
async function msUntilItCounts(
  how: Pick<LookOptions, 'isWritten' | 'isValid'>,
  edits: Readonly<Record<number, () => Promise<unknown>>>,
): Promise<number[]> {
  const counted: number[] = [];
  for (let ms = 0; ms <= 12_000; ms += 25) {
    await edits[ms]?.();
    const options = { ...how, isTick: ms % LOOK_INTERVAL_MS === 0, now: now + ms };
    const changed = async () => void counted.push(ms);
    await lookAt(path, known, changed, () => {}, options);
  }
  return counted;
}

describe('a changed file counts when it was quiet', () => {
  const inPlace = () => writeFile(path, 'two');
  const again = async () => {
    await unlink(path);
    await inPlace();
  };
  const young = async () => {
    await writeFile(`${path}.new`, 'two');
    await rename(`${path}.new`, path);
  };
  const old = async () => {
    await writeOld(`${path}.new`, 'two');
    await rename(`${path}.new`, path);
  };
  const emptied = () => writeFile(path, '');
  test.each([
    ['written in place and closed', false, true, inPlace, 150],
    ['written again and closed', false, true, again, 150],
    ['written in place and open', true, true, inPlace, 10_000],
    ['written in place, perhaps open', undefined, true, inPlace, 1000],
    ['written again, perhaps open', undefined, true, again, 1000],
    ['invalid and closed', false, false, inPlace, 1000],
    ['invalid and open', true, false, inPlace, 10_000],
    ['empty and closed', false, true, emptied, 1000],
    ['empty and open', true, true, emptied, 10_000],
    ['new, renamed and closed', false, true, young, 150],
    ['new, renamed and perhaps open', undefined, true, young, 1000],
    ['old, renamed and closed', false, true, old, 25],
    ['old, renamed and perhaps open', undefined, true, old, 25],
    ['old, renamed and open', true, true, old, 10_000],
  ] as const)('%s', async (_, isWritten, isValid, edit, ms) => {
    const how = { isWritten: async () => isWritten, isValid: async () => isValid };
    expect(await msUntilItCounts(how, { 0: edit })).toEqual([ms]);
  });

  test.each([
    ['closed', false, 300],
    ['perhaps open', undefined, 1150],
    ['open', true, 10_150],
  ] as const)('which starts anew with each change while it is %s', async (_, isWritten, ms) => {
    const how = { isWritten: async () => isWritten };
    const rest = () => appendFile(path, ', and the rest');
    expect(await msUntilItCounts(how, { 0: inPlace, 150: rest })).toEqual([ms]);
  });

  test('also if it changes during a check', async () => {
    let asked = 0;
    const isWritten = async () => {
      if (asked++ === 0) await appendFile(path, ', and the rest');
      return false;
    };
    expect(await msUntilItCounts({ isWritten }, { 0: inPlace })).toEqual([325]);
  });

  test('or closed', async () => {
    let isOpen = true;
    const close = async () => {
      isOpen = false;
    };
    const how = { isWritten: async () => isOpen };
    expect(await msUntilItCounts(how, { 0: inPlace, 4000: close })).toEqual([4000]);
  });
});
