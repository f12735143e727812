import type { BackendOption } from '../../../core/options.ts';

/** How buckets are listed, and how names are written as keys. */
export const LISTING_OPTIONS: readonly BackendOption[] = [
  {
    name: 'list_chunk',
    type: 'int',
    default: '1000',
    advanced: true,
    help: 'Number of keys per listing page. Most servers return at most 1000.',
  },
  {
    name: 'list_version',
    type: 'int',
    default: '0',
    advanced: true,
    help: 'Version of the list request.',
    examples: [
      { value: '0', help: 'Version 2, or version 1 if the server does not support it.' },
      { value: '1', help: 'Version 1.' },
      { value: '2', help: 'Version 2.' },
    ],
  },
  {
    name: 'list_url_encode',
    type: 'bool',
    isTristate: true,
    advanced: true,
    help:
      'Request URL-encoded keys in listings, needed for control characters in keys. Empty: request them unless ' +
      'the server refuses.',
  },
  {
    name: 'encoding',
    type: 'string',
    default: 'Slash,InvalidUtf8,Dot',
    advanced: true,
    help: 'Characters to encode in keys.',
  },
];
