import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { COMMANDS } from '../../commands/index.ts';
import { backendFlags } from '../../src/shell/command-line/backend-flags.ts';
import { flagSetOf } from '../../src/shell/command-line/flag-set.ts';

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
  const known = sets.get(command) ?? flagSetOf(COMMANDS, command, backendFlags()).byName;
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

const TESTS = new URL('..', import.meta.url).pathname;
/** All tests and what they use, without the gates. */
const TEST_CODE = readdirSync(TESTS, { recursive: true, encoding: 'utf8' })
  .filter((path) => /\.tsx?$/.test(path) && !path.startsWith('gates/'))
  .map((path) => readFileSync(join(TESTS, path), 'utf8'))
  .join('\n');

/** Tests use these by their letters, or under another name. */
const BY_OTHER_NAMES: Readonly<Record<string, string>> = {
  verbose: "'-v'",
  option: "'-o'",
  modtime: 'tree src -D',
  'no-checksum': 'noChecksum',
  'async-read': 'asyncRead',
  'dump-bodies': "'dump-bodies'",
  'dump-headers': "'dump-headers'",
  's3-list-versions-oldest-first': 'versionsOldestFirst',
};

/** Whether a test uses a flag: by its name, or as the option of a backend. */
function isTested(flag: string): boolean {
  const option = /^(s3|onedrive|local)-(.*)$/.exec(flag)?.[2]?.replaceAll('-', '_');
  const other = BY_OTHER_NAMES[flag];
  if (other !== undefined && TEST_CODE.includes(other)) return true;
  const camel = option?.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
  const forms = [`--${flag}`, ...(option === undefined ? [] : [`\\b${option}`, `\\b${camel}`])];
  return new RegExp(`(${forms.join('|')})(?![\\w-])`).test(TEST_CODE);
}

describe('every flag of rclone', () => {
  test('that acts is used by a test', () => {
    const acting = LINES.map((line) => line.split(': ')).filter(
      ([, verdict]) => verdict === 'acts',
    );
    const flags = new Set(acting.flatMap(([, , names = '']) => names.split(' ')));
    expect([...flags].filter((flag) => !isTested(flag))).toEqual([]);
    expect(isTested('flag-without-test')).toBe(false);
  });

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
