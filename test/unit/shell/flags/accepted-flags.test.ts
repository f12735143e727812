import { expect, test } from 'vitest';
import { COMMANDS } from '../../../../commands/index.ts';
import { withoutEffect } from '../../../../src/shell/command-line/flag-notices.ts';
import { parseCommandLine } from '../../../../src/shell/command-line/parse-command-line.ts';
import { ACCEPTED_FLAGS } from '../../../../src/shell/flags/accepted-flags.ts';

const read = (argv: readonly string[], env = {}) =>
  parseCommandLine(['ls', ...argv], { commands: COMMANDS, backendFlags: [], env, nowMs: 0 });

test('those that were given are named, and no others', () => {
  const words = ['--use-mmap', '--buffer-size', '64M', '-v', '--no-console=false'];
  expect(withoutEffect(read(words, { SYNCER_RC: 'true' }))).toEqual({
    missed: ['--rc'],
    logs: [],
    hints: ['--buffer-size', '--use-mmap'],
  });
  expect(withoutEffect(read(['-v']))).toEqual({ missed: [], logs: [], hints: [] });
  expect(withoutEffect(read(['--syslog']))).toEqual({ missed: [], logs: ['--syslog'], hints: [] });
});

test('their values are read all the same', () => {
  expect(() => read(['--buffer-size', 'much'])).toThrow('--buffer-size');
  expect(() => read(['--fs-cache-expire-duration', 'x'])).toThrow('--fs-cache-expire-duration');
});

test.each(Object.entries(ACCEPTED_FLAGS))('--%s says why it does nothing', (_, { help, group }) => {
  expect(group).toBe('accepted');
  expect(help).toMatch(/^Ignored, for compatibility with rclone: \S/);
});
