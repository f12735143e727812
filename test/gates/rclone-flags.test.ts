import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { COMMANDS } from '../../commands/index.ts';
import { passedFlags } from '../../scripts/testing/passed-flags.ts';
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

/** The flags that no test passes on a command line; gates do not count. */
function untested(flags: readonly string[]): string[] {
  const found = new Set(flags);
  for (const path of readdirSync(TESTS, { recursive: true, encoding: 'utf8' })) {
    if (!/\.tsx?$/.test(path) || path.startsWith('gates/')) continue;
    const text = readFileSync(join(TESTS, path), 'utf8');
    const named = [...text.matchAll(/--([\w-]+)/g)];
    if (!named.some(([, name = '']) => found.has(name))) continue;
    for (const flag of passedFlags(path, text)) found.delete(flag);
  }
  return [...found];
}

describe('every flag of rclone', () => {
  test('that acts is passed on a command line by a test', () => {
    const acting = LINES.map((line) => line.split(': ')).filter(
      ([, verdict]) => verdict === 'acts',
    );
    const flags = acting.flatMap(([, , names = '']) => names.split(' '));
    expect(untested([...flags, 'flag-without-test'])).toEqual(['flag-without-test']);
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

describe('a flag in the text of a test', () => {
  const passed = (text: string) => [...passedFlags('some.test.ts', text)];

  test.each([
    "await run('copy a b --flag');",
    "await run('--flag=x copy a b');",
    "run(['copy', 'a', '--flag', 'b']);",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the code of a test
    'run(`copy ${from} b --flag ${value}`);',
    "test.each([['--flag', 'seen'], ['', 'unseen']])('%s', async (flag) => {});",
    "test('a title', async () => expect(await run('ls --flag')).toBe(''));",
    "expect.poll(() => run('ls --flag'));",
    `call('sh', '-c', 'syncer "--flag"');`,
  ])('counts: %s', (text) => {
    expect(passed(text)).toEqual(['flag']);
  });

  test.each([
    ['a title', "test('copy --flag copies', () => {});"],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the code of a test
    ['a title from pieces', 'describe.skipIf(no)(`--flag of ${command}`, () => {});'],
    ['the title of a table', "test.each(TABLE)('--flag %s', () => {});"],
    ['what is expected', "expect(stderr).toContain('--flag');"],
    ['the reason of an expectation', "expect(code, '--flag').toBe(0);"],
    ['a part of what is expected', "expect(all).toEqual({ a: expect.stringMatching('--flag') });"],
    ['what is looked for', "if (text.includes('--flag') || text === '--flag') done();"],
    ['what is thrown', "throw new Error('--flag');"],
    ['a comment', "// run('copy a b --flag')\n/* '--flag' */ run('copy a b');"],
    ['the start of another flag', "run('copy a b --flag-of-another');"],
    ['the end of another word', "run('copy a b no--flag x=--flag');"],
    ['a sentence', "const TEXTS = ['refused because of --flag', '--flag needs a value'];"],
  ])('does not count in %s: %s', (_where, text) => {
    expect(passed(text)).not.toContain('flag');
  });
});
