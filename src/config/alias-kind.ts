import { ALIAS_TYPE } from './alias-target.ts';

/** The remote type for a path of another remote. It has options, but no backend of its own. */
export const ALIAS_KIND = {
  type: ALIAS_TYPE,
  summary: 'Another name for a path of a remote',
  options: [
    {
      name: 'remote',
      type: 'string',
      required: true,
      help: 'The path it stands for: "remote:path/to/dir", "remote:bucket", "remote:" or "/local/path".',
    },
  ],
} as const;
