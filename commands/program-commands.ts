import type { CommandSummary, CommandUsage } from '../src/shell/command-line/command.ts';
import { commandsOf, usage } from './commands-of.ts';

const SOURCED: Readonly<Record<string, string>> = {
  bash: 'source <(syncer completion bash)',
  zsh: 'source <(syncer completion zsh)',
  fish: 'syncer completion fish | source',
  powershell: 'syncer completion powershell | Out-String | Invoke-Expression',
};

const shellCommand = (name: string): CommandUsage => ({
  name,
  usage: '[output_file]',
  summary: `Print the ${name} completion script`,
  description: `
Run this in the current shell, or add it to the shell's startup file:

    ${SOURCED[name]}`,
});

const systemCommand = (name: string, file: string): CommandUsage => ({
  name,
  usage: '[output_file]',
  summary: `Write the ${name} completion script to ${file} or another file (- for standard output)`,
});

/** The commands about the program itself. */
export const PROGRAM_COMMANDS: readonly CommandSummary[] = [
  ...commandsOf(() => import('./doctor/doctor.ts'), {
    doctor: {
      noun: true,
      usage: '[remote:path…]',
      args: [0, Number.POSITIVE_INFINITY],
      summary: 'Check the program, its directories, mounts and remotes, and say how to fix them',
      description: `
Without arguments, checks everything that needs no request. For each remote, also checks the connection, the
certificate, the clock and the login, lists it, and reports what its service does with files.

Only reads, except with --write and --fix. Fails if a check failed.`,
    },
  }),
  ...commandsOf(() => import('./generate/generate.ts'), {
    completion: usage('<shell>', 'Print a shell completion script', {
      noun: true,
      args: [0, 0],
      subcommands: ['bash', 'zsh', 'fish', 'powershell'].map(shellCommand),
    }),
    genautocomplete: usage('<shell>', 'Install a shell completion script for all users', {
      noun: true,
      args: [0, 0],
      subcommands: [
        systemCommand('bash', '/etc/bash_completion.d/syncer'),
        systemCommand('zsh', '/usr/share/zsh/vendor-completions/_syncer'),
        systemCommand('fish', '/etc/fish/completions/syncer.fish'),
      ],
    }),
    gendocs: usage('output_directory', 'Write reference documentation, one page per command', {
      noun: true,
      description: `
Writes Markdown in rclone's layout: the directory commands and flags.md. With --man, writes man pages.`,
    }),
  }),
  ...commandsOf(() => import('./home/home.ts'), {
    home: usage('', 'Open the home screen: remotes, their actions and recent runs', {
      noun: true,
      description: `
On a terminal, syncer without a command opens it too. Every action shows the equivalent command line.`,
    }),
  }),
  ...commandsOf(() => import('./demo/demo.ts'), {
    demo: usage('', 'Try syncer on files and a server that exist only for this', {
      noun: true,
      description: `
Makes a directory with some files and an S3 server on this machine, and goes through the first steps: browse, plan a
sync, make it, compare. Each command is shown and runs when you press Enter. At the end everything is deleted. Your own
files and configuration are neither read nor changed.`,
    }),
  }),
  ...commandsOf(() => import('./version/version.ts'), {
    version: usage('', 'Print the version'),
  }),
  ...commandsOf(() => import('./help/help.ts'), {
    help: usage('[topic]', 'Show help on commands, flags, filters and backends', {
      noun: true,
      args: [0, 2],
      description: `
  syncer help commands         what each command does
  syncer help copy             a command
  syncer help config create    a subcommand
  syncer help flags            flags common to all commands
  syncer help flags filter     flags of one group
  syncer help flags '^stats'   flags that match a regular expression
  syncer help filters          filter rules
  syncer help backends         backends
  syncer help backend s3       the options of a backend`,
    }),
  }),
  {
    name: '__complete',
    usage: 'form [word]…',
    args: [1, 10_000],
    summary: 'Print completions of a command line',
    hidden: true,
    load: async () => (await import('./complete/complete-command.ts')).completeCommand,
  },
];
