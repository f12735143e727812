import {
  appendFile,
  mkdir,
  mkdtemp,
  readFile,
  rm,
  stat,
  truncate,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { JournalFile, markOf } from '../../../../src/run/journal/journal-file.ts';
import { isTidy, listRuns, tidyRuns } from '../../../../src/run/journal/kept-runs.ts';
import { journalDamage, readChanges } from '../../../../src/run/journal/read-run.ts';
import type { RunSum } from '../../../../src/state/runs.ts';

const ID = '20261121-113012-7k3f';
const place = { place: 0, name: '', root: '/b', title: 'B' };

let base: string;
let folder: string;
let errors: Error[];

beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'journal-'));
  folder = join(base, 'runs', ID);
  errors = [];
});
afterEach(() => rm(base, { recursive: true }));

const open = () =>
  new JournalFile(
    folder,
    () => {},
    (error) => errors.push(error),
  );

test('a change is on disk when it may be made, and its result follows', async () => {
  const journal = open();
  journal.place(place);
  const n = journal.begin(0, { do: 'create', path: 'a', new: { size: 1 } });
  await journal.written();
  // What a killed process leaves.
  expect(await readChanges(folder)).toEqual({
    places: [place],
    dirs: [],
    changes: [{ n: 1, place: 0, do: 'create', path: 'a', new: { size: 1 } }],
    hasEnded: false,
    unreadable: 0,
    misplaced: 0,
  });
  journal.done(n);
  const second = journal.begin(0, { do: 'delete', path: 'b', old: { size: 2 } });
  await journal.synced();
  journal.done(second, { ok: false });
  journal.close();
  const { changes, hasEnded } = (await readChanges(folder)) ?? { changes: [] };
  expect(changes.map(({ done }) => done?.ok)).toEqual([true, false]);
  expect(hasEnded).toBe(true);
  expect(journal.sum).toEqual({ changes: { create: 1, delete: 0 }, gone: 0 });
  expect((await stat(folder)).mode & 0o777).toBe(0o700);
  expect((await stat(join(folder, 'journal.jsonl'))).mode & 0o777).toBe(0o600);
  expect(errors).toEqual([]);
});

test('a changed byte is found, and a line without its sum', async () => {
  const journal = open();
  journal.place(place);
  journal.begin(0, { do: 'create', path: 'a', new: markOf({ size: 1, modTime: -5n }) });
  journal.begin(0, { do: 'create', path: 'ü', new: { size: 2, time: '2020-01-31T12:00:00.5Z' } });
  journal.close();
  const path = join(folder, 'journal.jsonl');
  const written = await readFile(path);
  const times = async () => (await readChanges(folder))?.changes.map((change) => change.new?.time);
  const expected = ['1969-12-31T23:59:59.999999995Z', '2020-01-31T12:00:00.5Z'];
  expect(await times()).toEqual(expected);
  for (let at = 0; at < written.length; at++) {
    const spoilt = Buffer.from(written);
    spoilt[at] = (spoilt[at] ?? 0) ^ 1;
    await writeFile(path, spoilt);
    expect(await damage(journal.sum), `byte ${at}`).not.toBe(undefined);
  }
  await writeFile(path, String(written).replace(/"sum":\[\d+,\d+\],/, ''));
  expect(await damage(journal.sum)).toBe('1 line cannot be read');
});

test('new files share a line, in the order of all changes', async () => {
  const journal = open();
  const create = (at: number, path: string) =>
    journal.begin(at, { do: 'create', path, new: markOf({ size: 1, modTime: 5n }) });
  const [a] = [create(0, 'a'), create(0, 'b'), create(1, 'c')];
  journal.begin(0, { do: 'delete', path: 'd', old: { size: 2 } });
  const e = create(0, 'e');
  await journal.written();
  create(0, 'f');
  journal.done(a);
  journal.done(e, { ok: false });
  journal.close();
  const text = await readFile(join(folder, 'journal.jsonl'), 'utf8');
  expect(text.match(/"created":.*?\]\]/g)).toEqual([
    '"created":[["a",1,"5"],["b",1,"5"]]',
    ...['c', 'e', 'f'].map((path) => `"created":[["${path}",1,"5"]]`),
  ]);
  const { changes = [] } = (await readChanges(folder)) ?? {};
  expect(changes.map(({ n, place: at, do: deed, path }) => [n, at, deed, path])).toEqual([
    [1, 0, 'create', 'a'],
    [2, 0, 'create', 'b'],
    [3, 1, 'create', 'c'],
    [4, 0, 'delete', 'd'],
    [5, 0, 'create', 'e'],
    [6, 0, 'create', 'f'],
  ]);
  expect(changes.map(({ done }) => done?.ok)).toEqual([true, ...Array(3), false, undefined]);
  expect(changes[1]?.new).toEqual({ size: 1, time: '1970-01-01T00:00:00.000000005Z' });
  expect(journal.sum.changes).toEqual({ create: 4, delete: 1 });
});

test.each([
  ['200 runs', 200, 0, undefined, true],
  ['a few more', 250, 0, undefined, true],
  ['too many', 251, 0, undefined, false],
  ['one that is too old', 1, 0, '20260801-000000-2222', false],
  ['a large journal', 1, 4 * 1024 ** 2, undefined, false],
  ['one that is too old, which only the clock of today says', 0, 0, '20260801-000000-2222', true],
])('after a run, %s: whether there is nothing to tidy', async (_, runs, bytes, old, expected) => {
  const day = '20261120';
  if (old !== undefined) await mkdir(join(base, 'runs', old), { recursive: true });
  for (let n = 0; n < runs; n++) {
    const id = `${day}-00${String(Math.floor(n / 60)).padStart(2, '0')}${String(n % 60).padStart(2, '0')}-2222`;
    await mkdir(join(base, 'runs', id), { recursive: true });
  }
  expect(isTidy(join(base, 'runs'), bytes, Date.parse('2026-11-21T12:00:00Z'))).toBe(expected);
});

test('lines that are missing, repeated or swapped are found, and what they say is read', async () => {
  const journal = open();
  journal.place(place);
  for (const path of ['a', 'b', 'c']) journal.done(journal.begin(0, { do: 'create', path }));
  journal.close();
  const path = join(folder, 'journal.jsonl');
  const lines = (await readFile(path, 'utf8')).split('\n').slice(0, -1);
  expect([lines.length, await damage(journal.sum)]).toEqual([6, undefined]);
  for (let at = 0; at < lines.length; at++) {
    const before = lines.slice(0, at);
    const [own = '', ...after] = lines.slice(at);
    const spoilt = [
      [...before, ...after],
      [...before, own, own, ...after],
    ];
    if (after.length > 0) spoilt.push([...before, after[0] ?? '', own, ...after.slice(1)]);
    for (const text of spoilt) {
      await writeFile(path, `${text.join('\n')}\n`);
      expect(await damage(journal.sum), text.join('\n')).not.toBe(undefined);
      if (text.length < lines.length) continue;
      const { changes = [] } = (await readChanges(folder)) ?? {};
      expect(changes.map((change) => `${change.path} ${change.done?.ok}`)).toEqual(
        ['a', 'b', 'c'].map((name) => `${name} true`),
      );
    }
  }
});

test('content that is not kept is counted', async () => {
  const journal = open();
  const lost = journal.begin(0, { do: 'delete', path: 'a', old: { size: 1 } });
  const kept = journal.begin(0, { do: 'delete', path: 'b', old: { size: 1 } });
  journal.begin(0, { do: 'replace', path: 'c', old: { size: 1 } });
  journal.begin(0, { do: 'create', path: 'd' });
  journal.done(lost);
  journal.done(kept, { ok: true, kept: { in: 'versions', id: 'v' } });
  journal.close();
  expect(journal.sum.gone).toBe(2);
});

test('a run without changes leaves nothing', async () => {
  open().close();
  expect(await listRuns(join(base, 'runs'))).toEqual([]);
});

test('a folder that cannot be written is reported once', async () => {
  await writeFile(join(base, 'runs'), '');
  const journal = open();
  for (const path of ['a', 'b']) {
    journal.begin(0, { do: 'create', path });
    await journal.written();
  }
  journal.close();
  expect(errors).toHaveLength(1);
  expect(journal.failure).toBe(errors[0]);
});

test('a journal does not continue that of another run', async () => {
  await mkdir(folder, { recursive: true });
  const path = join(folder, 'journal.jsonl');
  await writeFile(path, 'of another run\n');
  const journal = open();
  journal.begin(0, { do: 'create', path: 'a', new: { size: 1 } });
  await journal.written();
  journal.close();
  expect(errors.map((error) => error.message)).toEqual([expect.stringContaining('EEXIST')]);
  expect(await readFile(path, 'utf8')).toBe('of another run\n');
});

test('any name survives, and a line that was cut is skipped', async () => {
  const journal = open();
  const paths = ['\u2028', '\udcff', 'a\nb', '"'];
  for (const path of paths) journal.begin(0, { do: 'create', path });
  journal.close();
  await appendFile(join(folder, 'journal.jsonl'), '{"n":9,"place":0,"do":"cre');
  expect((await readChanges(folder))?.changes.map(({ path }) => path)).toEqual(paths);
});

/** What is wrong with the journal. */
async function damage(sum?: RunSum): Promise<string | undefined> {
  const changes = await readChanges(folder);
  return changes && journalDamage(changes, sum);
}

test.each([
  [(text: Buffer) => text, undefined],
  [(text: Buffer) => text.subarray(0, -20), 'it ends early'],
  [(text: Buffer) => text.fill('x', 60, 70), '1 line cannot be read'],
  [(text: Buffer) => text.fill(0xff, text.indexOf('"b"') + 1, text.indexOf('"b"') + 2), '1 line'],
  [(text: Buffer) => Buffer.from(String(text).replace(/.*"b".*\n/, '')), '1 change missing'],
  [(text: Buffer) => Buffer.from(String(text).replace(/.*"b".*/, '{"n":2}')), '1 line cannot'],
])('a damaged journal of a run that ended, %#', async (spoil, expected) => {
  const journal = open();
  journal.place(place);
  for (const path of ['a', 'b', 'c']) journal.begin(0, { do: 'create', path });
  await journal.written();
  const path = join(folder, 'journal.jsonl');
  await appendFile(path, '{"n":9,"pla');
  expect(await damage()).toBe(undefined);
  await truncate(path, (await stat(path)).size - 11);
  journal.close();
  await writeFile(path, spoil(await readFile(path)));
  if (expected === undefined) expect(await damage(journal.sum)).toBe(undefined);
  else expect(await damage(journal.sum)).toContain(expected);
});

test('a long journal is compressed, and old runs are deleted', async () => {
  const journal = open();
  const long = 'long name '.repeat(300);
  for (let n = 0; n < 2000; n++) journal.begin(0, { do: 'create', path: `${long}${n}` });
  journal.close();
  const size = (await stat(join(folder, 'journal.jsonl'))).size;
  const old = '20260701-000000-2222';
  await mkdir(join(base, 'runs', old));
  // A clock that is a year ahead since an hour ago proves nothing about the other.
  const ahead = '20271121-110000-2222';
  await mkdir(join(base, 'runs', ahead));
  await tidyRuns(folder, Date.parse('2027-11-21T12:00:00Z'), async () => false);
  expect((await stat(join(folder, 'journal.jsonl.zst'))).size).toBeLessThan(size / 4);
  await expect(stat(join(folder, 'journal.jsonl'))).rejects.toThrow('ENOENT');
  expect((await readChanges(folder))?.changes).toHaveLength(2000);
  const packed = await readFile(join(folder, 'journal.jsonl.zst'));
  await writeFile(join(folder, 'journal.jsonl.zst'), packed.subarray(0, packed.length >> 1));
  expect(await damage()).toContain('cannot be read');
  await writeFile(join(folder, 'journal.jsonl.zst'), packed.fill(7, packed.length >> 1));
  expect(await damage()).toContain('cannot be read');
  expect(await listRuns(join(base, 'runs'))).toEqual([ahead, ID]);
});

test('of more than 200 runs the oldest go, but not one that still runs', async () => {
  const running = '20261101-000000-2222';
  await mkdir(join(base, 'runs', running), { recursive: true });
  for (let n = 0; n < 205; n++) {
    const second = String(n % 60).padStart(2, '0');
    const minute = String(Math.floor(n / 60)).padStart(2, '0');
    await mkdir(join(base, 'runs', `20261120-00${minute}${second}-2222`));
  }
  await mkdir(folder);
  await tidyRuns(folder, Date.parse('2026-11-21T12:00:00Z'), async (id) => id === running);
  const ids = await listRuns(join(base, 'runs'));
  expect(ids).toHaveLength(201);
  expect(ids[0]).toBe(ID);
  expect(ids.at(-1)).toBe(running);
});

test('a change that failed and left a file counts, and one that left nothing does not', async () => {
  const journal = open();
  journal.place(place);
  for (const path of ['a', 'b']) journal.begin(0, { do: 'create', path, new: { size: 1 } });
  await journal.written();
  journal.done(1, { ok: false });
  journal.done(2, { ok: false, new: { size: 1 } });
  journal.close();
  expect(journal.sum.changes).toEqual({ create: 1 });
});
