import {
  appendFile,
  link,
  mkdir,
  mkdtemp,
  open,
  rename,
  rm,
  symlink,
  unlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Clock } from '../../../../src/core/context.ts';
import {
  isBeingWritten,
  type LookOptions,
  watchFiles,
} from '../../../../src/webhook/server/watch-hooks.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { waitFor } from '../../../support/wait-for.ts';

let folder: string;
let stop = () => {};
const at = (name: string) => join(folder, name);
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'watch-hooks-'));
});
afterEach(async () => {
  stop();
  await rm(folder, { recursive: true });
});

/** A clock on which no interval ever ends: what is seen was reported by the kernel. */
function clockWithoutTicks(): Clock {
  let now = 0;
  return {
    now: () => now,
    monotonic: () => now,
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        signal?.addEventListener('abort', reject);
        if (ms >= 150) return;
        setTimeout(() => {
          now += ms;
          resolve();
        }, 5);
      }),
  };
}

/** Watches `hooks.json`; gives what is reported. */
async function watchIt(
  clock: Clock,
  how: Pick<LookOptions, 'isWritten' | 'isValid'> = { isWritten: async () => false },
): Promise<string[]> {
  const reported: string[] = [];
  const changed = async () => void reported.push('changed');
  const gone = () => void reported.push('gone');
  stop = await watchFiles(() => [at('hooks.json')], changed, gone, { ...how, clock });
  return reported;
}

const over = async (name: string, text: string) => {
  await writeFile(at(`${name}.new`), text);
  await rename(at(`${name}.new`), at(name));
};

describe('without checks at intervals it is seen that a file', () => {
  test.each<readonly [how: string, before: () => Promise<unknown>, edit: () => Promise<unknown>]>([
    ['is written in place', async () => {}, () => writeFile(at('hooks.json'), 'two')],
    ['is replaced by a rename', async () => {}, () => over('hooks.json', 'two')],
    [
      'is renamed away and written again',
      async () => {},
      async () => {
        await rename(at('hooks.json'), at('hooks.json~'));
        await writeFile(at('hooks.json'), 'two');
      },
    ],
    [
      'is written by another name',
      () => link(at('hooks.json'), at('other')),
      () => writeFile(at('other'), 'two'),
    ],
    [
      'keeps size and time',
      async () => {},
      async () => {
        await writeFile(at('hooks.json'), 'two');
        await utimes(at('hooks.json'), 1, 1);
      },
    ],
    [
      'is reached through another link',
      async () => {
        await mkdir(at('a'));
        await rename(at('hooks.json'), at('a/file'));
        await symlink('a/file', at('hooks.json'));
      },
      async () => {
        await mkdir(at('b'));
        await writeFile(at('b/file'), 'two');
        await symlink('b/file', at('link'));
        await rename(at('link'), at('hooks.json'));
      },
    ],
    [
      'is in another directory behind a link, as in a ConfigMap',
      async () => {
        await mkdir(at('..1'));
        await rename(at('hooks.json'), at('..1/hooks.json'));
        await symlink('..1', at('..data'));
        await symlink('..data/hooks.json', at('hooks.json'));
      },
      async () => {
        await mkdir(at('..2'));
        await writeFile(at('..2/hooks.json'), 'two');
        await symlink('..2', at('..new'));
        await rename(at('..new'), at('..data'));
        await rm(at('..1'), { recursive: true });
      },
    ],
    [
      'is in a directory that replaces another',
      async () => {
        await mkdir(at('conf'));
        await rename(at('hooks.json'), at('conf/file'));
        await symlink('conf/file', at('hooks.json'));
      },
      async () => {
        await mkdir(at('conf.new'));
        await writeFile(at('conf.new/file'), 'two');
        await rename(at('conf'), at('conf.old'));
        await rename(at('conf.new'), at('conf'));
      },
    ],
  ])('%s', async (_, before, edit) => {
    await writeFile(at('hooks.json'), 'one');
    await before();
    const reported = await watchIt(clockWithoutTicks());
    await edit();
    await waitFor(() => reported.includes('changed'));
    // And again, as it is watched on.
    await over('hooks.json', 'three');
    await waitFor(() => reported.length > 1);
  });
});

/** Lets time pass on a clock until the condition holds. */
async function passUntil(clock: ManualClock, isDone: () => boolean): Promise<void> {
  await waitFor(() => {
    void clock.advance(2);
    return isDone();
  });
}

test('half a file is not taken for a whole one', async () => {
  await writeFile(at('hooks.json'), 'one');
  const clock = new ManualClock();
  const asked: string[] = [];
  const isValid = async (_: string, content: string) => {
    asked.push(content);
    return content.endsWith('rest');
  };
  const reported = await watchIt(clock, { isWritten: async () => false, isValid });
  await writeFile(at('hooks.json'), 'half');
  await passUntil(clock, () => asked.includes('half'));
  expect(reported).toEqual([]);
  await appendFile(at('hooks.json'), ', and the rest');
  await passUntil(clock, () => reported.length > 0);
  expect(asked.at(-1)).toBe('half, and the rest');
});

test('a file in a directory that is missing is found by the checks at intervals', async () => {
  await symlink('there/file', at('hooks.json'));
  const clock = new ManualClock();
  const reported = await watchIt(clock);
  await mkdir(at('there'));
  await writeFile(at('there/file'), 'two');
  await passUntil(clock, () => reported.length > 0);
  expect(reported).toEqual(['changed']);
});

test('a file that is open for writing is being written', async ({ skip }) => {
  await writeFile(at('file'), 'half');
  if ((await isBeingWritten(at('file'))) === undefined) skip('no leases here');
  expect(await isBeingWritten(at('file'))).toBe(false);
  const file = await open(at('file'), 'a');
  expect(await isBeingWritten(at('file'))).toBe(true);
  await file.close();
  expect(await isBeingWritten(at('file'))).toBe(false);
  await unlink(at('file'));
  expect(await isBeingWritten(at('file'))).toBeUndefined();
});
