import { describe, expect, test } from 'vitest';
import { SyncerError } from '../../../../src/core/errors.ts';
import type { Entry } from '../../../../src/core/remote.ts';
import type { BrowserEffects } from '../../../../src/size-tree/browser-effects.ts';
import { type FakeBrowser, fileEntry, scannedBrowser } from '../../size-tree/fake-effects.ts';

const DAY = 86_400n * 1_000_000_000n;
const now = () => BigInt(Date.now()) * 1_000_000n;

const aged = (path: string, size: number, days: bigint): Entry => ({
  ...fileEntry(path, size),
  ...{ kind: 'file', size, modTime: now() - days * DAY - DAY / 2n },
});

const FILES: readonly Entry[] = [
  aged('a/Trip.MOV', 5000, 400n),
  aged('a/b/trip.mov', 3000, 3n),
  aged('a/b/notes.txt', 20, 0n),
  aged('c/notes.txt', 20, 20n),
  aged('c/Makefile', 700, 4000n),
  aged('c/archive.tar.longextension', 40, 100n),
  fileEntry('c/.hidden', 9),
];

const opened = async (keys: string, entries: readonly Entry[] = FILES): Promise<FakeBrowser> => {
  const browser = await scannedBrowser({}, {}, entries);
  await pressed(browser, keys);
  return browser;
};

async function pressed(browser: FakeBrowser, keys: string): Promise<void> {
  for (const key of keys.match(/<[a-z]+>|./g) ?? []) {
    browser.keys(key);
    await settled();
    browser.screen();
    await settled();
  }
}

/** After the slices of what is computed over a small tree. */
const settled = () => new Promise<void>((resolve) => setImmediate(() => setImmediate(resolve)));

/** The lines of the list, blanks between columns as one. */
function lines(browser: FakeBrowser): readonly string[] {
  return browser
    .screen()
    .split('\n')
    .slice(1)
    .filter((line) => !/^(status|keys|find):? /.test(line))
    .map((line) =>
      line
        .replace(/[▏▎▍▌▋▊▉█▒░]+/g, '')
        .replace(/ +/g, ' ')
        .trim(),
    );
}

test('F finds in the whole scan; Enter goes to the entry in its directory, a hidden one, too', async () => {
  const browser = await opened('Ftrip');
  expect(lines(browser)).toEqual(['❯ 4.9 KiB a/Trip.MOV', '2.9 KiB a/b/trip.mov']);
  expect(browser.screen()).toContain('2 found');
  await pressed(browser, '<down><enter>');
  expect(browser.screen()).toMatch(/^store:bucket\/a\/b \|/);
  expect(lines(browser)[0]).toMatch(/❯ 2\.9 KiB 99% trip\.mov/);
  await pressed(browser, 'eFhidden<enter>');
  expect(lines(browser).find((line) => line.startsWith('❯'))).toMatch(/\.hidden$/);
  await pressed(browser, 'Fzzz');
  expect(lines(browser)).toEqual(['no matching path']);
  await pressed(browser, '<enter><escape>');
  expect(browser.screen()).toMatch(/^store:bucket\/c \|/);
});

test('Enter before the search is over goes to what it will find', async () => {
  const browser = await opened('');
  browser.keys('Fnotes a/<enter>');
  await settled();
  expect(browser.screen()).toMatch(/^store:bucket\/a\/b \|/);
  expect(lines(browser).find((line) => line.startsWith('❯'))).toMatch(/notes\.txt$/);
});

test('on a narrow screen the open view has its name, and a question all of its text', async () => {
  const browser = await opened('L4');
  const narrow = { columns: 40, rows: 12 };
  expect(browser.screen(narrow)).toContain('\n  1  2  3  4 duplicates  5\n');
  await pressed(browser, '<escape>p');
  expect(browser.screen(narrow).replaceAll(/\s+/g, ' ')).toContain(
    'Copy to this directory: remote:path or a local path. Directories keep their names.',
  );
  await pressed(browser, '<escape>w');
  expect(browser.screen(narrow).replaceAll(/\s+/g, ' ')).toContain(
    'Files of the same name that differ there are replaced: undo does not bring them back.',
  );
});

test('L shows the largest files below the directory, by extension, by age and duplicates', async () => {
  const browser = await opened('L');
  expect(lines(browser).slice(0, 3)).toEqual([
    '1 largest 2 extension 3 age 4 duplicates 5 class',
    '❯ 4.9 KiB a/Trip.MOV',
    '2.9 KiB a/b/trip.mov',
  ]);
  expect(browser.screen()).toContain('| 7 files');
  await pressed(browser, 'L');
  expect(lines(browser).slice(1)).toEqual([
    '❯ 7.8 KiB 91.0% 2 .mov',
    '709 B 8.1% 2 no extension',
    '40 B 0.5% 2 .txt',
    '40 B 0.5% 1 .longextension',
  ]);
  await pressed(browser, '<enter>');
  expect(lines(browser).slice(1)).toEqual(['❯ 4.9 KiB a/Trip.MOV', '2.9 KiB a/b/trip.mov']);
  await pressed(browser, '3');
  expect(
    lines(browser)
      .slice(1)
      .map((line) => line.replace(/.*% /, '')),
  ).toEqual([
    ...['1 up to a day', '1 up to a week', '1 up to a month', '1 up to a year'],
    ...['1 up to 2 years', '1 older', '1 unknown'],
  ]);
  await pressed(browser, '4');
  expect(lines(browser).slice(1)).toEqual(['❯ 20 B 100.0% 2 perhaps 2 × 20 B notes.txt']);
  await pressed(browser, '<enter>j<enter>');
  expect(browser.screen()).toMatch(/^store:bucket\/c \|/);
  await pressed(browser, 'L');
  expect(browser.screen()).toContain('| 4 files');
  await pressed(browser, '<escape>');
  expect(browser.screen()).toMatch(/^store:bucket\/c \| largest/);
});

test('a list marks and deletes; what is gone goes from it', async () => {
  const browser = await opened('L v');
  expect(browser.model.marks.size).toBe(2);
  await pressed(browser, 'D');
  expect(browser.screen()).toContain('Delete 2 objects: 7.8 KiB');
  await pressed(browser, 'y');
  const [removal] = browser.removals;
  expect(removal?.paths).toEqual(['a/Trip.MOV', 'a/b/trip.mov']);
  removal?.report.gone(removal.nodes);
  expect(lines(browser)[1]).toBe('700 B c/Makefile');
});

test('one file under several names counts once, and is no duplicate', async () => {
  const usage = { bytes: 4096, size: 100, inode: 7n, device: 1n, links: 2, isSpecial: false };
  const linked = (path: string): Entry => ({ kind: 'file', path, size: 100, usage });
  const browser = await opened('L', [linked('a/one'), linked('b/one')]);
  expect(lines(browser).slice(1)).toEqual(['❯ 4.0 KiB a/one']);
  await pressed(browser, '4');
  expect(lines(browser)[1]).toMatch(
    /^none with the same size; below 64 KiB none with the same name/,
  );
});

test('duplicates have any names, and are equal only once their contents were compared', async () => {
  const size = 70_000;
  const files = ['fonts.zip', 'fonts (1).zip', 'other.bin'].map((path) => fileEntry(path, size));
  const contentHash: BrowserEffects['contentHash'] = async (path) => path.slice(0, 5);
  const browser = await scannedBrowser({}, { contentHash }, files);
  await pressed(browser, 'L4');
  expect(lines(browser).slice(1)).toEqual(['❯ 136.7 KiB 100.0% 3 perhaps 3 × 68.4 KiB fonts.zip']);
  await pressed(browser, '=');
  expect(lines(browser).slice(1)).toEqual(['❯ 68.4 KiB 100.0% 2 equal 2 × 68.4 KiB fonts.zip']);
});

test('with hashes in the listing, duplicates are those of the same hash', async () => {
  const hashed = (path: string, md5: string): Entry => ({
    ...{ kind: 'file', path, size: 100, tier: path.startsWith('a') ? 'GLACIER' : 'STANDARD' },
    hashes: { md5: md5.repeat(32) },
  });
  const files = [hashed('a/x', '1'), hashed('b/y', '1'), hashed('b/x', '2'), fileEntry('c', 100)];
  const browser = await opened('L4', [...files, fileEntry('d/c', 100)]);
  expect(lines(browser).slice(1)).toEqual([
    '❯ 100 B 50.0% 2 same hash 2 × 100 B x',
    '100 B 50.0% 2 perhaps 2 × 100 B c',
  ]);
  await pressed(browser, '5');
  expect(lines(browser).slice(1)).toEqual([
    '❯ 200 B 40.0% 2 STANDARD',
    '200 B 40.0% 2 unknown',
    '100 B 20.0% 1 GLACIER',
  ]);
});

describe('= reads the files of a group that may be duplicates, and compares them', () => {
  const files = ['a/one', 'b/one', 'a/two', 'b/two', 'c/two'].map((path) => fileEntry(path, 100));
  const contents = new Map([
    ['a/one', '1'],
    ['b/one', '2'],
    ['a/two', '3'],
    ['b/two', '4'],
    ['c/two', '3'],
  ]);
  const begun = async (about: Partial<BrowserEffects>) => {
    const browser = await scannedBrowser({}, about, files);
    await pressed(browser, 'L4');
    return browser;
  };
  const content: BrowserEffects['contentHash'] = async (path) => contents.get(path) ?? '';
  const perhaps = ['❯ 200 B 66.7% 3 perhaps 3 × 100 B two', '100 B 33.3% 2 perhaps 2 × 100 B one'];

  test('equal ones stay a group, those that differ take nothing', async () => {
    const browser = await begun({ contentHash: content });
    expect(lines(browser).slice(1)).toEqual(perhaps);
    await pressed(browser, '=');
    expect(browser.screen()).toContain('3 files compared: some differ');
    expect(lines(browser).slice(1)).toEqual([
      '❯ 100 B 50.0% 2 perhaps 2 × 100 B one',
      '100 B 50.0% 2 equal 2 × 100 B two',
    ]);
    await pressed(browser, '=');
    expect(browser.screen()).toContain('2 files compared: all differ');
    expect(lines(browser).slice(1)).toEqual([
      '❯ 100 B 100.0% 2 equal 2 × 100 B two',
      '0 B 0.0% 2 different 2 × 100 B one',
    ]);
    // It is known as long as the browser is open.
    await pressed(browser, '<escape>L4');
    expect(lines(browser)[1]).toContain('equal 2');
  });

  test('shows how much was read, and Esc stops it', async () => {
    let signal: AbortSignal | undefined;
    const browser = await begun({
      contentHash: (_, __, onBytes, op) => {
        onBytes(40);
        signal = op.signal;
        return new Promise(() => {});
      },
    });
    await pressed(browser, '=');
    expect(browser.screen()).toContain('⠋ comparing 3 files');
    expect(browser.screen()).toContain('40 B of 300 B read');
    await pressed(browser, '<escape>');
    expect(signal?.aborted).toBe(true);
    expect(lines(browser).slice(1)).toEqual(perhaps);
  });

  test('what cannot be read is named, and nothing is known then', async () => {
    const browser = await begun({
      contentHash: async (path) => {
        if (path === 'b/two') throw new SyncerError('source-changed', 'it changed since the scan');
        return '';
      },
    });
    await pressed(browser, '=');
    expect(browser.screen()).toContain('cannot compare b/two: it changed since the scan');
    expect(lines(browser).slice(1)).toEqual(perhaps);
  });
});

test.each([
  ['B', 'v  unmark; also Space and u'],
  ['T', 'x  stop'],
  ['L', '1…5  largest, extension'],
  ['L3', 'L  largest, extension'],
])('%s has a page about its keys, and all actions', async (keys, expected) => {
  const browser = await opened('');
  browser.keys(keys);
  browser.keysOver('?');
  expect(browser.screen()).toContain(expected);
  expect(browser.screen()).toContain(':  find an action by its name');
  browser.keysOver('?');
  expect(browser.screen()).not.toContain(expected);
});
