import { bool, commandFlags, text } from '../../src/core/flags.ts';
import { commandsOf, usage } from '../../src/shell/command-line/commands-of.ts';

export const REMOTES_FLAGS = commandFlags(['listremotes'], {
  long: bool('Print the type and description of each remote too'),
  'remotes-json': bool('Print JSON', { name: 'json' }),
  'remotes-name': text('List only remotes with a matching name', {
    name: 'name',
    default: '',
    placeholder: 'pattern',
  }),
  'remotes-type': text('List only remotes of a matching type', {
    name: 'type',
    default: '',
    placeholder: 'pattern',
  }),
  'remotes-source': text('List only remotes from a matching source: file or environment', {
    name: 'source',
    default: '',
    placeholder: 'pattern',
  }),
  'remotes-description': text('List only remotes with a matching description', {
    name: 'description',
    default: '',
    placeholder: 'pattern',
  }),
  'exact-remotes': bool('Patterns match whole values, not parts of them', { name: 'exact' }),
  'order-remotes-by': text("Sort order, e.g. 'type,name=descending'", {
    name: 'order-by',
    default: '',
    placeholder: 'fields',
  }),
});

export const REMOTES_COMMANDS = commandsOf(() => import('./remotes.ts'), REMOTES_FLAGS, {
  obscure: usage('password', 'Obscure a password for the configuration file', {
    description: `
This hides a password from onlookers, but does not protect it: anyone can reveal it. With - reads the password from the
first line of standard input.`,
    examples: `
syncer obscure -  # Type a password, get the obscured form
pass show shelf | syncer obscure -  # Read the password from another program`,
    see: ['config password'],
  }),
  reveal: usage('password', 'Reveal an obscured password', { hidden: true }),
  listremotes: usage('[filter]', 'List the configured remotes', {
    description: `
The filter is a pattern for any of name, type, source and description; --name, --type, --source and --description are
patterns for one of them. A pattern matches a part of the text, with --exact the whole: --type s matches alias too.`,
    examples: `
syncer listremotes  # List names
syncer listremotes --long  # List names and types`,
    see: ['config'],
  }),
  authorize: {
    usage: 'backend [client_id [client_secret]]',
    secretArg: 2,
    summary: 'Log in to a cloud drive and print the token for another machine',
    description: `
Opens the login in the browser, waits until you have logged in, and prints the token as JSON between two markers.
Without a display, and with --device, shows a link and a code for logging in on another device. Flags such as
--onedrive-tenant and --onedrive-region choose where to log in.`,
    examples: `
syncer authorize onedrive  # Log in here, and paste the token on the other machine
syncer authorize onedrive --device  # Log in with a code, on any device`,
    see: ['config reconnect'],
  },
});
