import { FLAG_GROUPS } from '../../src/core/flags.ts';
import {
  type CommandSummary,
  type CommandUsage,
  usageLine,
} from '../../src/shell/command-line/command.ts';
import { commonFlags, type KnownFlag } from '../../src/shell/command-line/flag-set.ts';
import { textBlocks } from '../../src/shell/help/help-style.ts';
import { examplesOf, flagHelp, flagName, PROGRAM_SUMMARY } from '../../src/shell/help/help-text.ts';
import { VERSION } from '../../src/shell/version.ts';
import { type DocPage, flagsAndExits, type Subject, subjects } from './markdown-pages.ts';

/**
 * Man pages of section 1, in the format of man(7): one for the program with the common flags, and one for each command.
 */
export function manPages(commands: readonly CommandSummary[]): readonly DocPage[] {
  const all = subjects(commands);
  return [
    { path: 'syncer.1', text: programPage(all.map(({ usage }) => usage)) },
    ...all.map((subject) => ({
      path: `${pageName(subject.usage)}.1`,
      text: commandPage(subject, commands),
    })),
  ];
}

function programPage(commands: readonly CommandUsage[]): string {
  const groups = Object.entries(FLAG_GROUPS).flatMap(([group, title]) => {
    const flags = commonFlags().filter(({ definition }) => definition.group === group);
    return flags.length === 0 ? [] : [`.SS ${roffText(title)}`, ...flagItems(flags)];
  });
  return manPage('syncer', PROGRAM_SUMMARY, [
    '.SH SYNOPSIS',
    '.B syncer',
    roffText('<command> <args> [flags]'),
    '.SH COMMANDS',
    ...commands.flatMap((one) => [
      '.TP',
      `.BR ${pageName(one).replaceAll('-', '\\-')} (1)`,
      `${roffText(one.summary)}.`,
    ]),
    '.SH OPTIONS',
    'Flags common to all commands. Each can also be set in the environment: ',
    roffText("SYNCER_ and the name in upper case with _ for -; rclone's RCLONE_… names work too."),
    ...groups,
    '.SH FILES',
    '.TP',
    '.I ~/.config/syncer/syncer.conf',
    'The configured remotes.',
  ]);
}

function commandPage(
  { usage, parent, children }: Subject,
  commands: readonly CommandSummary[],
): string {
  const { summary, description } = usage;
  const { flags, ignored, exits } = flagsAndExits(usage, commands);
  const above = parent === undefined ? 'syncer' : pageName(parent);
  const related = [above, ...children.map(pageName)];
  return manPage(pageName(usage), summary, [
    '.SH SYNOPSIS',
    roffText(usageLine(usage)),
    ...(description === undefined
      ? []
      : [
          '.SH DESCRIPTION',
          ...textBlocks(description).flatMap(({ isLiteral, lines }) => {
            const shown = lines.map((line) => roffText(line.trimEnd()));
            return isLiteral ? ['.PP', '.nf', ...shown, '.fi'] : ['.PP', ...shown];
          }),
        ]),
    ...(flags.length === 0 ? [] : ['.SH OPTIONS', ...flagItems(flags)]),
    ...(ignored === '' ? [] : [`.SS ${FLAG_GROUPS.accepted}`, roffText(ignored)]),
    ...(exits.length === 0 ? [] : ['.SH EXIT STATUS']),
    ...exits.flatMap(([code, when]) => item(`${code}`, when)),
    '.SH EXAMPLES',
    ...examplesOf(usage).flatMap(([command, what]) => [
      '.TP',
      roffText(what),
      `.B ${roffText(command)}`,
    ]),
    '.SH SEE ALSO',
    related.map((one) => `.BR ${one.replaceAll('-', '\\-')} (1)`).join(',\n'),
  ]);
}

/** A man page in section 1 with its name, its summary and what follows. */
export function manPage(name: string, summary: string, body: readonly string[]): string {
  const lines = [
    `.TH ${roffText(name.toUpperCase())} 1 "" "syncer ${VERSION}"`,
    '.SH NAME',
    `${roffText(name)} \\- ${roffText(summary)}`,
    ...body,
  ];
  return `${lines.join('\n')}\n`;
}

function flagItems(flags: readonly KnownFlag[]): readonly string[] {
  return flags.flatMap((flag) => item(flagName(flag), `${flagHelp(flag)}.`));
}

/** A flag, or another word, and what it means. */
export const item = (name: string, text: string): readonly string[] => [
  '.TP',
  `.B ${roffText(name)}`,
  roffText(text),
];

const pageName = ({ name }: CommandUsage): string => `syncer-${name.replaceAll(' ', '-')}`;

/** Text as troff takes it: backslashes, dashes, and control characters at the start of a line. */
export function roffText(text: string): string {
  const plain = text.replaceAll('\\', '\\e').replaceAll('-', '\\-').replaceAll('\n', ' ');
  return /^[.']/.test(plain) ? `\\&${plain}` : plain;
}
