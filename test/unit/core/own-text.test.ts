import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { ownEntry, ownText } from '../../../src/core/own-text.ts';
import type { FileEntry } from '../../../src/core/remote.ts';

const MIB = 1024 ** 2;
/** V8 keeps larger ones elsewhere. */
const PAGE = MIB / 4;
const PAGES = 100;

/** What stays in memory of pages if `keep` is kept of a name of each, in bytes. */
function heldOf(keep: (name: string) => unknown): number {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  collect();
  const before = process.memoryUsage().heapUsed;
  const kept: unknown[] = [];
  for (let n = 0; n < PAGES; n++) {
    const page = Buffer.alloc(PAGE, `${n} a name that is kept `).toString('latin1');
    kept.push(keep(page.slice(0, 24)));
  }
  collect();
  const held = process.memoryUsage().heapUsed - before;
  expect(kept).toHaveLength(PAGES);
  return held;
}

test('a name keeps its page in memory, and one of its own does not', () => {
  expect(heldOf((name) => name)).toBeGreaterThan(20 * MIB);
  expect(heldOf(ownText)).toBeLessThan(3 * MIB);
  const entryOf = (path: string): FileEntry => ({
    ...{ kind: 'file', path, size: 1, etag: path.slice(1), hashes: { md5: path.slice(2) } },
  });
  expect(heldOf((name) => ownEntry(entryOf(name)))).toBeLessThan(3 * MIB);
});

test('a text of its own is the same text', () => {
  const odd = 'é\ud800 \u{1f600} and a tail that is long enough';
  for (const text of ['', 'short', odd, odd.slice(1)]) expect(ownText(text)).toBe(text);
});

test('an entry of its own is a copy with all it had, and the entry stays as it was', () => {
  const entry: FileEntry = Object.freeze({
    ...{ kind: 'file', path: 'a file that is never changed', size: 3, modTime: 5n },
    hashes: Object.freeze({ md5: 'x'.repeat(32) }),
    metadata: { key: 'value' },
  } as const);
  const copy = ownEntry(entry);
  expect(copy).not.toBe(entry);
  expect(copy).toEqual(entry);
  const dir = Object.freeze({ kind: 'dir', path: 'a directory that is never changed' } as const);
  expect(ownEntry(dir)).toEqual(dir);
});
