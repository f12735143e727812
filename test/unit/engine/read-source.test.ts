import { expect, test } from 'vitest';
import { collectBody } from '../../../src/core/body.ts';
import type { FileEntry } from '../../../src/core/remote.ts';
import { readSource } from '../../../src/engine/copy/read-source.ts';
import type { Run } from '../../../src/engine/run.ts';
import { remoteWith } from '../../support/memory-world.ts';
import { OP } from '../../support/open-s3.ts';

test.each([
  ['what the store copies of a file on a disk', false, true, []],
  ['what is sent of a file on a disk', false, false, [3]],
  ['what the store copies of a file that is downloaded', true, true, [3]],
])('--bwlimit, and %s', async (_, down, isCopied, limited) => {
  const remote = await remoteWith({ a: 'content' });
  const file = (await remote.stat('a', OP)) as FileEntry;
  const taken: number[] = [];
  const bandwidth = { take: async (bytes: number) => void taken.push(bytes) };
  const run = { context: { emit() {} }, bandwidth } as unknown as Run;
  const reading = { run, remote, file, route: { up: true, down }, tries: 1 };
  const range = { offset: 0, length: 3, ...(isCopied && { isCopied }) };
  const body = await collectBody(await readSource(reading, range, OP), OP.signal);
  expect([body.toString(), taken]).toEqual(['con', limited]);
});
