import { type BackendOption, ignored, ignoredFlag } from '../../../core/options.ts';

/** Options of rclone that make no difference to reading and writing. */
export const IDLE_OPTIONS: readonly BackendOption[] = [
  ignored(
    { name: 'download_url', type: 'string', ignoredAt: 'notice' },
    'downloads come from the endpoint.',
  ),
  ignored(
    { name: 'no_system_metadata', type: 'bool', default: 'false', ignoredAt: 'notice' },
    '--metadata copies headers such as Cache-Control.',
  ),
  ignored(
    { name: 'might_gzip', type: 'bool', isTristate: true },
    'compressed responses are never requested.',
  ),
  ignored(
    { name: 'use_accept_encoding_gzip', type: 'bool', isTristate: true },
    'compressed responses are never requested.',
  ),
  ignored(
    { name: 'sign_accept_encoding', type: 'bool', isTristate: true },
    'requests have no Accept-Encoding that a server could change.',
  ),
  ignored(
    { name: 'use_x_id', type: 'bool', isTristate: true },
    'requests have no x-id in their URL.',
  ),
  ignored({ name: 'sdk_log_mode', type: 'string', default: 'Off' }, '--dump shows requests.'),
  ignoredFlag('use_presigned_request', 'uploads are signed in their headers.'),
  ignored(
    { name: 'memory_pool_flush_time', type: 'duration', default: '1m0s' },
    'there is no such pool.',
  ),
  ignoredFlag('memory_pool_use_mmap', 'there is no such pool.'),
  ignoredFlag('disable_http2', 'all requests are HTTP/1.1.'),
];
