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

test('a directory may have more directories in it than a call can have arguments', async () => {
  const { remote, dir } = openLocal();
  mkdirSync(join(dir, 'd'));
  const [one] = fs.readdirSync(dir, { withFileTypes: true, encoding: 'buffer' });
  const many = Array.from({ length: 200_000 }, (_, i) =>
    Object.assign(Object.create(one ?? null), { name: Buffer.from(`${i}`) }),
  );
  vi.spyOn(fs, 'readdirSync').mockReturnValueOnce(many).mockReturnValue([]);
  const watcher: unknown = { on: () => {}, close: () => {} };
  vi.spyOn(fs, 'watch').mockReturnValue(watcher as fs.FSWatcher);
  const ending = new AbortController();
  onTestFinished(() => ending.abort());
  const plan: WatchPlan = { keepDir: () => true, onChange: () => {}, onLost: () => {} };
  const watching = await remote.can.watch?.(plan, { signal: ending.signal });
  expect(watching?.dirs).toBe(many.length + 1);
});
