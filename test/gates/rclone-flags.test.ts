import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { backendFlags } from '../../src/app/command-line/backend-flags.ts';
import { flagSetOf } from '../../src/app/command-line/flag-set.ts';

/**
 * The flags of rclone 1.75.2 (`rclone help flags`, and the help of each command that syncer has), without those of
 * backends that syncer lacks: `command: verdict: flags`; `*` is every command.
 */
const LINES = readFileSync(new URL('rclone-flags.txt', import.meta.url), 'utf8')
  .trim()
  .split('\n');
const DOCS = readFileSync(new URL('../../docs/rclone.md', import.meta.url), 'utf8');

const sets = new Map<string, ReturnType<typeof flagSetOf>['byName']>();

function flagsOf(command: string) {
  const known = sets.get(command) ?? flagSetOf(command, backendFlags()).byName;
  sets.set(command, known);
  return known;
}

/** Whether a flag acts, is accepted and ignored with a notice, or is refused as unknown. */
function verdictOf(command: string, flag: string): string {
  const { definition } = flagsOf(command === '*' ? 'copy' : command).get(flag) ?? {};
  if (definition === undefined) return 'refused';
  const isIgnored = definition.group === 'accepted' || definition.help.startsWith('Ignored');
  return isIgnored ? 'ignored' : 'acts';
}

describe('every flag of rclone', () => {
  test.each(LINES.map((line) => line.split(': ')))(
    '%s: %s',
    (command = '', verdict, flags = '') => {
      const others = flags.split(' ').filter((flag) => verdictOf(command, flag) !== verdict);
      expect(others).toEqual([]);
      if (verdict !== 'refused') return;
      const unnamed = flags.split(' ').filter((flag) => !DOCS.includes(`--${flag}`));
      expect(unnamed, 'docs/rclone.md says why').toEqual([]);
    },
  );

  test('the verdicts are told apart', () => {
    expect(verdictOf('copy', 'no-such-flag')).toBe('refused');
    expect(verdictOf('copy', 'use-mmap')).toBe('ignored');
    expect(verdictOf('*', 'fix-case')).toBe('acts');
  });
});
