import { mkdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
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
