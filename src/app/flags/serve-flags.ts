import { commandFlags } from './flag-definition.ts';

const protocols = ['serve s3', 'serve http', 'serve webdav'] as const;
const files = ['serve http', 'serve webdav'] as const;

/** Flags of `serve`. */
export const SERVE_FLAGS = {
  ...commandFlags(protocols, {
    addr: {
      type: 'list',
      defaultText: '127.0.0.1:8080',
      placeholder: 'address:port',
      help: 'Address to listen on, or path of a Unix socket (port 0 for any free port)',
    },
    cert: { type: 'string', placeholder: 'file', help: 'Certificate for TLS (PEM); needs --key' },
    key: { type: 'string', placeholder: 'file', help: 'Private key of --cert (PEM)' },
    'client-ca': {
      type: 'string',
      placeholder: 'file',
      help: 'Accept only clients with a certificate of this authority (PEM)',
    },
    'min-tls-version': {
      type: 'string',
      values: ['tls1.0', 'tls1.1', 'tls1.2', 'tls1.3'],
      default: 'tls1.2',
      placeholder: 'version',
      help: 'Lowest TLS version to accept',
    },
    'serve-drain-timeout': {
      name: 'drain-timeout',
      type: 'duration',
      default: 60_000,
      help: 'How long to wait for running requests when the server is stopped',
    },
  }),
  ...commandFlags(['serve s3'], {
    'auth-key': {
      type: 'list',
      oneInVariable: true,
      placeholder: 'id,secret',
      help: 'Accept this access key and secret, as KEY,SECRET (may be given several times)',
    },
  }),
  ...commandFlags(files, {
    'serve-user': { name: 'user', type: 'string', help: 'User who may log in; needs --pass' },
    'serve-pass': { name: 'pass', type: 'string', help: 'Password of --user' },
    htpasswd: {
      type: 'string',
      placeholder: 'file',
      help: "File of users, as Apache's htpasswd writes it (bcrypt, MD5, SHA-1)",
    },
    'user-from-header': {
      type: 'string',
      placeholder: 'header',
      help: 'Trust a proxy: the user is in this header of its requests',
    },
    'auth-proxy': {
      type: 'string',
      placeholder: 'program',
      help: 'Program that gets user and password as JSON and prints the remote of that user',
    },
    realm: {
      type: 'string',
      default: '',
      help: 'Realm that browsers show when they ask to log in',
    },
    baseurl: { type: 'string', default: '', placeholder: 'path', help: 'Prefix of all URLs' },
    'allow-origin': {
      type: 'string',
      placeholder: 'origin',
      help: 'Allow requests from web pages of this origin (CORS)',
    },
    'response-header': {
      type: 'list',
      oneInVariable: true,
      placeholder: 'header',
      help: 'Header of all responses, as Name: value; replaces any other (may be given several times)',
    },
    'disable-dir-list': { type: 'bool', help: 'Show no pages of directories' },
    'disable-zip': { type: 'bool', help: 'Offer no directories as zip files' },
    'etag-hash': {
      type: 'string',
      defaultText: "the server's ETag, or time and size",
      placeholder: 'hash',
      help: 'Hash to use as ETag, or auto for the first of the remote',
    },
    'server-read-timeout': {
      type: 'duration',
      default: 3_600_000,
      help: 'How long a client may take to send a request with its body',
    },
    'server-write-timeout': {
      type: 'duration',
      default: 3_600_000,
      help: 'How long a response may take',
    },
    'max-header-bytes': {
      type: 'int',
      default: 4096,
      help: 'Largest head of a request in bytes, with 4096 to spare',
    },
  }),
};
