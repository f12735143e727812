import { arch, release } from 'node:os';
import { afterAll, expect, test } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { makeSyncerWorld } from '../support/run-syncer.ts';

const world = await makeSyncerWorld({ inOwnProcess: true });
afterAll(() => world.remove());

test('version tells what runs on what', async () => {
  const { stdout, stderr, code } = await world.run(['version']);
  expect({ stderr, code }).toEqual({ stderr: '', code: 0 });
  const [first, ...rest] = stdout.toString().trimEnd().split('\n');
  expect(first).toBe(`syncer v${manifest.version}`);
  expect(rest[0]).toMatch(/^- os\/version: \S.* \((64|32) bit\)$|^- os\/version: unknown$/);
  expect(rest[1]).toBe(`- os/kernel: ${release()} (${arch() === 'x64' ? 'x86_64' : arch()})`);
  expect(rest[2]).toBe(`- os/type: ${process.platform}`);
  expect(rest.at(-1)).toBe(`- node/version: ${process.versions.node}`);
});

test('the short way and the long way print the same', async () => {
  const texts = await Promise.all(
    [['version'], ['--version'], ['-V'], ['version', '-q'], ['ls', '--version']].map(
      async (words) => (await world.run(words)).stdout.toString(),
    ),
  );
  expect(new Set(texts).size).toBe(1);
});

test('the version does not need a configuration that can be read', async () => {
  const { code } = await world.run(['version'], { env: { SYNCER_CONFIG: '/nonexistent/x' } });
  expect(code).toBe(0);
});

test('a setting that makes no sense is told even then', async () => {
  const { code, stderr, stdout } = await world.run(['version'], { env: { SYNCER_RETRIES: 'x' } });
  expect(code).toBe(1);
  expect(stdout.toString()).toBe('');
  expect(stderr).toMatch(/^Error: .*SYNCER_RETRIES: not a whole number: "x".*\n$/);
});
