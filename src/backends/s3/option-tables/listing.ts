import type { BackendOption } from '../../../core/options.ts';

/** How buckets are listed, and how names are written as keys. */
export const LISTING_OPTIONS: readonly BackendOption[] = [
  {
    name: 'list_chunk',
    type: 'int',
    default: '1000',
    advanced: true,
    help: 'Keys in a page of a listing. Most stores give 1000 at most.',
  },
  {
    name: 'list_version',
    type: 'int',
    default: '0',
    advanced: true,
    help: 'Version of the list request.',
    examples: [
      { value: '0', help: 'Version 2, and version 1 where the store does not know it.' },
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
      'Ask for URL-encoded keys in listings, which control characters in keys need. Empty: ask, and do without where ' +
      'the store refuses.',
  },
  {
    name: 'encoding',
    type: 'string',
    default: 'Slash,InvalidUtf8,Dot',
    advanced: true,
    help: 'Which characters of names are written as look-alikes in keys.',
  },
];
