import fs, { mkdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { WatchPlan } from '../../../../src/core/changes.ts';
import { newFolder, openLocal } from './local-world.ts';

test('directories that are moved into a watched one are changed again when all are watched', async () => {
  const { remote, dir } = openLocal();
  const away = join(newFolder(), 'new');
  for (let i = 0; i < 300; i++) mkdirSync(join(away, `${i}`), { recursive: true });
  const ending = new AbortController();
  onTestFinished(() => ending.abort());
  const changed: string[] = [];
  const plan: WatchPlan = {
    keepDir(name) {
      // The directories in it are found before they are watched.
      if (name !== 'new') changed.push('found');
      return true;
    },
    onChange: (name, whole) => changed.push(whole ? `all of ${name}` : 'entries'),
    onLost: () => expect.unreachable(),
  };
  await remote.can.watch?.(plan, { signal: ending.signal });
  renameSync(away, join(dir, 'new'));
  await expect.poll(() => changed.at(-1)).toBe('all of new');
  expect(new Set(changed)).toEqual(new Set(['entries', 'all of new', 'found']));
});

test('a root with another time of birth is another directory, unless it is one of an overlay', async () => {
  const { remote, dir } = openLocal();
  const ending = new AbortController();
  onTestFinished(() => ending.abort());
  const plan: WatchPlan = { keepDir: () => true, onChange: () => {}, onLost: () => {} };
  const watching = await remote.can.watch?.(plan, { signal: ending.signal });
  watching?.assertSameRoot();
  const stats = fs.statSync(dir, { bigint: true });
  vi.spyOn(fs, 'statSync').mockReturnValue(Object.assign(stats, { birthtimeNs: 1n }));
  expect(() => watching?.assertSameRoot()).toThrow('the root is another directory now');
  const system = fs.statfsSync(dir);
  vi.spyOn(fs, 'statfsSync').mockReturnValue(Object.assign(system, { type: 0x79_4c_76_30 }));
  watching?.assertSameRoot();
});

/** Watches a root with so many directories in it, none of which there are, without the system. */
async function watchMany(count: number, plan: WatchPlan) {
  const { remote, dir } = openLocal();
  mkdirSync(join(dir, 'd'));
  const [one] = fs.readdirSync(dir, { withFileTypes: true, encoding: 'buffer' });
  const many = Array.from({ length: count }, (_, i) =>
    Object.assign(Object.create(one ?? null), { name: Buffer.from(`${i}`) }),
  );
  vi.spyOn(fs, 'readdirSync').mockReturnValueOnce(many).mockReturnValue([]);
  const watcher: unknown = { on: () => {}, close: () => {} };
  const watch = vi.spyOn(fs, 'watch').mockReturnValue(watcher as fs.FSWatcher);
  const ending = new AbortController();
  onTestFinished(() => ending.abort());
  const watching = await remote.can.watch?.(plan, { signal: ending.signal });
  const listener = watch.mock.calls[0]?.at(2) as unknown as fs.WatchListener<Buffer>;
  return { dirs: watching?.dirs, event: (name: string) => listener('rename', Buffer.from(name)) };
}

test('a directory may have more directories in it than a call can have arguments', async () => {
  const plan: WatchPlan = { keepDir: () => true, onChange: () => {}, onLost: () => {} };
  expect(await watchMany(200_000, plan)).toMatchObject({ dirs: 200_001 });
});

test('what is watched no longer is found without looking at all that is watched', async () => {
  const changed = new Set<string>();
  const plan: WatchPlan = {
    keepDir: () => true,
    onChange: (dir, whole) => whole && changed.add(dir),
    onLost: () => {},
  };
  const { event } = await watchMany(100_000, plan);
  for (let i = 0; i < 8000; i++) event(`${i}`);
  // They are not watched any more.
  for (let i = 0; i < 100; i++) event(`${i}`);
  expect(changed.size).toBe(8000);
});
