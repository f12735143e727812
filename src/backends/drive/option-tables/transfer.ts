import { type BackendOption, flag } from '../../../core/options.ts';

/** The characters that a drive's names cannot hold, which rclone replaces with look-alikes. */
export const DEFAULT_ENCODING =
  'Slash,LtGt,DoubleQuote,Colon,Question,Asterisk,Pipe,BackSlash,Del,Ctl,LeftSpace,LeftTilde,' +
  'RightSpace,RightPeriod,InvalidUtf8,Dot';

/** The options of the drive and folder, and of what is listed. */
export const PLACE_OPTIONS: readonly BackendOption[] = [
  {
    name: 'drive_id',
    type: 'string',
    advanced: true,
    help: "ID of the drive. Leave empty for the account's own drive.",
  },
  {
    name: 'drive_type',
    type: 'string',
    advanced: true,
    help: 'Type of the drive. Leave empty to detect it.',
    examples: [
      { value: 'personal', help: 'OneDrive of a person' },
      { value: 'business', help: 'OneDrive of a member of an organisation' },
      { value: 'documentLibrary', help: 'A document library of SharePoint' },
    ],
  },
  {
    name: 'root_folder_id',
    type: 'string',
    advanced: true,
    help: 'ID of the root directory. Needed only for directories without a path.',
  },
  flag(
    'expose_onenote_files',
    'Show OneNote notebooks in listings. They can be deleted, but not read or written.',
  ),
  {
    name: 'list_chunk',
    type: 'int',
    default: '1000',
    advanced: true,
    help: 'Number of entries per listing page.',
  },
  {
    name: 'hash_type',
    type: 'string',
    default: 'auto',
    advanced: true,
    help: 'Hash of files to use.',
    examples: [
      { value: 'auto', help: 'The hash of this type of drive' },
      { value: 'quickxor', help: 'QuickXorHash' },
      { value: 'sha1', help: 'SHA-1' },
      { value: 'sha256', help: 'SHA-256' },
      { value: 'crc32', help: 'CRC-32' },
      { value: 'none', help: 'None' },
    ],
  },
  {
    name: 'encoding',
    type: 'string',
    default: DEFAULT_ENCODING,
    advanced: true,
    help: 'Characters to encode in names on the drive.',
  },
];

/** The options of writing, copying and sharing. */
export const TRANSFER_OPTIONS: readonly BackendOption[] = [
  {
    name: 'chunk_size',
    type: 'size',
    default: '10Mi',
    advanced: true,
    help:
      'Size of the parts of an upload: a multiple of 320Ki, at most 60Mi. Each ' +
      'transfer keeps one in memory.',
  },
  flag(
    'server_side_across_configs',
    'Allow server-side copies between two personal drives of different remotes, which must share the files.',
  ),
  flag(
    'no_versions',
    'Delete old versions of a file after writing it or setting its time. Not supported by personal drives.',
  ),
  flag(
    'hard_delete',
    'Delete permanently instead of moving to the recycle bin. Not supported by personal drives.',
  ),
  {
    name: 'link_scope',
    type: 'string',
    default: 'anonymous',
    advanced: true,
    help: 'Who can use links created by "syncer link".',
    examples: [
      { value: 'anonymous', help: 'Anyone with the link, without logging in' },
      { value: 'organization', help: 'Anyone logged in to the organisation' },
    ],
  },
  {
    name: 'link_type',
    type: 'string',
    default: 'view',
    advanced: true,
    help: 'What links allow.',
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
    help: 'Password of links. Only some accounts support it.',
  },
];
