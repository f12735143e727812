import { setTimeout } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startTestS3, type TestS3 } from '../../servers/test-s3.ts';
import { readTree, writeTree } from '../../support/file-tree.ts';
import { section } from '../../support/s3-world.ts';
import { hasTmux } from '../../support/tmux-terminal.ts';
import { type TuiWorld, tuiWorld } from '../../support/tui-world.ts';

let world: TuiWorld;
let s3: TestS3;

beforeEach(async () => {
  [world, s3] = await Promise.all([tuiWorld('buckets'), startTestS3()]);
  await writeTree(s3.root, { 'one/f': 'x', 'one/d/g': 'x', 'two/f': 'x' });
  await world.write({ 'syncer.conf': section(s3, 's'), 'docs/new/b': 'new' });
});
afterEach(async () => {
  await Promise.all([s3.stop(), world.remove()]);
});

const stored = async () => Object.keys((await readTree(s3.root)) ?? {});

/** An answer sooner than this was typed before the question could be read. */
const read = () => setTimeout(1000);

test.skipIf(!hasTmux)('a sync that empties buckets asks, and does what is answered', async () => {
  const no = await world.start('sync docs s:');
  await no.waitFor(['all files of 2 buckets: one, two', 'n/y>']);
  await read();
  await no.keys('Enter');
  await no.waitFor('exit=21');
  expect(await stored()).toEqual(expect.arrayContaining(['one/d/g', 'one/f', 'two/f']));
  const yes = await world.start('sync docs s:');
  await yes.waitFor('n/y>');
  await read();
  await yes.type('y');
  await yes.keys('Enter');
  await yes.waitFor('exit=0');
  expect((await stored()).filter((path) => /^(one|two)\/[^.]/.test(path))).toEqual([]);
  expect(await stored()).toContain('new/b');
});
