import type { CommandSummary, CommandUsage } from '../src/app/command.ts';

const SOURCED: Readonly<Record<string, string>> = {
  bash: 'source <(syncer completion bash)',
  zsh: 'source <(syncer completion zsh)',
  fish: 'syncer completion fish | source',
  powershell: 'syncer completion powershell | Out-String | Invoke-Expression',
};

const shellCommand = (name: string): CommandUsage => ({
  name,
  usage: '[output_file]',
  args: [0, 1],
  summary: `Print what completes command lines in ${name}`,
  description: `
In the shell that runs, or in the file that it reads at its start:

    ${SOURCED[name]}`,
});

const systemCommand = (name: string, file: string): CommandUsage => ({
  name,
  usage: '[output_file]',
  args: [0, 1],
  summary: `Write the completion of ${name} to ${file}, or to a file ("-": standard output)`,
});

/** The commands about the program itself. */
export const PROGRAM_COMMANDS: readonly CommandSummary[] = [
  {
    name: 'completion',
    usage: '<shell>',
    args: [0, 0],
    summary:
      'Print what completes command lines in a shell: commands, flags, remotes and their paths',
    subcommands: ['bash', 'zsh', 'fish', 'powershell'].map(shellCommand),
    load: async () => (await import('./completion.ts')).completionCommand,
  },
  {
    name: 'genautocomplete',
    usage: '<shell>',
    args: [0, 0],
    summary: 'Write the completion of a shell for all users of the machine',
    subcommands: [
      systemCommand('bash', '/etc/bash_completion.d/syncer'),
      systemCommand('zsh', '/usr/share/zsh/vendor-completions/_syncer'),
      systemCommand('fish', '/etc/fish/completions/syncer.fish'),
    ],
    load: async () => (await import('./completion.ts')).genautocompleteCommand,
  },
  {
    name: 'gendocs',
    usage: 'output_directory',
    args: [1, 1],
    summary: 'Write a page of documentation for each command',
    description: `
Markdown as rclone writes it, in the folder commands, and flags.md; with --man manual pages for man(1).`,
    load: async () => (await import('./gendocs.ts')).gendocsCommand,
  },
  {
    name: 'home',
    usage: '',
    args: [0, 0],
    summary: 'Open the home screen: the remotes, what can be done with each, and the last runs',
    description: `
syncer alone on a terminal opens it, too. Every action shows the command line that does the same.`,
    load: async () => (await import('./home.ts')).homeCommand,
  },
  {
    name: 'version',
    usage: '',
    args: [0, 0],
    summary: 'Print the version',
    load: async () => (await import('./version.ts')).versionCommand,
  },
  {
    name: 'help',
    usage: '[topic]',
    args: [0, 2],
    summary: 'Show help on a command, on flags or on kinds of storage',
    description: `
syncer help copy             a command
syncer help config create    a command of a command
syncer help flags [pattern]  the flags that all commands have
syncer help filters          how files are chosen
syncer help backends         the kinds of storage
syncer help backend s3       the options of one of them`,
    load: async () => (await import('./help.ts')).helpCommand,
  },
  {
    name: '__complete',
    usage: 'form [word]…',
    args: [1, 10_000],
    summary: 'Tell how a command line can go on',
    hidden: true,
    load: async () => (await import('./complete.ts')).completeCommand,
  },
];
