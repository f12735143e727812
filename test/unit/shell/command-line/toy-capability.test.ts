import { expect, test } from 'vitest';
import { manPages } from '../../../../commands/generate/man-pages.ts';
import { COMMANDS } from '../../../../commands/index.ts';
import { bool, commandFlags, text } from '../../../../src/core/flags.ts';
import type { CommandCall, StandardOutput } from '../../../../src/shell/command-line/command.ts';
import { commandsOf } from '../../../../src/shell/command-line/commands-of.ts';
import { logText } from '../../../../src/shell/log/log-text.ts';
import { runInProcess } from '../../../support/run-in-process.ts';

// A capability as its command.ts and its code would have it: with its line in commands/index.ts it is whole.
const TOY_FLAGS = commandFlags(['toy'], {
  'toy-name': text('Greet this person', { name: 'name', placeholder: 'name', default: 'you' }),
  loud: bool('Greet in capital letters'),
});

const WORDS = { greeted: (name: string) => `Greeted ${name}` };

const TOY_COMMANDS = commandsOf(
  async () => ({
    async toyCommand({ flags, out, context }: CommandCall<typeof TOY_FLAGS> & StandardOutput) {
      const name = flags['toy-name'];
      await out.write(flags.loud ? `HELLO ${name.toUpperCase()}\n` : `hello ${name}\n`);
      context.emit(logText('notice', WORDS.greeted(name)));
    },
  }),
  TOY_FLAGS,
  {
    toy: {
      usage: '',
      summary: 'Greet somebody',
      examples: 'syncer toy --loud  # Greet in capital letters',
      see: ['ls'],
      exclusions: [['loud', 'quiet', 'it could not be heard']],
    },
  },
);

const commands = [...COMMANDS, ...TOY_COMMANDS];
const syncer = (...argv: string[]) => runInProcess(argv, { HOME: '/nonexistent' }, { commands });

test('a capability of one folder and one line has its flags, in the environment too, and logs its words', async () => {
  expect(await syncer('toy', '--name=Ada')).toMatchObject({ code: 0, stdout: 'hello Ada\n' });
  const loud = await runInProcess(['toy'], { SYNCER_LOUD: 'true' }, { commands });
  expect(loud.stdout).toBe('HELLO YOU\n');
  expect(loud.stderr).toMatch(/NOTICE: Greeted you\n$/);
  const elsewhere = await syncer('ls', '--loud');
  expect(elsewhere.stderr).toContain('it is a flag of toy');
});

test('it has a help page with its flags, examples and references, a man page, and completions', async () => {
  const { stdout } = await syncer('toy', '--help');
  for (const part of ['Greet somebody.', '--loud', '--name name', 'syncer toy --loud', 'help ls'])
    expect(stdout).toContain(part);
  const pages = new Map(manPages(commands).map(({ path, text }) => [path, text]));
  expect(pages.get('syncer-toy.1')).toContain('Greet in capital letters');
  expect((await syncer('__complete', 'words', '--', 'to')).stdout).toMatch(/^toy\b/m);
  expect((await syncer('__complete', 'words', '--', 'toy', '--lo')).stdout).toMatch(/^--loud\b/m);
});

test('what excludes what is refused with its reason', async () => {
  expect(await syncer('toy', '--loud', '--quiet')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("can't use --loud with --quiet: it could not be heard"),
  });
});

test('a function that needs what no invocation has, or flags that it has not, is no command for the compiler', () => {
  const usages = { toy: { usage: '', summary: 'Greet' } };
  const needsMore = async () => ({
    async toyCommand(_: CommandCall & { readonly shelf: string }) {},
  });
  const needsFlags = async () => ({ async toyCommand(_: CommandCall<typeof TOY_FLAGS>) {} });
  // @ts-expect-error
  expect(commandsOf(needsMore, usages)).toHaveLength(1);
  // @ts-expect-error
  expect(commandsOf(needsFlags, usages)).toHaveLength(1);
  expect(commandsOf(needsFlags, TOY_FLAGS, usages)).toHaveLength(1);
});
