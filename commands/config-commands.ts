import type { CommandSummary, CommandUsage } from '../src/app/command.ts';

const REMOTE = { usage: 'remote:', args: [1, 1] } as const;
const NONE = { usage: '', args: [0, 0] } as const;

const PAIRS = `
Options are given as key=value or as two words. Passwords are obscured unless they already look so; --obscure
obscures whatever comes, --no-obscure nothing. With --non-interactive the result is a JSON object: an empty State
means done, else Option is a question, whose answer goes on with --continue --state STATE --result ANSWER.`;

const CONFIG_SUBCOMMANDS: readonly CommandUsage[] = [
  {
    name: 'create',
    usage: 'name type [key=value | key value]…',
    args: [2, 256],
    summary: 'Make a remote',
    description: `${PAIRS}\nWhat a remote of this name held before is replaced.`,
  },
  {
    name: 'update',
    usage: 'name [key=value | key value]…',
    args: [1, 256],
    summary: 'Change options of a remote',
    description: PAIRS,
  },
  {
    name: 'edit',
    usage: '[name]',
    args: [0, 1],
    summary: 'Change a remote in the dialogue of the wizard',
  },
  { name: 'delete', usage: 'name', args: [1, 1], summary: 'Delete a remote' },
  { name: 'rename', usage: 'name new-name', args: [2, 2], summary: 'Give a remote another name' },
  {
    name: 'password',
    usage: 'name [key=password | key password]…',
    args: [1, 256],
    summary: 'Set passwords of a remote, given in clear',
  },
  { name: 'show', usage: '[name]', args: [0, 1], summary: 'Print the configuration or a remote' },
  { name: 'dump', ...NONE, summary: 'Print the configuration as JSON' },
  { name: 'file', ...NONE, summary: 'Tell where the configuration file is' },
  { name: 'paths', ...NONE, summary: 'Tell which files and folders are used' },
  { name: 'touch', ...NONE, summary: 'Make the configuration file where it does not exist' },
  { name: 'providers', ...NONE, summary: 'Print all kinds of storage and their options as JSON' },
  { name: 'reconnect', ...REMOTE, summary: 'Log in to a remote again' },
  { name: 'disconnect', ...REMOTE, summary: 'Give up the login to a remote' },
  { name: 'userinfo', ...REMOTE, summary: 'Tell who is logged in to a remote' },
  {
    name: 'import',
    usage: '[rclone.conf]',
    args: [0, 1],
    summary: 'Take over the remotes of an rclone configuration',
    description: `
Without a file it is the one that rclone itself would use. Takes over the remotes of kinds that syncer knows, and
lists the others. A remote whose name is taken is left out, unless --force is given. An encrypted file is read with
--password-command, RCLONE_CONFIG_PASS, or the password that is asked; its contents stay encrypted where syncer has
no configuration yet. With --dry-run nothing is written.`,
  },
  {
    name: 'encryption',
    usage: 'set|remove|check',
    args: [1, 1],
    summary: 'Encrypt the configuration file with a password, or no longer',
    description: `
set      encrypt it with the password in SYNCER_NEW_CONFIG_PASS, or one that is asked twice
remove   keep it in clear from now on
check    end with exit code 1 where it is not encrypted`,
  },
];

/** The command that shows and changes the configuration. */
export const CONFIG_COMMAND: CommandSummary = {
  name: 'config',
  usage: '[command] [args]',
  args: [0, 0],
  summary: 'Show and change the configuration of remotes',
  description: `
Alone it asks what to do: make, edit, rename, copy and delete remotes, import those of rclone, set a password. On a
terminal it has screens; elsewhere, and with SYNCER_PLAIN=1, it asks in lines of text and reads a line for each answer.
Nothing is written before it is confirmed.`,
  subcommands: CONFIG_SUBCOMMANDS,
  load: async () => (await import('./config.ts')).configCommand,
};
