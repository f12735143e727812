import { hash as hashOf } from 'node:crypto';
import fs from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { DiskPace } from '../../../../src/backends/local/local-disk.ts';
import { systemClock } from '../../../../src/core/context.ts';
import type { FileEntry } from '../../../../src/core/remote.ts';
import { fileAt, OP, openLocal, partials, textSource } from './local-world.ts';

const md5 = (text: string) => hashOf('md5', text);

/** A pace whose calls take the times that are set. */
function paceOf() {
  let now = 0;
  const pace = new DiskPace({ monotonic: () => now });
  const call = (ms: number) =>
    pace.here(1, () => {
      now += ms;
    });
  const calls = (count: number, ms: number) => {
    for (let i = 0; i < count; i++) call(ms);
  };
  return { pace, call, calls };
}

describe('a disk', () => {
  it.each([
    ['that answers from memory', 0.01, false],
    ['on a slow processor', 0.1, false],
    ['that reads for each call', 0.3, true],
    ['in the network', 20, true],
  ] as const)('%s: calls of %d ms are slow: %s', (_, ms, expected) => {
    const { pace, calls } = paceOf();
    expect(pace.isFast).toBe(false);
    calls(200, ms);
    expect([pace.isSlow, pace.isFast]).toEqual([expected, !expected]);
  });

  it('is known to be slow before it has kept the program for long', () => {
    const { pace, call } = paceOf();
    let took = 0;
    while (!pace.isSlow) {
      call(8);
      took += 8;
    }
    expect(took).toBe(32);
  });

  it('is no slow one where the processor is shared', () => {
    const { pace, calls } = paceOf();
    for (let i = 0; i < 50; i++) {
      calls(5, 0.02);
      calls(3, 8);
      expect(pace.isSlow).toBe(false);
    }
  });

  it('is no slow one for empty directories', () => {
    const { pace } = paceOf();
    for (let i = 0; i < 100; i++) pace.note(0, 1);
    expect(pace.isSlow).toBe(false);
  });

  it('is tried again after a while, and found out by a few calls', () => {
    const { pace, calls } = paceOf();
    calls(10, 5);
    expect(pace.isSlow).toBe(true);
    pace.noteInThreads(8191);
    expect(pace.isSlow).toBe(true);
    pace.noteInThreads(1);
    expect([pace.isSlow, pace.isFast]).toEqual([false, false]);
    calls(4, 1);
    expect(pace.isSlow).toBe(true);
    pace.noteInThreads(8192);
    calls(4, 0.01);
    pace.noteInThreads(8192);
    calls(100, 0.01);
    expect(pace.isSlow).toBe(false);
  });

  it('runs calls here while it is quick, and in other threads while it is slow', async () => {
    const { pace, calls } = paceOf();
    const run = () =>
      pace.run(
        1,
        () => 'here',
        async () => 'in a thread',
      );
    expect(run()).toBe('here');
    calls(10, 5);
    expect(await run()).toBe('in a thread');
  });
});

describe('on a slow disk', () => {
  function slowDisk() {
    const slow = vi.spyOn(DiskPace.prototype, 'isSlow', 'get').mockReturnValue(true);
    onTestFinished(() => slow.mockRestore());
    return openLocal();
  }

  it('names that went, or turned into something else, are no entries of what they were', async () => {
    const { remote, dir } = slowDisk();
    for (let i = 0; i < 1500; i++) fs.writeFileSync(join(dir, `f${i}`), 'x');
    const first = await remote.listPage('', undefined, OP);
    fs.unlinkSync(join(dir, 'f999'));
    fs.unlinkSync(join(dir, 'f991'));
    fs.mkdirSync(join(dir, 'f991'));
    const rest = await remote.listPage('', first.cursor, OP);
    expect([...first.entries, ...rest.entries]).toHaveLength(1499);
    expect(rest.entries).toContainEqual(expect.objectContaining({ kind: 'dir', path: 'f991' }));
  });

  it('small files are hashed with their errors and stamps', async () => {
    const { remote, dir } = slowDisk();
    const contents = ['', 'a', 'bb', 'ccc'];
    for (const [size, content] of contents.entries())
      fs.writeFileSync(join(dir, `${size}`), content);
    const files = await Promise.all(contents.map((_, size) => fileAt(remote, `${size}`)));
    const [empty, changed, gone, same] = files as [FileEntry, FileEntry, FileEntry, FileEntry];
    const hash = async (file: FileEntry) => remote.can.hash?.(file, 'md5', OP);
    fs.appendFileSync(join(dir, '1'), 'more');
    fs.rmSync(join(dir, '2'));
    expect(await hash(empty)).toBe(md5(''));
    await expect(hash(changed)).rejects.toMatchObject({ code: 'source-changed' });
    await expect(hash(gone)).rejects.toMatchObject({ code: 'file-not-found' });
    const before = remote.can.stamp?.(same);
    expect(await hash(same)).toBe(md5('ccc'));
    fs.rmSync(join(dir, '3'));
    expect(remote.can.stamp?.(same, 'read')).toEqual(before);
  });

  it('names are looked up by threads once looks turn out to be slow', async () => {
    let now = 0;
    const clock = {
      ...systemClock,
      monotonic() {
        now += 5;
        return now;
      },
    };
    const { remote, dir } = openLocal({}, undefined, {}, clock);
    for (let i = 0; i < 100; i++) fs.writeFileSync(join(dir, `f${i}`), 'x'.repeat(i));
    const looks = vi.spyOn(fs.promises, 'lstat');
    onTestFinished(() => looks.mockRestore());
    const { entries } = await remote.listPage('', undefined, OP);
    expect(new Set(entries.map((entry) => entry.kind === 'file' && entry.size)).size).toBe(100);
    expect(looks.mock.calls.length).toBeGreaterThan(50);
    expect(looks.mock.calls.length).toBeLessThan(100);
    expect(remote.can.isSlow?.()).toBe(true);
  });

  it('a file that has changed since it was listed is not read', async () => {
    const { remote, dir } = slowDisk();
    fs.writeFileSync(join(dir, 'f'), 'first');
    const file = await fileAt(remote, 'f');
    fs.writeFileSync(join(dir, 'f'), 'other content');
    await expect(remote.read(file, undefined, OP)).rejects.toMatchObject({
      code: 'source-changed',
    });
    fs.unlinkSync(join(dir, 'f'));
    await expect(remote.read(file, undefined, OP)).rejects.toMatchObject({
      code: 'file-not-found',
    });
    fs.mkdirSync(join(dir, 'f'));
    await expect(remote.read(file, undefined, OP)).rejects.toMatchObject({ code: 'not-a-file' });
  });

  it('small files are written by threads, whole, with their times, and nothing else is left', async () => {
    const { remote, dir } = slowDisk();
    const write = (path: string) => {
      const text = `content of ${path}`;
      // A part of a larger buffer, as bodies of responses are.
      const open = async () => Buffer.from(`before ${text}`).subarray('before '.length);
      const modTime = 1_600_000_000_123_456_789n;
      return remote.write({ ...textSource(path, text), modTime, open }, OP);
    };
    const paths = Array.from({ length: 50 }, (_, i) => `d${i % 3}/f${i}`);
    const written: FileEntry[] = await Promise.all(paths.map(write));
    expect(written.map(({ path, size }) => [path, size])).toEqual(
      paths.map((path) => [path, `content of ${path}`.length]),
    );
    for (const path of paths) {
      expect(fs.readFileSync(join(dir, path), 'utf8')).toBe(`content of ${path}`);
      const { mtimeNs } = fs.statSync(join(dir, path), { bigint: true });
      expect(mtimeNs).toBe(1_600_000_000_123_456_789n);
    }
    expect(partials(dir)).toEqual([]);
  });

  it('a purge deletes all that it can, and names what failed', async () => {
    const { remote, dir } = slowDisk();
    fs.mkdirSync(join(dir, 'd'));
    for (let i = 0; i < 200; i++) fs.writeFileSync(join(dir, 'd', `f${i}`), 'x');
    const { unlink } = fs.promises;
    const mock = vi.spyOn(fs.promises, 'unlink').mockImplementation(async (path) => {
      if (!String(path).endsWith('/f7')) return unlink(path);
      throw Object.assign(new Error('EIO'), { code: 'EIO', path });
    });
    onTestFinished(() => mock.mockRestore());
    await expect(remote.can.purge?.('d', OP)).rejects.toThrow('d/f7');
    expect(fs.readdirSync(join(dir, 'd'))).toEqual(['f7']);
    mock.mockRestore();
    await remote.can.purge?.('d', OP);
    expect(fs.existsSync(join(dir, 'd'))).toBe(false);
  });
});
