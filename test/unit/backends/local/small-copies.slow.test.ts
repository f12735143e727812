import fs from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { DiskPace } from '../../../../src/backends/local/local-disk.ts';
import { WholeReads } from '../../../../src/backends/local/local-entry.ts';
import {
  SmallCopier,
  type SmallCopy,
  SmallCopyCalls,
} from '../../../../src/backends/local/small-copier.ts';
import { SMALL_COPY_SIZE, SmallCopies } from '../../../../src/backends/local/small-copies.ts';
import { systemClock } from '../../../../src/core/context.ts';
import { type Libc, loadLibc } from '../../../../src/system/libc.ts';
import { exactTimesModule } from '../../../../src/system/set-times.ts';
import { fileAt, newFolder, OP, openLocal, partials, textSource } from './local-world.ts';

const koffi = exactTimesModule() ?? { file: undefined, address: '' };
/** So many that threads are started for them. */
const MANY = 300;

const diskOf = () => ({
  pace: new DiskPace(systemClock),
  newPartial: (path: string) => `${path}.partial`,
});

/** Files in a new folder, and what makes a copy of each; `copies` gives whether they were made. */
function manyFiles(size = 100, processors = 3, count = MANY) {
  const dir = newFolder();
  fs.mkdirSync(join(dir, 'from'));
  const all = Array.from({ length: count }, (_, n) => {
    const source = join(dir, 'from', `f${n}`);
    fs.writeFileSync(source, Buffer.alloc(size, `content of ${n} `));
    const { mtimeNs } = fs.statSync(source, { bigint: true });
    const target = join(dir, `to/d${n % 3}/sub/f${n}`);
    const partial = join(dir, `to/d${n % 3}/sub/.f${n}.partial`);
    return { source, partial, target, size, modTime: mtimeNs, isNew: false };
  });
  const small = new SmallCopies(koffi, diskOf(), processors);
  const copies = (op = OP) => Promise.all(all.map((copy) => small.copy(copy, op)));
  const left = () =>
    fs
      .readdirSync(dir, { recursive: true, encoding: 'utf8' })
      .filter((p) => p.includes('.partial'));
  return { dir, all, small, copies, left };
}

/** Checks that a file is there, whole and with its time. */
function expectCopied({
  source,
  target,
  modTime,
}: Pick<SmallCopy, 'source' | 'target' | 'modTime'>) {
  const content = typeof source === 'string' ? fs.readFileSync(source) : source;
  expect(fs.readFileSync(target).equals(content)).toBe(true);
  expect(fs.statSync(target, { bigint: true }).mtimeNs).toBe(modTime);
}

describe.each([
  ['in threads', 3],
  ['in one thread', 1],
])('small copies %s', (_, processors) => {
  test.each([0, 1, 100, SMALL_COPY_SIZE])(
    'of %d bytes are whole, with times to the nanosecond',
    async (size) => {
      const { all, copies, left } = manyFiles(size, processors);
      expect(await copies()).toEqual(all.map(() => true));
      for (const copy of all) {
        expectCopied(copy);
        expect(fs.statSync(copy.target).mode & 0o777).toBe(0o666 & ~process.umask());
      }
      expect(left()).toEqual([]);
    },
  );

  test('keep times before 1970', async () => {
    const { dir, all, copies } = manyFiles(100, processors);
    const early = openLocal({}, dir);
    const file = await fileAt(early.remote, 'from/f0');
    await early.remote.can.setModTime?.(file, -1_500_000_001n, OP);
    all[0] = { ...(all[0] as (typeof all)[0]), modTime: -1_500_000_001n };
    expect(await copies()).not.toContain(false);
    expectCopied(all[0]);
  });

  test('replace files that are like new ones, and leave others to somebody else', async () => {
    const { all, copies, left } = manyFiles(100, processors);
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
    const { all, copies, left } = manyFiles(100, processors);
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
    const { dir, copies, left } = manyFiles(100, processors);
    fs.mkdirSync(join(dir, 'to'));
    fs.writeFileSync(join(dir, 'to/d1'), 'a file');
    const made = await copies();
    expect(made.map((isCopied, n) => isCopied === (n % 3 !== 1))).not.toContain(false);
    expect(left()).toEqual([]);
  });

  test('begin nothing after an abort', async () => {
    const { all, copies, left } = manyFiles(SMALL_COPY_SIZE, processors);
    const controller = new AbortController();
    const copying = copies({ signal: controller.signal });
    await new Promise((resolve) => setImmediate(resolve));
    controller.abort();
    const made = await copying;
    expect(made.filter(Boolean).length).toBeLessThan(MANY);
    expect(all.map(({ target }) => fs.existsSync(target))).toEqual(made);
    expect(left()).toEqual([]);
  });

  test('end after an abort, on a slow disk, with those that threads have by then', async () => {
    const slow = vi.spyOn(DiskPace.prototype, 'isSlow', 'get').mockReturnValue(true);
    onTestFinished(() => slow.mockRestore());
    const { all, small, left } = manyFiles(100, processors, 1500);
    const controller = new AbortController();
    const copying = all.map((copy) => small.copy(copy, { signal: controller.signal }));
    await Promise.race(copying);
    controller.abort();
    const made = await Promise.all(copying);
    // Eight threads have two batches each.
    expect(made.filter(Boolean).length).toBeLessThanOrEqual(8 * 2 * 32);
    expect(all.map(({ target }) => fs.existsSync(target))).toEqual(made);
    expect(left()).toEqual([]);
  });
});

test('small copies do without threads that cannot be had', async () => {
  const { all, left } = manyFiles();
  const small = new SmallCopies(
    { file: '/nowhere/koffi.node', address: 'file:///nowhere/koffi.js' },
    diskOf(),
    2,
  );
  const copies = () => Promise.all(all.map((copy) => small.copy(copy, OP)));
  const made = await copies();
  expect(made).toContain(false);
  expect(all.map(({ target }) => fs.existsSync(target))).toEqual(made);
  expect(await copies()).toEqual(all.map(() => true));
  for (const copy of all) expectCopied(copy);
  expect(left()).toEqual([]);
});

describe('a small copy', () => {
  const O_TMPFILE = 0o20000000;
  const AT_EMPTY_PATH = 0x1000;
  const cases: readonly [string, Refusal, readonly string[]][] = [
    ['is made without a name where the file system can', () => 0, ['open', 'open', 'linkat']],
    [
      'gets its name by /proc where only root may give it otherwise',
      (name, args) => (name === 'linkat' && args[4] === AT_EMPTY_PATH ? ENOENT : 0),
      ['open', 'open', 'linkat'],
    ],
    [
      'is made under its temporary name where it cannot be without one',
      (name, args) => (name === 'open' && Number(args[1]) & O_TMPFILE ? EOPNOTSUPP : 0),
      ['open', 'open', 'rename'],
    ],
    [
      'is not made where a name is refused without a reason',
      (name) => (name === 'linkat' ? NO_REASON : 0),
      ['open', 'open'],
    ],
    [
      'is not made where no name can be given',
      (name) => (name === 'linkat' || name === 'rename' ? EPERM : 0),
      ['open', 'open'],
    ],
  ];
  test.skipIf(process.platform !== 'linux').each(cases)('%s', async (_, refusal, expected) => {
    const { all, left } = manyFiles();
    const { libc, called } = refusing(await loadLibc(), refusal);
    const copier = new SmallCopier(new SmallCopyCalls(libc, SMALL_COPY_SIZE, new WholeReads()));
    const [first, second] = all as [SmallCopy, SmallCopy];
    const isMade = expected.length > 2;
    expect(copier.copy(first)).toBe(isMade);
    called.length = 0;
    // The second of the same directory knows what can be done there.
    const again = { ...second, target: `${first.target}-2`, partial: `${first.partial}-2` };
    expect(copier.copy(again)).toBe(isMade);
    if (isMade) for (const copy of [first, again]) expectCopied(copy);
    else expect(fs.existsSync(first.target)).toBe(false);
    expect(left()).toEqual([]);
    expect(called).toEqual(expected);
  });
});

test.skipIf(process.platform !== 'linux')(
  'a copy over a private file is private from the start, also under its temporary name',
  async () => {
    const { all, dir } = manyFiles(100, 1, 1);
    const [copy] = all as [SmallCopy];
    const modes: number[] = [];
    const onPartial: Refusal = (name, args) => {
      if (name === 'open' && Number(args[1]) & fs.constants.O_CREAT) modes.push(Number(args[2]));
      return name === 'open' && Number(args[1]) & 0o20000000 ? EOPNOTSUPP : 0;
    };
    const { libc } = refusing(await loadLibc(), onPartial);
    fs.mkdirSync(join(dir, 'to/d0/sub'), { recursive: true });
    fs.writeFileSync(copy.target, 'old', { mode: 0o600 });
    const copier = new SmallCopier(new SmallCopyCalls(libc, SMALL_COPY_SIZE, new WholeReads()));
    expect(copier.copy(copy)).toBe(true);
    expect(modes).toEqual([0o600]);
    expect(fs.statSync(copy.target).mode & 0o777).toBe(0o600);
  },
);

test('a name with a NUL, which the C library cuts, is an error and leaves nothing', async () => {
  const { remote, dir } = openLocal({ encoding: 'Raw' });
  const source = textSource('a\0b', 'content');
  await expect(remote.write({ ...source, modTime: 0n }, OP)).rejects.toThrow();
  expect(fs.readdirSync(dir)).toEqual([]);
});

const [EPERM, ENOENT, EOPNOTSUPP] = [1, 2, 95];

/** A call fails, but somebody else has set `errno` to 0 since. */
const NO_REASON = -1;

/** The `errno` with which a call fails, or 0 where it is made. */
type Refusal = (name: string, args: readonly unknown[]) => number;

/** The C library where some calls fail; `called` has the names of those that open or name files and succeeded. */
function refusing(real: Libc, refusal: Refusal) {
  const called: string[] = [];
  let refused = 0;
  const func: Libc['func'] = (name, ...types) => {
    const call = real.func(name, ...types);
    const refusable = (...args: unknown[]) => {
      refused = refusal(name, args);
      if (refused !== 0) return -1;
      if (['open', 'linkat', 'rename'].includes(name)) called.push(name);
      return call(...args);
    };
    return Object.assign(refusable, { async: call.async });
  };
  const errno = () => (refused === 0 ? real.errno() : Math.max(0, refused));
  return { called, libc: { func, errno } };
}

describe('a local remote', () => {
  test('copies small files the same by themselves and together, errors included', async () => {
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
    expect(failures).toEqual([`open ${to.dir}/d6/f398: the destination is a directory`]);
    expect(spied.made()).toBe(process.platform === 'linux' ? names.length - 1 : 0);
    for (const name of names.filter((each) => each !== 'd6/f398')) {
      expect(fs.readFileSync(join(to.dir, name), 'utf8')).toBe(name);
    }
    for (let n = 0; n < 7; n++) expect(partials(join(to.dir, `d${n}`))).toEqual([]);
  });
});

/** Counts the copies that are made as small ones. */
function spyOnCopies() {
  const { copy } = SmallCopies.prototype;
  let made = 0;
  SmallCopies.prototype.copy = async function (...args) {
    const isCopied = await copy.apply(this, args);
    if (isCopied) made++;
    return isCopied;
  };
  onTestFinished(() => void Object.assign(SmallCopies.prototype, { copy }));
  return { made: () => made };
}

test('a file that is copied when the run is stopped counts as copied', async () => {
  const { remote, dir } = openLocal();
  fs.writeFileSync(join(dir, 'a'), 'content');
  const controller = new AbortController();
  const copy = vi.spyOn(SmallCopies.prototype, 'copy').mockImplementation(async ({ target }) => {
    fs.writeFileSync(target, 'content');
    controller.abort();
    return true;
  });
  onTestFinished(() => copy.mockRestore());
  const file = await fileAt(remote, 'a');
  const copied = remote.can.copyFrom?.(remote, file, 'b', { signal: controller.signal });
  expect(await copied).toEqual({ ...file, path: 'b' });
});
