import type { BackendOption } from '../../../core/options.ts';

/** Options of rclone 1.60.1 that would change what a remote holds: a remote that sets one is refused. */
export const REFUSED_OPTIONS: readonly (BackendOption & { readonly why: string })[] = [
  {
    name: 'v2_auth',
    type: 'bool',
    default: 'false',
    advanced: true,
    isAsked: false,
    help: 'Signature version 2. Not supported: a remote that sets it is refused.',
    why: 'signature version 2 is not supported; remove it if the server supports version 4',
  },
  {
    name: 'versions',
    type: 'bool',
    default: 'false',
    advanced: true,
    isAsked: false,
    help: 'Show old versions of objects. Not supported: a remote that sets it is refused.',
    why: 'old versions of objects are not supported; without it the current ones are used',
  },
  {
    name: 'version_at',
    type: 'string',
    default: 'off',
    advanced: true,
    isAsked: false,
    help: 'Show objects as they were at a time. Not supported: a remote that sets it is refused.',
    why: 'old versions of objects are not supported; without it the current ones are used',
  },
  {
    name: 'decompress',
    type: 'bool',
    default: 'false',
    advanced: true,
    isAsked: false,
    help: 'Decompress objects with Content-Encoding gzip. Not supported: a remote that sets it is refused.',
    why: 'objects are read as they are stored; remove it, and decompress the files afterwards',
  },
];

/** Options of rclone 1.60.1 that are accepted and make no difference to what is read and written. */
export const IDLE_OPTIONS: readonly BackendOption[] = [
  {
    name: 'download_url',
    type: 'string',
    advanced: true,
    isAsked: false,
    help: 'Ignored, for compatibility with rclone: downloads come from the endpoint.',
  },
  {
    name: 'no_system_metadata',
    type: 'bool',
    default: 'false',
    advanced: true,
    isAsked: false,
    help: 'Ignored, for compatibility with rclone: --metadata copies headers such as Cache-Control.',
  },
  {
    name: 'might_gzip',
    type: 'bool',
    isTristate: true,
    advanced: true,
    isAsked: false,
    help: 'Ignored, for compatibility with rclone: compressed responses are never requested.',
  },
  {
    name: 'use_presigned_request',
    type: 'bool',
    default: 'false',
    advanced: true,
    isAsked: false,
    help: 'Ignored, for compatibility with rclone: uploads are signed in their headers.',
  },
  {
    name: 'memory_pool_flush_time',
    type: 'duration',
    default: '1m0s',
    advanced: true,
    isAsked: false,
    help: 'Ignored, for compatibility with rclone: there is no such pool.',
  },
  {
    name: 'memory_pool_use_mmap',
    type: 'bool',
    default: 'false',
    advanced: true,
    isAsked: false,
    help: 'Ignored, for compatibility with rclone: there is no such pool.',
  },
  {
    name: 'disable_http2',
    type: 'bool',
    default: 'false',
    advanced: true,
    isAsked: false,
    help: 'Ignored, for compatibility with rclone: all requests are HTTP/1.1.',
  },
];

/** Of those, the ones whose absence somebody may notice. */
export const MISSED_OPTIONS: readonly string[] = ['download_url', 'no_system_metadata'];
