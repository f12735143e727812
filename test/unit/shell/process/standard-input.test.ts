import { closeSync, fstatSync, openSync, type Stats } from 'node:fs';
import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { standardInput } from '../../../../src/shell/process/standard-input.ts';

const node = { stdin: Readable.from([]) };

/** What a descriptor of this path is. */
function statsOf(path: string): Stats {
  const fd = openSync(path, 'r');
  try {
    return fstatSync(fd);
  } finally {
    closeSync(fd);
  }
}

test('a directory as standard input is an error for who reads it, and for nobody else', async () => {
  const input = standardInput(node, () => statsOf('/'));
  await new Promise(setImmediate);
  await expect(input.toArray()).rejects.toThrow('standard input is a directory');
});

test('a device with blocks is read, although Node takes it for empty', () => {
  const blocks = Object.assign(Object.create(statsOf('/dev/null')), {
    isCharacterDevice: () => false,
    isBlockDevice: () => true,
  });
  const input = standardInput(node, () => blocks);
  expect(input).not.toBe(node.stdin);
  expect(input).toMatchObject({ fd: 0, autoClose: false });
});

test.each([['/dev/null'], [import.meta.filename]])('%s is left to Node', (path) => {
  expect(standardInput(node, () => statsOf(path))).toBe(node.stdin);
});

test('a descriptor that is closed is left to Node', () => {
  const closed = () => {
    throw new Error('EBADF');
  };
  expect(standardInput(node, closed)).toBe(node.stdin);
});
