import type { CommandSummary, CommandUsage } from '../../src/shell/command-line/command.ts';
import { commandsOf, subcommand, usage } from '../../src/shell/command-line/commands-of.ts';

const SUBCOMMANDS: readonly CommandUsage[] = [
  subcommand('s3', '/path/to/directory', 'Serve a local directory over the S3 protocol', {
    description: `
Each directory in it is a bucket and each file in a bucket is an object, including files that other programs create.
Symbolic links are ignored. Object metadata is stored in the directory .syncer-s3 of each bucket. Clients authenticate
with the keys given by --auth-key; without --auth-key, anyone who can reach the server has full access. Unsupported
requests are refused. Press Ctrl-C to stop the server.`,
  }),
  subcommand('http', '[remote:path]', 'Serve a remote over HTTP, to be read in browsers', {
    description: `
Shows directories as pages, which sort by name, size and time, and offers them as zip files. Files can be read in
ranges, and only if they changed. Filter flags choose what is served. Clients log in with --user and --pass, a file of
--htpasswd, or a certificate (--client-ca); with --auth-proxy a program chooses the remote of each user. Without these, anyone who can reach the server can read everything.`,
  }),
  subcommand('webdav', '[remote:path]', 'Serve a remote over WebDAV, to be mounted and changed', {
    description: `
File managers, davfs2, cadaver and rclone can mount or copy it. A file that is uploaded replaces the old one when it is
complete. Locks, and properties that clients define, are kept in memory until the server ends. Everything that
serve http does works here too. Without a login (see serve http), anyone who can reach the server can change everything;
--read-only refuses changes.`,
  }),
];

/** The command `serve`. */
export const SERVE_COMMANDS: readonly CommandSummary[] = commandsOf(() => import('./serve.ts'), {
  serve: usage('', 'Serve files over S3, HTTP or WebDAV', {
    endsItself: true,
    listed: 'only',
    description: `
Runs until Ctrl-C or SIGTERM; running requests may take as long as --drain-timeout then.`,
    subcommands: SUBCOMMANDS,
  }),
});
