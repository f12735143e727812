import type { CommandSummary } from '../../src/shell/command-line/command.ts';
import { commandsOf, usage } from '../../src/shell/command-line/commands-of.ts';

/** The commands for remotes and their secrets. */
export const REMOTES_COMMANDS: readonly CommandSummary[] = commandsOf(
  () => import('./remotes.ts'),
  {
    obscure: usage('password', 'Obscure a password for the configuration file', {
      description: `
This hides a password from onlookers, but does not protect it: anyone can reveal it. With - reads the password from the
first line of standard input.`,
    }),
    reveal: usage('password', 'Reveal an obscured password', { hidden: true }),
    listremotes: usage('[filter]', 'List the configured remotes', {
      description: `
The filter is a pattern for any of name, type, source and description; --name, --type, --source and --description are
patterns for one of them. A pattern matches a part of the text, with --exact the whole: --type s matches alias too.`,
    }),
    authorize: {
      usage: 'backend [client_id [client_secret]]',
      secretArg: 2,
      summary: 'Log in to a cloud drive and print the token for another machine',
      description: `
Opens the login in the browser, waits until you have logged in, and prints the token as JSON between two markers.
Without a display, and with --device, shows a link and a code for logging in on another device. Flags such as
--onedrive-tenant and --onedrive-region choose where to log in.`,
    },
  },
);
