import { expect, onTestFinished, test } from 'vitest';
import { SyncerError } from '../../../src/core/errors.ts';
import type { HashName } from '../../../src/core/hash-names.ts';
import type { FileEntry, Op, Remote } from '../../../src/core/remote.ts';
import { type CheckRequest, check } from '../../../src/engine/check.ts';
import { ALL } from '../../../src/engine/consent.ts';
import { createRunControl, type RunControl } from '../../../src/engine/run-control.ts';
import { passAllFilter } from '../../../src/filter/filter.ts';
import { quietContext, remoteBut, remoteWith } from '../../support/memory-world.ts';
import { waitFor } from '../../support/wait-for.ts';

async function runCheck(
  source: Remote,
  dest: Remote,
  options: Partial<CheckRequest> = {},
  control?: RunControl,
) {
  const { context, logLines } = quietContext();
  const combined: string[] = [];
  const plan: CheckRequest = {
    source,
    dest,
    by: 'size-and-time',
    oneWay: false,
    fastList: false,
    modifyWindowNs: 1n,
    noUnicodeNormalization: false,
    ignoreCaseSync: false,
    checkers: 4,
    lowLevelRetries: 3,
    reports: { combined: async (line) => void combined.push(line.trimEnd()) },
    ...options,
  };
  const error = await check(
    { context, filter: passAllFilter, consent: ALL, ...(control && { control }) },
    plan,
  ).then(
    () => undefined,
    (thrown: Error) => thrown.message,
  );
  return { error, combined: combined.sort(), log: logLines() };
}

test('equal trees', async () => {
  const { error, log } = await runCheck(
    await remoteWith({ a: '1', 'b/c': '2' }),
    await remoteWith({ a: '1', 'b/c': '2' }),
  );
  expect(error).toBeUndefined();
  expect(
    log.filter((line) => line.startsWith('notice')).map((line) => line.replace(/.*: /, '')),
  ).toEqual([
    expect.stringMatching(/^Compared by size and modification time; add --checksum/),
    '0 differences found',
    '2 matching files',
  ]);
});

test('only a comparison by time says by what it compared', async () => {
  for (const by of ['size-and-hash', 'size', 'content'] as const) {
    const trees = [await remoteWith({ a: '1' }), await remoteWith({ a: '1' })] as const;
    expect((await runCheck(...trees, { by })).log.join('\n')).not.toContain('Compared by');
  }
});

test('every kind of difference, with the symbols of rclone', async () => {
  const source = await remoteWith({
    same: 'x',
    size: 'xx',
    time: ['x', 1],
    here: 'h',
    'dir/here': 'h',
  });
  const dest = await remoteWith({
    same: 'x',
    size: 'x',
    time: ['x', 2],
    there: 't',
    'other/there': 't',
  });
  const { error, combined, log } = await runCheck(source, dest);
  expect(error).toBe('6 differences found');
  expect(combined).toEqual(
    ['* size', '* time', '+ dir/here', '+ here', '- other/there', '- there', '= same'].sort(),
  );
  expect(log).toContain('error: size: sizes differ');
  expect(log).toContain('error: time: modification times differ');
});

test('--one-way does not mind what only the destination has', async () => {
  const source = await remoteWith({ a: '1' });
  const dest = await remoteWith({ a: '1', b: '2', 'c/d': '3' });
  expect((await runCheck(source, dest, { oneWay: true })).error).toBeUndefined();
});

test('--checksum sees another content of the same size and time, and not another time', async () => {
  const source = await remoteWith({ content: 'aaa', time: ['x', 1] });
  const dest = await remoteWith({ content: 'bbb', time: ['x', 2] });
  const { combined } = await runCheck(source, dest, { by: 'size-and-hash' });
  expect(combined).toEqual(['* content', '= time']);
});

test('--download compares bytes where no side has hashes', async () => {
  const options = { hashes: [] };
  const source = await remoteWith({ content: 'aaa', same: 'x' }, options);
  const dest = await remoteWith({ content: 'bbb', same: 'x' }, options);
  const { combined, log } = await runCheck(source, dest, { by: 'content' });
  expect(combined).toEqual(['* content', '= same']);
  expect(log).toContain('error: content: contents differ');
});

test('differences decide over directories that cannot be read', async () => {
  const unreadable = async (files: Record<string, string>) => {
    const whole = await remoteWith({ ...files, 'dir/x': 'x' });
    return remoteBut(whole, {
      listPage: async (dir, cursor, op) => {
        if (dir === 'dir') throw new SyncerError('unreadable', 'permission denied');
        return whole.listPage(dir, cursor, op);
      },
    });
  };
  const dest = await remoteWith({ a: '2' });
  const { error, log } = await runCheck(await unreadable({ a: '22' }), dest);
  expect(error).toBe('1 differences found');
  expect(log.filter((line) => /differences found|errors while/.test(line))).toEqual([
    expect.stringContaining('1 differences found'),
    expect.stringContaining('2 errors while checking'),
  ]);
  expect((await runCheck(await unreadable({ a: '2' }), dest)).error).toBe('permission denied');
});

test('without times on a side the hash decides', async () => {
  const source = await remoteWith({ a: 'aaa', b: 'x' });
  const dest = await remoteWith({ a: 'bbb', b: 'x' }, { modTimePrecision: undefined });
  expect((await runCheck(source, dest)).combined).toEqual(['* a', '= b']);
});

/** A remote that computes hashes of many files at once, and counts the files. */
function hashingMany(inner: Remote) {
  const counts = { many: 0, single: 0 };
  const { hash } = inner.can;
  const one = (file: FileEntry, name: HashName, op: Op) => hash?.(file, name, op);
  const can: Remote['can'] = {
    hash: async (file, name, op) => {
      counts.single++;
      return one(file, name, op);
    },
    hashMany: (files, name, op) => {
      counts.many += files.length;
      const isLeft = ({ path }: FileEntry) => path.endsWith('7');
      return Promise.all(files.map((file) => (isLeft(file) ? undefined : one(file, name, op))));
    },
  };
  return { remote: remoteBut(inner, { can }), counts };
}

const manyFiles = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`f${at}`, `content ${at}`]));

const HASHED = { hashes: ['md5' as const], slowHash: true };

test('hashes of many files are computed at once, and the others by themselves', async () => {
  const source = hashingMany(await remoteWith(manyFiles(150), HASHED));
  const dest = hashingMany(
    await remoteWith({ ...manyFiles(150), f3: 'content x', f7: 'content y' }, HASHED),
  );
  const { error, combined } = await runCheck(source.remote, dest.remote, { by: 'size-and-hash' });
  expect(error).toBe('2 differences found');
  expect(combined.filter((line) => line.startsWith('*'))).toEqual(['* f3', '* f7']);
  expect(combined).toHaveLength(150);
  expect(dest.counts).toEqual({ many: 150, single: 15 });
  expect(source.counts).toEqual({ many: 135, single: 15 });
});

test('a pause holds back hashes of many files', async () => {
  const source = hashingMany(await remoteWith(manyFiles(300), HASHED));
  const dest = hashingMany(await remoteWith(manyFiles(300), HASHED));
  const control = createRunControl(() => {});
  const { hashMany } = dest.remote.can;
  const pausing = remoteBut(dest.remote, {
    can: {
      ...dest.remote.can,
      hashMany: async (files, name, op) => {
        control.pause();
        return (await hashMany?.(files, name, op)) ?? [];
      },
    },
  });
  const plan = { by: 'size-and-hash' as const };
  const checking = runCheck(source.remote, pausing, plan, control);
  await waitFor(() => dest.counts.many > 0);
  for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
  const atPause = dest.counts.many;
  expect(atPause).toBeLessThan(300);
  const ending = setInterval(() => control.goOn(), 1);
  onTestFinished(() => clearInterval(ending));
  expect((await checking).combined).toHaveLength(300);
});

test('what is reported comes in the order of the names', async () => {
  const lines: string[] = [];
  const reports = { combined: async (line: string) => void lines.push(line.trimEnd()) };
  const source = await remoteWith({ a: '1', b: '1', d: '1', e: '11' });
  const dest = await remoteWith({ a: '1', c: '1', d: '1', e: '1', f: '1' });
  await runCheck(source, dest, { reports });
  expect(lines).toEqual(['= a', '+ b', '- c', '= d', '* e', '- f']);
});
