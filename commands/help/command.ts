import { commandsOf, usage } from '../../src/shell/command-line/commands-of.ts';

export const HELP_COMMANDS = commandsOf(() => import('./help.ts'), {
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
    examples: `
syncer help sync  # Help on a command
syncer help flags filter  # The flags of one group`,
    see: ['commands', 'flags', 'filters', 'backends'],
  }),
});
