import fs from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { CopyThreads, THREAD_COPY_SIZE } from '../../../../src/backends/local/copy-threads.ts';
import { exactTimesModule } from '../../../../src/backends/local/set-times.ts';
import { fileAt, newFolder, OP, openLocal, partials } from './local-world.ts';

const koffi = exactTimesModule() ?? '';
const MANY = 40;

/** Files in a new folder, and what makes a copy of each; `copies` gives whether they were made. */
function manyFiles(size = 100) {
  const dir = newFolder();
  fs.mkdirSync(join(dir, 'from'));
  const all = Array.from({ length: MANY }, (_, n) => {
    const source = join(dir, 'from', `f${n}`);
    fs.writeFileSync(source, Buffer.alloc(size, `content of ${n} `));
    const { mtimeNs } = fs.statSync(source, { bigint: true });
    const target = join(dir, `to/d${n % 3}/sub/f${n}`);
    const newPartial = () => join(dir, `to/d${n % 3}/sub/.f${n}.partial`);
    return { source, newPartial, target, size, modTime: mtimeNs };
  });
  const threads = new CopyThreads(koffi, 3);
  const copies = (op = OP) => Promise.all(all.map((copy) => threads.copy(copy, op)));
  const left = () =>
    fs
      .readdirSync(dir, { recursive: true, encoding: 'utf8' })
      .filter((p) => p.includes('.partial'));
  return { dir, all, threads, copies, left };
}

/** Checks that a file is there, whole and with its time. */
function expectCopied({
  source,
  target,
  modTime,
}: {
  source: string;
  target: string;
  modTime: bigint;
}) {
  expect(fs.readFileSync(target).equals(fs.readFileSync(source))).toBe(true);
  expect(fs.statSync(target, { bigint: true }).mtimeNs).toBe(modTime);
}

describe('copies in threads', () => {
  test.each([0, 1, 100, THREAD_COPY_SIZE])(
    'of %d bytes are whole, with times to the nanosecond',
    async (size) => {
      const { all, copies, left } = manyFiles(size);
      expect(await copies()).toEqual(all.map(() => true));
      for (const copy of all) {
        expectCopied(copy);
        expect(fs.statSync(copy.target).mode & 0o777).toBe(0o666 & ~process.umask());
      }
      expect(left()).toEqual([]);
    },
  );

  test('keep times before 1970', async () => {
    const { dir, threads, all, copies } = manyFiles();
    const early = openLocal({}, dir);
    const file = await fileAt(early.remote, 'from/f0');
    await early.remote.can.setModTime?.(file, -1_500_000_001n, OP);
    all[0] = { ...(all[0] as (typeof all)[0]), modTime: -1_500_000_001n };
    expect(await copies()).not.toContain(false);
    expectCopied(all[0]);
    expect(threads.isWorthWhile()).toBe(false);
  });

  test('replace files that are like new ones, and leave others to somebody else', async () => {
    const { all, copies, left } = manyFiles();
    const [same, closed, link, folder] = all.slice(0, 4).map(({ target }) => target) as [
      string,
      string,
      string,
      string,
    ];
    for (const { target } of all) fs.mkdirSync(join(target, '..'), { recursive: true });
    fs.writeFileSync(same, 'old');
    fs.writeFileSync(closed, 'old', { mode: 0o600 });
    fs.symlinkSync('/nowhere', link);
    fs.mkdirSync(folder);
    const made = await copies();
    expect(made.slice(0, 5)).toEqual([true, false, false, false, true]);
    if (all[0]) expectCopied(all[0]);
    expect(fs.readFileSync(closed, 'utf8')).toBe('old');
    expect(fs.readlinkSync(link)).toBe('/nowhere');
    expect(fs.readdirSync(folder)).toEqual([]);
    expect(left()).toEqual([]);
  });

  test('do nothing about a source that is not as it was listed', async () => {
    const { all, copies, left } = manyFiles();
    const source = (n: number) => all[n]?.source ?? '';
    fs.appendFileSync(source(0), 'x');
    fs.truncateSync(source(1), 5);
    fs.utimesSync(source(2), 1, 1);
    fs.rmSync(source(3));
    fs.rmSync(source(4));
    fs.mkdirSync(source(4));
    expect((await copies()).slice(0, 6)).toEqual([false, false, false, false, false, true]);
    expect(all.slice(0, 5).filter(({ target }) => fs.existsSync(target))).toEqual([]);
    expect(left()).toEqual([]);
  });

  test('do nothing where a file stands in the place of a directory', async () => {
    const { dir, copies, left } = manyFiles();
    fs.mkdirSync(join(dir, 'to'));
    fs.writeFileSync(join(dir, 'to/d1'), 'a file');
    const made = await copies();
    expect(made.map((isCopied, n) => isCopied === (n % 3 !== 1))).not.toContain(false);
    expect(left()).toEqual([]);
  });

  test('begin nothing after an abort', async () => {
    const { all, copies, left } = manyFiles(THREAD_COPY_SIZE);
    const controller = new AbortController();
    const copying = copies({ signal: controller.signal });
    await new Promise((resolve) => setImmediate(resolve));
    controller.abort();
    const made = await copying;
    expect(made.filter(Boolean).length).toBeLessThan(MANY);
    expect(all.map(({ target }) => fs.existsSync(target))).toEqual(made);
    expect(left()).toEqual([]);
  });

  test('are given up where no thread can be had', async () => {
    const { all } = manyFiles();
    const threads = new CopyThreads('file:///nowhere/koffi.js', 2);
    for (let n = 0; n < 200; n++) threads.isWorthWhile();
    expect(threads.isWorthWhile()).toBe(true);
    const made = await Promise.all(all.map((copy) => threads.copy(copy, OP)));
    expect(made).toEqual(all.map(() => false));
    expect(threads.isWorthWhile()).toBe(false);
  });

  test('are not worth while for few files, nor with one processor', async () => {
    const { all, threads } = manyFiles();
    const few = all.slice(0, 3);
    expect(await Promise.all(few.map((copy) => threads.copy(copy, OP)))).toEqual([
      false,
      false,
      false,
    ]);
    const alone = new CopyThreads(koffi, 1);
    expect(Array.from({ length: 1000 }, () => alone.isWorthWhile())).not.toContain(true);
  });
});

describe('a local remote', () => {
  test('copies the same with threads and without, errors included', async () => {
    const from = openLocal();
    const to = openLocal();
    const names = Array.from({ length: 400 }, (_, n) => `d${n % 7}/f${n}`);
    for (let n = 0; n < 7; n++) fs.mkdirSync(join(from.dir, `d${n}`));
    for (const name of names) fs.writeFileSync(join(from.dir, name), name);
    const odd = Buffer.concat([Buffer.from(`${from.dir}/d0/`), Buffer.from([0xff, 0x41])]);
    fs.writeFileSync(odd, 'odd');
    fs.mkdirSync(join(to.dir, 'd6/f398'), { recursive: true });
    const spied = spyOnCopies();
    const files = await Promise.all(names.map((name) => fileAt(from.remote, name)));
    const failures: string[] = [];
    const copy = async (file: (typeof files)[0]) => {
      try {
        const made = await to.remote.can.copyFrom?.(from.remote, file, file.path, OP);
        expect(made).toEqual(file);
      } catch (error) {
        failures.push((error as Error).message);
      }
    };
    for (const file of files.slice(0, 130)) await copy(file);
    await Promise.all(files.slice(130).map(copy));
    expect(failures).toEqual([`open ${to.dir}/d6/f398: is a directory`]);
    expect(spied.made() > 0).toBe(availableParallelism() > 1);
    for (const name of names.filter((each) => each !== 'd6/f398')) {
      expect(fs.readFileSync(join(to.dir, name), 'utf8')).toBe(name);
    }
    for (let n = 0; n < 7; n++) expect(partials(join(to.dir, `d${n}`))).toEqual([]);
  });
});

/** Counts the copies that threads make. */
function spyOnCopies() {
  const { copy, isWorthWhile } = CopyThreads.prototype;
  let made = 0;
  CopyThreads.prototype.copy = async function (...args) {
    const isCopied = await copy.apply(this, args);
    if (isCopied) made++;
    return isCopied;
  };
  onTestFinished(() => void Object.assign(CopyThreads.prototype, { copy, isWorthWhile }));
  return { made: () => made };
}
