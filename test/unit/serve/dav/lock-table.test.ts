import { expect, test } from 'vitest';
import { LockTable } from '../../../../src/serve/dav/lock-table.ts';

const none: ReadonlySet<string> = new Set();
const lock = (
  path: string,
  given: { isShared?: boolean; isDeep?: boolean; user?: string } = {},
) => {
  return { path, isShared: false, isDeep: true, owner: '', user: '', seconds: 60, ...given };
};
const locked = expect.objectContaining({ status: 423 });

test('an exclusive lock excludes all others, a shared one only exclusive ones', () => {
  const table = new LockTable(() => 0);
  table.add(lock('a'));
  expect(() => table.add(lock('a/b'))).toThrow(locked);
  expect(() => table.add(lock(''))).toThrow(locked);
  table.add(lock('', { isDeep: false }));
  table.add(lock('s', { isShared: true }));
  table.add(lock('s', { isShared: true }));
  expect(() => table.add(lock('s'))).toThrow(locked);
});

test('a change needs the token of each lock, from the user who has it', () => {
  const table = new LockTable(() => 0);
  const { token } = table.add(lock('a', { user: 'me' }));
  const tokens = new Set([token]);
  expect(table.forbidden({ path: 'a/b' }, 'me', none)).toBe('a');
  expect(table.forbidden({ path: 'a/b' }, 'me', tokens)).toBeUndefined();
  expect(table.forbidden({ path: 'a/b' }, 'you', tokens)).toBe('a');
  expect(table.forbidden({ path: 'ab' }, 'me', none)).toBeUndefined();
  const deep = table.add(lock('d/e/f', { user: 'me', isDeep: false }));
  expect(table.forbidden({ path: 'd' }, 'me', none)).toBeUndefined();
  expect(table.forbidden({ path: 'd', isDeep: true }, 'me', tokens)).toBe('d/e/f');
  expect(table.forbidden({ path: 'd', isDeep: true }, 'me', new Set([deep.token]))).toBeUndefined();
});

test('one of several shared locks is enough', () => {
  const table = new LockTable(() => 0);
  const { token } = table.add(lock('a', { isShared: true }));
  table.add(lock('a', { isShared: true }));
  expect(table.forbidden({ path: 'a' }, '', new Set([token]))).toBeUndefined();
  expect(table.forbidden({ path: 'a' }, '', none)).toBe('a');
});

test('a lock of a directory alone protects its names, not its files', () => {
  const table = new LockTable(() => 0);
  table.add(lock('a', { isDeep: false }));
  expect(table.forbidden({ path: 'a/b' }, '', none)).toBeUndefined();
  expect(table.forbidden({ path: 'a/b', names: true }, '', none)).toBe('a');
});

test('locks end by themselves, with their file, and when they are deleted', () => {
  let now = 0;
  const table = new LockTable(() => now);
  const { token } = table.add(lock('a'));
  now = 59_999;
  expect(table.find(token, 'a/b')?.token).toBe(token);
  now = 60_000;
  expect(table.find(token, 'a')).toBeUndefined();
  const second = table.add(lock('a/b'));
  table.refresh(second, 600);
  now = 600_000;
  expect(table.covering('a/b')).toHaveLength(1);
  table.remove('a');
  expect(table.covering('a/b')).toEqual([]);
  table.delete(table.add(lock('x')));
  expect(table.covering('x')).toEqual([]);
});

test('a lock of the root covers everything below it, if it is deep', () => {
  const table = new LockTable(() => 0);
  table.add(lock('', { isShared: true, isDeep: false }));
  const { token } = table.add(lock('', { isShared: true }));
  expect(table.covering('a/b').map((one) => one.token)).toEqual([token]);
  expect(table.covering('')).toHaveLength(2);
});

test('locks that have ended make room for others', () => {
  let now = 0;
  const table = new LockTable(() => now);
  for (let i = 0; i < 10_000; i++) table.add(lock(`f${i}`, { isDeep: false }));
  expect(() => table.add(lock('g'))).toThrow(expect.objectContaining({ status: 507 }));
  table.remove('f0');
  table.add(lock('g'));
  now = 60_000;
  for (let i = 0; i < 10_000; i++) table.add(lock(`h${i}`, { isDeep: false }));
  expect(table.forbidden({ path: '', isDeep: true }, '', none)).toBe('h0');
});
