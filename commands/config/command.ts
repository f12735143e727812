import { bool, commandFlags, text } from '../../src/core/flags.ts';
import type { CommandUsage } from '../../src/shell/command-line/command.ts';
import { commandsOf, subcommand } from '../../src/shell/command-line/commands-of.ts';

export const CONFIG_FLAGS = {
  ...commandFlags(['config create', 'config update'], {
    obscure: bool('Obscure passwords even if they look obscured already'),
    'no-obscure': bool('Never obscure passwords'),
    'non-interactive': bool('Print the next question as JSON instead of asking'),
    'no-output': bool('Do not print the remote or the next question'),
    continue: bool('Continue from --state with the answer in --result'),
    'config-all': bool('Ask for every option', { name: 'all' }),
    state: text('State printed with the question (with --continue)', 'state'),
    result: text('Answer to the question (with --continue)', 'answer'),
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
    description: `${PAIRS}\nAn existing remote of this name is replaced; the former configuration is kept as syncer.conf.undo beside the new one.`,
    examples: `
syncer config create backup local  # Create a remote for local disks
syncer config create shelf s3 provider=Other endpoint=http://127.0.0.1:9000 access_key_id=my-key secret_access_key=my-secret  # Create a remote for an S3 server`,
    see: ['config update', 'backends'],
  }),
  subcommand('update', 'name [key=value | key value]…', 'Change options of a remote', {
    args: [1, 256],
    description: PAIRS,
    examples: `
syncer config update shelf endpoint=https://s3.example.com  # Set one option
syncer config update shelf region= provider=Minio  # Clear one option, set another`,
    see: ['config edit', 'backends'],
  }),
  subcommand('unset', 'name key…', 'Delete options of a remote, so that their defaults apply', {
    args: [2, 256],
    examples: `
syncer config unset shelf region  # Return an option to its default
syncer config unset shelf region location_constraint  # Return two options`,
    see: ['config update'],
  }),
  subcommand('new', '', 'Create a remote in the wizard', {
    examples: `
syncer config new  # Answer questions about the new remote
syncer config new --dry-run  # The same, without saving it`,
    see: ['config create', 'config edit'],
  }),
  subcommand('edit', '[name]', 'Edit a remote in the wizard', {
    examples: `
syncer config edit shelf  # Edit a remote
syncer config edit  # Choose one from the menu`,
    see: ['config update'],
  }),
  subcommand('delete', 'name', 'Delete a remote', {
    examples: `
syncer config delete shelf  # Delete the remote; its files are kept
syncer config delete shelf --dry-run  # Show what would change`,
  }),
  subcommand('rename', 'name new-name', 'Rename a remote', {
    examples: `
syncer config rename shelf cellar  # Rename a remote
syncer config rename shelf cellar --dry-run  # Show what would change`,
  }),
  {
    name: 'password',
    usage: 'name [key=password | key password]…',
    args: [1, 256],
    summary: 'Set passwords of a remote from plain text',
    examples: `
syncer config password nas pass=secret  # Set a password, obscured in the file
syncer config password nas pass "$(pass show nas)"  # Take it from another program`,
    see: ['obscure'],
  },
  subcommand('show', '[name]', 'Print the configuration or a remote', {
    examples: `
syncer config show  # Print all remotes
syncer config show shelf  # Print one remote`,
    see: ['config dump'],
  }),
  {
    name: 'redacted',
    usage: '[name]',
    summary: 'Print the configuration or a remote without secrets and accounts',
    description: `
Prints XXX for secrets, keys, logins and the names of accounts, to post the configuration where you ask for help. Of a
backend of rclone, only the type and the description are printed if no rclone is installed. Check the result before you
post it.`,
    examples: `
syncer config redacted  # Print all remotes without secrets, to post them
syncer config redacted shelf  # Print one remote`,
    see: ['config show'],
  },
  {
    name: 'string',
    usage: 'remote:path',
    summary: 'Print a path as a connection string, which needs no configuration file',
    description: `
The string has all options of the remote that are not defaults, from the file, the environment and the command line,
with secrets as they are stored. It is not quoted for the shell.`,
    examples: `
syncer config string shelf:backup  # Print a path with all options of its remote
syncer config string shelf,region=us-east-1:  # With another option`,
    see: ['config show'],
  },
  subcommand('dump', '', 'Print the configuration as JSON', {
    examples: `
syncer config dump  # Print all remotes as JSON
syncer config dump | jq 'keys'  # Print their names`,
    see: ['config show'],
  }),
  subcommand('file', '', 'Print the path of the configuration file', {
    examples: `
syncer config file  # Print where remotes are stored
syncer config file --config ~/other.conf  # Name another file`,
    see: ['config paths'],
  }),
  subcommand('paths', '', 'Print the paths of the configuration, cache and temporary directories', {
    examples: `
syncer config paths  # Print the paths
syncer config paths --cache-dir /var/cache/syncer  # With another cache directory`,
    see: ['config file'],
  }),
  subcommand('touch', '', 'Create the configuration file if it does not exist', {
    examples: `
syncer config touch  # Create an empty configuration
syncer config touch --config ~/other.conf  # Create another file`,
  }),
  subcommand('providers', '', 'Print all backends and their options as JSON', {
    examples: `
syncer config providers  # Print all options
syncer config providers | jq -r '.[].Name'  # Print the names of the backends`,
    see: ['backends'],
  }),
  subcommand('reconnect', 'remote:', 'Log in to a remote again', {
    examples: `
syncer config reconnect work-drive:  # Log in through the browser
syncer config reconnect work-drive: --device  # Log in with a code, on any device`,
    see: ['authorize'],
  }),
  subcommand('disconnect', 'remote:', 'Log out of a remote', {
    examples: `
syncer config disconnect work-drive:  # Delete the stored login
syncer config disconnect work-drive: --dry-run  # Show what would change`,
    see: ['config reconnect'],
  }),
  subcommand('userinfo', 'remote:', 'Show the logged-in account of a remote', {
    examples: `
syncer config userinfo work-drive:  # Print name and address
syncer config userinfo work-drive: --json  # Print them as JSON`,
  }),
  subcommand('import', '[rclone.conf]', 'Import the remotes of an rclone configuration', {
    description: `
Without an argument, reads the file that rclone itself would use. Imports the remotes of every type: those that
syncer does not open itself are opened by rclone. Skips a remote if its name is taken, unless --force is given. To read an encrypted file, set
--password-command or RCLONE_CONFIG_PASS, or enter its password when asked; if syncer has no configuration yet, the
imported one stays encrypted. With --dry-run nothing is written.`,
    examples: `
syncer config import  # Import from rclone's own file
syncer config import ~/old/rclone.conf --dry-run  # Show what would be imported`,
  }),
  subcommand('encryption', 'set|remove|check', 'Set, change or remove the configuration password', {
    description: `
  set      encrypt the file with the password in SYNCER_NEW_CONFIG_PASS, or ask for one
  remove   decrypt the file
  check    exit with code 2 if the file is not encrypted`,
    examples: `
syncer config encryption set  # Encrypt the configuration, or change its password
syncer config encryption check  # Exit with code 2 if it is not encrypted`,
  }),
];

const BOTH = {
  code: 'command-line',
  says: "can't use --obscure and --no-obscure together",
} as const;

/** The command that shows and changes the configuration. */
export const CONFIG_COMMANDS = commandsOf(() => import('./config.ts'), CONFIG_FLAGS, {
  config: {
    exclusions: [['obscure', 'no-obscure', '', BOTH]],
    noun: true,
    usage: '[command] [args]',
    args: [0, 0],
    summary: 'Show and change the configuration of remotes',
    description: `
Without a command, opens a menu to create, edit, rename, copy and delete remotes, import remotes from rclone and set a
password. On a terminal it opens screens; elsewhere, and with SYNCER_PLAIN=1, it asks in lines of text and reads one
line per answer. Nothing is written before you confirm it.`,
    subcommands: CONFIG_SUBCOMMANDS,
    examples: `
syncer config  # Create, edit and test remotes on screens
syncer config show  # Print the configuration`,
    see: ['listremotes', 'backends'],
  },
});
