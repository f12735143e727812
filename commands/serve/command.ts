import { bool, commandFlags, duration, int, list, text } from '../../src/core/flags.ts';
import type { CommandUsage } from '../../src/shell/command-line/command.ts';
import { commandsOf, subcommand, usage } from '../../src/shell/command-line/commands-of.ts';

const protocols = ['serve s3', 'serve http', 'serve webdav'] as const;
const files = ['serve http', 'serve webdav'] as const;

export const SERVE_FLAGS = {
  ...commandFlags(protocols, {
    addr: list('Address to listen on, or path of a Unix socket (port 0 for any free port)', {
      defaultText: '127.0.0.1:8080',
      placeholder: 'address:port',
    }),
    cert: text('Certificate for TLS (PEM); needs --key', 'file'),
    key: text('Private key of --cert (PEM)', 'file'),
    'client-ca': text('Accept only clients with a certificate of this authority (PEM)', 'file'),
    'min-tls-version': text('Lowest TLS version to accept', {
      values: ['tls1.0', 'tls1.1', 'tls1.2', 'tls1.3'],
      default: 'tls1.2',
      placeholder: 'version',
    }),
    'serve-drain-timeout': duration(
      'How long to wait for running requests when the server is stopped',
      { name: 'drain-timeout', default: 60_000 },
    ),
  }),
  ...commandFlags(['serve s3'], {
    'auth-key': list('Accept this access key and secret, as KEY,SECRET', {
      oneInVariable: true,
      placeholder: 'id,secret',
    }),
  }),
  ...commandFlags(files, {
    'serve-user': text('User who may log in; needs --pass', { name: 'user' }),
    'serve-pass': text('Password of --user', { name: 'pass' }),
    htpasswd: text("File of users, as Apache's htpasswd writes it (bcrypt, MD5, SHA-1)", 'file'),
    'user-from-header': text('Trust a proxy: the user is in this header of its requests', 'header'),
    'auth-proxy': text(
      'Program that gets user and password as JSON and prints the remote of that user',
      'program',
    ),
    realm: text('Realm that browsers show when they ask to log in', { default: '' }),
    baseurl: text('Prefix of all URLs', { default: '', placeholder: 'path' }),
    'allow-origin': text('Allow requests from web pages of this origin (CORS)', 'origin'),
    'response-header': list('Header of all responses, as Name: value; replaces any other', {
      oneInVariable: true,
      placeholder: 'header',
    }),
    'disable-dir-list': bool('Show no pages of directories'),
    'disable-zip': bool('Offer no directories as zip files'),
    'etag-hash': text('Hash to use as ETag, or auto for the first of the remote', {
      defaultText: "the server's ETag, or time and size",
      placeholder: 'hash',
    }),
    'server-read-timeout': duration('How long a client may take to send a request with its body', {
      default: 3_600_000,
    }),
    'server-write-timeout': duration('How long a response may take', { default: 3_600_000 }),
    'max-header-bytes': int('Maximum size of request headers in bytes (plus 4096)', {
      default: 4096,
    }),
  }),
};

const SUBCOMMANDS: readonly CommandUsage[] = [
  subcommand('s3', '/path/to/directory', 'Serve a local directory over the S3 protocol', {
    description: `
Each directory in it is a bucket and each file in a bucket is an object, including files that other programs create.
Symbolic links are ignored. Object metadata is stored in the directory .syncer-s3 of each bucket. Clients authenticate
with the keys given by --auth-key; without --auth-key, anyone who can reach the server has full access. Unsupported
requests are refused. Press Ctrl-C to stop the server.`,
    examples: `
syncer serve s3 ~/store --addr 127.0.0.1:9000 --auth-key my-key,my-secret  # Serve a directory on this computer only
syncer serve s3 ~/store --addr :9000 --auth-key my-key,my-secret --read-only  # Read-only`,
    see: ['serve http', 'mount'],
  }),
  subcommand('http', '[remote:path]', 'Serve a remote over HTTP, to be read in browsers', {
    description: `
Shows directories as pages, which sort by name, size and time, and offers them as zip files. Files can be read in
ranges, and only if they changed. Filter flags choose what is served. Clients log in with --user and --pass, a file of
--htpasswd, or a certificate (--client-ca); with --auth-proxy a program chooses the remote of each user. Without these, anyone who can reach the server can read everything.`,
    examples: `
syncer serve http shelf:photos --addr :8080 --user me --pass my-secret  # Show a remote in browsers
syncer serve http ~/public --exclude '*.tmp' --disable-zip  # Exclude files`,
    see: ['serve webdav', 'serve s3'],
  }),
  subcommand('webdav', '[remote:path]', 'Serve a remote over WebDAV, to be mounted and changed', {
    description: `
File managers, davfs2, cadaver and rclone can mount or copy it. A file that is uploaded replaces the old one when it is
complete. Locks, and properties that clients define, are kept in memory until the server ends. Everything that
serve http does works here too. Without a login (see serve http), anyone who can reach the server can change everything;
--read-only refuses changes.`,
    examples: `
syncer serve webdav shelf:docs --addr :8080 --user me --pass my-secret --cert my.pem --key my.key  # With TLS
syncer serve webdav ~/docs --addr :8080 --htpasswd users --read-only  # Read-only, for the users of a file`,
    see: ['serve http', 'mount'],
  }),
];

export const SERVE_COMMANDS = commandsOf(() => import('./serve.ts'), SERVE_FLAGS, {
  serve: usage('', 'Serve files over S3, HTTP or WebDAV', {
    exclusions: [
      [
        'auth-proxy',
        ['serve-user', 'serve-pass', 'htpasswd', 'user-from-header'],
        'its program decides who may log in',
      ],
    ],
    endsItself: true,
    listed: 'only',
    description: `
Runs until Ctrl-C or SIGTERM, then waits for running requests, at most for --drain-timeout.`,
    subcommands: SUBCOMMANDS,
    examples: `
syncer serve s3 ~/store --addr 127.0.0.1:9000 --auth-key my-key,my-secret  # Serve a directory on this computer only
syncer serve http shelf:photos --addr :8080 --user me --pass my-secret  # Show a remote in browsers`,
    see: ['mount'],
  }),
});
