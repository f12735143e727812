import type { BackendOption } from '../../../core/options.ts';

/** How files are written, copied and shared. */
export const TRANSFER_OPTIONS: readonly BackendOption[] = [
  {
    name: 'chunk_size',
    type: 'size',
    default: '10Mi',
    advanced: true,
    help:
      'Size of the pieces in which files are uploaded: a multiple of 320Ki. None is larger than 60Mi. Each ' +
      'transfer keeps one in memory.',
  },
  {
    name: 'server_side_across_configs',
    type: 'bool',
    default: 'false',
    advanced: true,
    help: 'Let the service copy between two personal drives of different remotes, which must share the files.',
  },
  {
    name: 'no_versions',
    type: 'bool',
    default: 'false',
    advanced: true,
    help: 'Remove old versions of a file after it was written or its time was set. Personal drives cannot do it.',
  },
  {
    name: 'hard_delete',
    type: 'bool',
    default: 'false',
    advanced: true,
    help: 'Delete for good instead of into the recycle bin. Personal drives cannot do it.',
  },
  {
    name: 'link_scope',
    type: 'string',
    default: 'anonymous',
    advanced: true,
    help: 'Who can use the links that "syncer link" makes.',
    examples: [
      { value: 'anonymous', help: 'Anyone with the link, without signing in' },
      { value: 'organization', help: 'Anyone signed in to the organisation' },
    ],
  },
  {
    name: 'link_type',
    type: 'string',
    default: 'view',
    advanced: true,
    help: 'What the links allow.',
    examples: [
      { value: 'view', help: 'Reading' },
      { value: 'edit', help: 'Reading and writing' },
      { value: 'embed', help: 'Reading within a web page' },
    ],
  },
  {
    name: 'link_password',
    type: 'string',
    secret: true,
    advanced: true,
    help: 'Password of the links. Only some accounts can have one.',
  },
];
