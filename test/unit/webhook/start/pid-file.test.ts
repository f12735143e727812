import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { writePidFile } from '../../../../src/webhook/start/start-server.ts';

let folder: string;
let path: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pid-file-'));
  path = join(folder, 'pid');
});
afterEach(() => rm(folder, { recursive: true }));

const own = String(process.pid);
const read = () => readFile(path, 'utf8').catch(() => undefined);

test.each([
  ['nothing', ''],
  ['nonsense', 'years of work'],
  ['two numbers', `${process.ppid}\n${process.ppid}`],
  ['a number in hexadecimal', '0x1'],
  ['a negative number', '-1'],
  ['a number that no process has', '99999999'],
  ['the number of this process, left by another', own],
])('%s is replaced, and deleted at the end', async (_, text) => {
  await writeFile(path, text);
  const remove = await writePidFile(path);
  expect(await read()).toBe(own);
  await remove();
  expect(await read()).toBeUndefined();
});

test.each([String(process.ppid), ` ${process.ppid}\n`, `+${process.ppid}`])(
  '%j names a living process and stays',
  async (text) => {
    await writeFile(path, text);
    await expect(writePidFile(path)).rejects.toThrow('pid file found, ensure webhook is not');
    expect(await read()).toBe(text);
  },
);

test('the file of a successor stays at the end', async () => {
  const remove = await writePidFile(path);
  await writeFile(path, '12');
  await remove();
  expect(await read()).toBe('12');
});
