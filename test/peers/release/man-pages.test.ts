import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { manPages } from '../../../commands/generate/man-pages.ts';
import { COMMANDS } from '../../../commands/index.ts';
import { hasProgram } from '../../support/has-program.ts';

test.skipIf(!hasProgram('man'))('man prints the manual pages', () => {
  const page = manPages(COMMANDS).find(({ path }) => path === 'syncer-config-create.1');
  const printed = execFileSync('man', ['-l', '-'], {
    input: page?.text ?? '',
    env: { ...process.env, LC_ALL: 'C.UTF-8', MANPAGER: 'cat' },
  });
  const plain = printed.toString().replace(/\x1b\[\d*m|.\x08/g, '');
  expect(plain).toContain('syncer-config-create - Create a remote');
  expect(plain).toContain('--non-interactive');
});
