import { bool, commandFlags, duration, int, list, size, text } from '../../core/flags.ts';

const protocols = ['serve s3', 'serve http', 'serve webdav'] as const;
const files = ['serve http', 'serve webdav'] as const;

/** Flags of `mount` for the mount itself, its lifetime and permissions, and of `serve`. */
export const MOUNT_FLAGS = {
  ...commandFlags(['mount'], {
    'allow-other': bool('Allow access by other users'),
    'allow-root': bool('Allow access by root, but no other users'),
    'allow-non-empty': bool('Allow mounting over a directory that is not empty'),
    'mount-force': bool('Unmount a stale mount at the mount point first', { name: 'force' }),
    daemon: bool('Run in the background; return when the mount is ready'),
    'daemon-wait': duration('How long --daemon waits for the mount to be ready', {
      default: 60_000,
    }),
    'daemon-timeout': duration('Fail file system requests with ETIMEDOUT after this long'),
    'drain-timeout': duration(
      'How long to wait for pending uploads on unmount; the next mount resumes the rest',
      { default: 60_000 },
    ),
    'mount-option': list('Comma-separated mount(8) options', {
      name: 'option',
      short: 'o',
      placeholder: 'options',
    }),
    devname: text('Source that mount and df show (default remote:path)'),
    volname: text('Source that mount and df show if --devname is not given'),
    umask: text('Permission bits to clear on all files and directories', {
      placeholder: 'octal',
      defaultText: 'the process umask',
    }),
    uid: int('Owner of all files and directories', { defaultText: "the user's" }),
    gid: int('Group of all files and directories', { defaultText: "the user's" }),
    'dir-perms': text('Directory permissions before the umask', {
      placeholder: 'octal',
      default: '0777',
    }),
    'file-perms': text('File permissions before the umask', {
      placeholder: 'octal',
      default: '0666',
    }),
    'allow-idmap': bool(
      'Allow mounts of it that map owners (Linux 6.12); implies --default-permissions',
    ),
    'default-permissions': bool('Let the kernel enforce owner and permissions'),
    'attr-timeout': duration('How long the kernel caches attributes and names', { default: 1_000 }),
    'max-read-ahead': size('Kernel read-ahead', { default: 128 * 1024 }),
    'write-back-cache': bool('Let the kernel buffer writes'),
    'async-read': bool('Allow parallel kernel reads of one file', { default: true }),
    'direct-io': bool('Bypass the kernel page cache'),
    'debug-fuse': bool('Log each FUSE request (with -vv)'),
  }),
  ...commandFlags(['unmount'], {
    'unmount-wait': bool('Wait for pending uploads, then unmount', { name: 'wait' }),
  }),
  ...commandFlags(['mounts'], { 'mounts-json': bool('Print JSON', { name: 'json' }) }),
  ...commandFlags(protocols, {
    addr: list('Address to listen on, or path of a Unix socket (port 0 for any free port)', {
      defaultText: '127.0.0.1:8080',
      placeholder: 'address:port',
    }),
    cert: text('Certificate for TLS (PEM); needs --key', { placeholder: 'file' }),
    key: text('Private key of --cert (PEM)', { placeholder: 'file' }),
    'client-ca': text('Accept only clients with a certificate of this authority (PEM)', {
      placeholder: 'file',
    }),
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
    'auth-key': list(
      'Accept this access key and secret, as KEY,SECRET (may be given several times)',
      { oneInVariable: true, placeholder: 'id,secret' },
    ),
  }),
  ...commandFlags(files, {
    'serve-user': text('User who may log in; needs --pass', { name: 'user' }),
    'serve-pass': text('Password of --user', { name: 'pass' }),
    htpasswd: text("File of users, as Apache's htpasswd writes it (bcrypt, MD5, SHA-1)", {
      placeholder: 'file',
    }),
    'user-from-header': text('Trust a proxy: the user is in this header of its requests', {
      placeholder: 'header',
    }),
    'auth-proxy': text(
      'Program that gets user and password as JSON and prints the remote of that user',
      { placeholder: 'program' },
    ),
    realm: text('Realm that browsers show when they ask to log in', { default: '' }),
    baseurl: text('Prefix of all URLs', { default: '', placeholder: 'path' }),
    'allow-origin': text('Allow requests from web pages of this origin (CORS)', {
      placeholder: 'origin',
    }),
    'response-header': list(
      'Header of all responses, as Name: value; replaces any other (may be given several times)',
      { oneInVariable: true, placeholder: 'header' },
    ),
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
    'max-header-bytes': int('Largest head of a request in bytes, with 4096 to spare', {
      default: 4096,
    }),
  }),
};
