import { bool, commandFlags, text } from '../../src/core/flags.ts';
import type { CommandUsage } from '../../src/shell/command-line/command.ts';
import { commandsOf, subcommand } from '../../src/shell/command-line/commands-of.ts';

const making = ['config create', 'config update'] as const;

/** Flags of `config` alone. */
export const CONFIG_FLAGS = {
  ...commandFlags(making, {
    obscure: bool('Obscure passwords even if they look obscured already'),
    'no-obscure': bool('Never obscure passwords'),
    'non-interactive': bool('Print the next question as JSON instead of asking'),
    'no-output': bool('Do not print the remote or the next question'),
    continue: bool('Continue from --state with the answer in --result'),
    'config-all': bool('Ask for every option', { name: 'all' }),
    state: text('State printed with the question (with --continue)', { placeholder: 'state' }),
    result: text('Answer to the question (with --continue)', { placeholder: 'answer' }),
  }),
  ...commandFlags(['config import'], { force: bool('Replace remotes with the same name') }),
};

const PAIRS = `
Options are key=value pairs, or a key and a value as two arguments. Passwords are obscured unless they look obscured
already; --obscure always obscures them, --no-obscure never does. With --non-interactive the result is a JSON object:
if State is empty the remote is complete; otherwise Option is a question, answered with
--continue --state STATE --result ANSWER.`;

const CONFIG_SUBCOMMANDS: readonly CommandUsage[] = [
  subcommand('create', 'name type [key=value | key value]…', 'Create a remote', {
    args: [2, 256],
    description: `${PAIRS}\nAn existing remote of this name is replaced.`,
  }),
  subcommand('update', 'name [key=value | key value]…', 'Change options of a remote', {
    args: [1, 256],
    description: PAIRS,
  }),
  subcommand('unset', 'name key…', 'Delete options of a remote, so that their defaults apply', {
    args: [2, 256],
  }),
  subcommand('new', '', 'Create a remote in the wizard'),
  subcommand('edit', '[name]', 'Edit a remote in the wizard'),
  subcommand('delete', 'name', 'Delete a remote'),
  subcommand('rename', 'name new-name', 'Rename a remote'),
  {
    name: 'password',
    usage: 'name [key=password | key password]…',
    args: [1, 256],
    summary: 'Set passwords of a remote from plain text',
  },
  subcommand('show', '[name]', 'Print the configuration or a remote'),
  {
    name: 'redacted',
    usage: '[name]',
    summary: 'Print the configuration or a remote without secrets and accounts',
    description: `
Prints XXX for secrets, keys, logins and the names of accounts, to post the configuration where you ask for help. Of a
backend of rclone, only the type and the description are printed if no rclone is installed. Check the result before you
post it.`,
  },
  {
    name: 'string',
    usage: 'remote:path',
    summary: 'Print a path as a connection string, which needs no configuration file',
    description: `
The string has all options of the remote that are not defaults, from the file, the environment and the command line,
with secrets as they are stored. It is not quoted for the shell.`,
  },
  subcommand('dump', '', 'Print the configuration as JSON'),
  subcommand('file', '', 'Print the path of the configuration file'),
  subcommand('paths', '', 'Print the paths of the configuration, cache and temporary directories'),
  subcommand('touch', '', 'Create the configuration file if it does not exist'),
  subcommand('providers', '', 'Print all backends and their options as JSON'),
  subcommand('reconnect', 'remote:', 'Log in to a remote again'),
  subcommand('disconnect', 'remote:', 'Log out of a remote'),
  subcommand('userinfo', 'remote:', 'Show the logged-in account of a remote'),
  subcommand('import', '[rclone.conf]', 'Import the remotes of an rclone configuration', {
    description: `
Without an argument, reads the file that rclone itself would use. Imports the remotes of every type: those that
syncer does not open itself are opened by rclone. Skips a remote if its name is taken, unless --force is given. To read an encrypted file, set
--password-command or RCLONE_CONFIG_PASS, or enter its password when asked; if syncer has no configuration yet, the
imported one stays encrypted. With --dry-run nothing is written.`,
  }),
  subcommand('encryption', 'set|remove|check', 'Set, change or remove the configuration password', {
    description: `
  set      encrypt the file with the password in SYNCER_NEW_CONFIG_PASS, or ask for one
  remove   decrypt the file
  check    exit with code 2 if the file is not encrypted`,
  }),
];

/** The command that shows and changes the configuration. */
export const CONFIG_COMMANDS = commandsOf(() => import('./config.ts'), CONFIG_FLAGS, {
  config: {
    exclusions: [
      [
        'obscure',
        'no-obscure',
        '',
        { code: 'command-line', says: "can't use --obscure and --no-obscure together" },
      ],
    ],
    noun: true,
    usage: '[command] [args]',
    args: [0, 0],
    summary: 'Show and change the configuration of remotes',
    description: `
Without a command, opens a menu to create, edit, rename, copy and delete remotes, import remotes from rclone and set a
password. On a terminal it opens screens; elsewhere, and with SYNCER_PLAIN=1, it asks in lines of text and reads one
line per answer. Nothing is written before you confirm it.`,
    subcommands: CONFIG_SUBCOMMANDS,
  },
});
