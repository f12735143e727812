import { advanced, type BackendOption, flag } from '../../../core/options.ts';

/** What `metadata_permissions` is a list of. */
const PERMISSIONS = ['off', 'read', 'write', 'failok'];

/** The words of `metadata_permissions`. */
export function permissionWords(text: string): readonly string[] {
  return text.split(',').map((word) => word.trim().toLowerCase());
}

/** What is wrong with `metadata_permissions`; `undefined` for a valid value. */
export function wrongPermissions(text: string): string | undefined {
  const unknown = permissionWords(text).find((word) => !PERMISSIONS.includes(word));
  if (unknown === undefined) return undefined;
  return `must be off or a list of read, write and failok, not "${unknown}"`;
}

/** The options of writing, copying and sharing. */
export const TRANSFER_OPTIONS: readonly BackendOption[] = [
  advanced(
    'chunk_size',
    'size',
    'Size of the parts of an upload: a multiple of 320Ki, at most 60Mi. Each ' +
      'transfer keeps one in memory.',
    { default: '10Mi' },
  ),
  advanced(
    'upload_cutoff',
    'size',
    'Upload files below this size (at most 4Mi) in one request instead of a session. Setting ' +
      'the time then creates a second version, which counts as used space on business drives.',
    { default: 'off' },
  ),
  flag('av_override', 'Download files that the virus scanner of the service has flagged.'),
  advanced(
    'metadata_permissions',
    'string',
    'Include permissions in the metadata (--metadata): a list of read, write and failok.',
    {
      default: 'off',
      check: wrongPermissions,
      examples: [
        { value: 'off', help: 'Neither read nor write them' },
        { value: 'read', help: 'Read them, with a request for each item' },
        { value: 'write', help: 'Write them' },
        { value: 'read,write', help: 'Read and write them' },
        { value: 'failok', help: 'With write: only log a failure' },
      ],
    },
  ),
  flag(
    'server_side_across_configs',
    'Allow server-side copies between drives of different remotes: two personal drives, or two drives of one organisation. Files that the service does not copy are transferred.',
  ),
  flag(
    'no_versions',
    'Delete old versions of a file after writing it or setting its time. Not supported by personal drives.',
  ),
  flag(
    'hard_delete',
    'Delete permanently instead of moving to the recycle bin. Not supported by personal drives.',
  ),
  advanced('link_scope', 'string', 'Who can use links created by "syncer link".', {
    default: 'anonymous',
    examples: [
      { value: 'anonymous', help: 'Anyone with the link, without logging in' },
      { value: 'organization', help: 'Anyone logged in to the organisation' },
    ],
  }),
  advanced('link_type', 'string', 'What links allow.', {
    default: 'view',
    examples: [
      { value: 'view', help: 'Reading' },
      { value: 'edit', help: 'Reading and writing' },
      { value: 'embed', help: 'Reading within a web page' },
    ],
  }),
  advanced('link_password', 'string', 'Password of links. Only some accounts support it.', {
    secret: true,
  }),
];
