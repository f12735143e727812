import type { CommandSummary, CommandUsage } from '../command.ts';
import { ownFlags } from '../command-line/flag-set.ts';
import { flagLines, flagsHelp, PROGRAM_SUMMARY, usageLine } from '../help/help-text.ts';
import { type Page, type Subject, subjects } from './page.ts';

/** The program as the page above all others is about it. */
const PROGRAM: CommandUsage = { name: '', summary: PROGRAM_SUMMARY, usage: '', args: [0, 0] };

/** A page in Markdown for each command, under the names and with the header rclone gives them, and one for flags. */
export function markdownPages(commands: readonly CommandSummary[]): readonly Page[] {
  const all = subjects(commands);
  const top = all.filter(({ parent }) => parent === undefined).map(({ usage }) => usage);
  const program: Subject = { usage: PROGRAM, parent: undefined, children: top };
  return [
    { path: 'flags.md', text: flagsPage() },
    ...[program, ...all].map((subject) => ({
      path: `commands/${slug(subject.usage)}.md`,
      text: commandPage(subject),
    })),
  ];
}

function commandPage({ usage, parent, children }: Subject): string {
  const { summary, description } = usage;
  const isProgram = usage === PROGRAM;
  const above = isProgram ? [] : [parent ?? PROGRAM];
  return [
    ...header(title(usage), summary, slug(usage), `/commands/${slug(usage)}/`),
    `# ${title(usage)}`,
    '',
    `${summary}.`,
    '',
    ...(description === undefined ? [] : ['## Synopsis', '', ...fenced('text', description)]),
    ...fenced('', isProgram ? 'syncer [flags]' : usageLine(usage)),
    '## Options',
    '',
    ...fenced('', optionLines(usage).join('\n')),
    'See the [global flags page](/flags/) for global options not listed here.',
    '',
    '## SEE ALSO',
    '',
    ...[...above, ...children].map(link),
    '',
  ].join('\n');
}

/** The flags of the command itself, and how it is asked for help. */
function optionLines({ name }: CommandUsage): readonly string[] {
  const lines = flagLines(ownFlags(name));
  return [...lines, `  -h, --help  Show help for ${name === '' ? 'syncer' : name}`];
}

function flagsPage(): string {
  return [
    ...header('Global Flags', 'The flags that all commands have', 'flags', '/flags/'),
    '# Global Flags',
    '',
    ...fenced('', flagsHelp()),
  ].join('\n');
}

function header(title: string, description: string, slug: string, url: string): readonly string[] {
  const pairs = { title, description };
  return [
    '---',
    ...Object.entries(pairs).map(([key, value]) => `${key}: ${JSON.stringify(value)}`),
    `slug: ${slug}`,
    `url: ${url}`,
    '# written by "syncer gendocs" from the tables of the program',
    '---',
  ];
}

function title({ name }: CommandUsage): string {
  return name === '' ? 'syncer' : `syncer ${name}`;
}

function slug(usage: CommandUsage): string {
  return title(usage).replaceAll(' ', '_');
}

function link(usage: CommandUsage): string {
  return `* [${title(usage)}](/commands/${slug(usage)}/)\t - ${usage.summary}.`;
}

function fenced(language: string, text: string): readonly string[] {
  return [`\`\`\`${language}`, text.replace(/^\n+|\s+$/g, ''), '```', ''];
}
