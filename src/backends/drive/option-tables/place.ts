import { type BackendOption, flag } from '../../../core/options.ts';
import { wrongEncoding } from '../../../kit/encoding-rules.ts';

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
    name: 'delta',
    type: 'bool',
    default: 'true',
    advanced: true,
    help: 'List whole trees (--fast-list) by the changes of the drive, in few requests. false: directory by directory.',
  },
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
      { value: 'auto', help: 'QuickXorHash' },
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
    check: wrongEncoding,
    advanced: true,
    help: 'Characters to encode in names on the drive.',
  },
];
