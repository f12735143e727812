import { afterEach, expect, test, vi } from 'vitest';

const statfs = vi.hoisted(() => vi.fn<() => Promise<unknown>>());
vi.mock('node:fs/promises', async (original) => ({ ...(await original<object>()), statfs }));
vi.mock('node:child_process', async (original) => {
  const real = await original<typeof import('node:child_process')>();
  const spawn = (_file: string, args: string[], options: object) =>
    real.spawn('/nosuch/stat', args, options);
  return { ...real, spawn };
});

afterEach(() => vi.resetModules());

async function probe(answer: () => Promise<unknown>, limitMs?: number) {
  vi.resetModules();
  statfs.mockImplementation(answer);
  const { probeMount } = await import('../../../../src/fuse/mounts/mount-table.ts');
  return probeMount('/mnt', limitMs);
}

const later = (code: string) => async () => {
  await new Promise((resolve) => setTimeout(resolve, 20));
  throw Object.assign(new Error(code), { code });
};

test('where stat(1) cannot be started, the answer of the mount itself is awaited', async () => {
  expect(await probe(later('ENOTCONN'))).toBe('stale');
  expect(await probe(later('EACCES'))).toBe('live');
  expect(await probe(() => new Promise(() => {}), 50)).toBe('hung');
});
