import { bool, commandFlags } from '../../src/core/flags.ts';
import type { CommandUsage } from '../../src/shell/command-line/command.ts';
import { commandsOf, usage } from '../../src/shell/command-line/commands-of.ts';

export const GENERATE_FLAGS = {
  ...commandFlags(
    ['completion bash', 'completion zsh', 'completion fish', 'completion powershell'],
    { 'no-descriptions': bool('Omit descriptions from completions') },
  ),
  ...commandFlags(['gendocs'], { man: bool('Write man pages instead of Markdown') }),
};

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
  examples: `
${SOURCED[name]}  # Complete in the current shell
syncer completion ${name} syncer-completion  # Write the script to a file`,
  see: ['genautocomplete'],
});

const systemCommand = (name: string, file: string, own: string): CommandUsage => ({
  name,
  usage: '[output_file]',
  summary: `Write the ${name} completion script to ${file} or another file (- for standard output)`,
  examples: `
sudo syncer genautocomplete ${name}  # Install for all users
syncer genautocomplete ${name} ${own}  # Install for yourself`,
  see: ['completion'],
});

export const GENERATE_COMMANDS = commandsOf(() => import('./generate.ts'), GENERATE_FLAGS, {
  completion: usage('<shell>', 'Print a shell completion script', {
    noun: true,
    args: [0, 0],
    subcommands: ['bash', 'zsh', 'fish', 'powershell'].map(shellCommand),
    examples: `
source <(syncer completion bash)  # In bash, for the current shell
syncer completion fish | source  # In fish`,
    see: ['genautocomplete'],
  }),
  genautocomplete: usage('<shell>', 'Install a shell completion script for all users', {
    noun: true,
    args: [0, 0],
    subcommands: [
      systemCommand(
        'bash',
        '/etc/bash_completion.d/syncer',
        '~/.local/share/bash-completion/completions/syncer',
      ),
      systemCommand('zsh', '/usr/share/zsh/vendor-completions/_syncer', '~/.zsh/_syncer'),
      systemCommand(
        'fish',
        '/etc/fish/completions/syncer.fish',
        '~/.config/fish/completions/syncer.fish',
      ),
    ],
    examples: `
sudo syncer genautocomplete bash  # Install for all users of bash
syncer genautocomplete zsh ~/.zsh/_syncer  # Write to another file`,
    see: ['completion'],
  }),
  gendocs: usage('output_directory', 'Write reference documentation, one page per command', {
    noun: true,
    description: `
Writes Markdown in rclone's layout: the directory commands and flags.md. With --man, writes man pages.`,
    examples: `
syncer gendocs docs  # Write Markdown
syncer gendocs --man /usr/local/share/man/man1  # Write man pages`,
  }),
});
