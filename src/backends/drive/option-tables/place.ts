import { advanced, type BackendOption, flag } from '../../../core/options.ts';
import { wrongEncoding } from '../../../names/encoding-rules.ts';

/** The characters that a drive's names cannot hold, which rclone replaces with look-alikes. */
const DEFAULT_ENCODING =
  'Slash,LtGt,DoubleQuote,Colon,Question,Asterisk,Pipe,BackSlash,Del,Ctl,LeftSpace,LeftTilde,' +
  'RightSpace,RightPeriod,InvalidUtf8,Dot';

/** The options of the drive and folder, and of what is listed. */
export const PLACE_OPTIONS: readonly BackendOption[] = [
  advanced('drive_id', 'string', "ID of the drive. Leave empty for the account's own drive."),
  advanced('drive_type', 'string', 'Type of the drive. Leave empty to detect it.', {
    examples: [
      { value: 'personal', help: 'OneDrive of a person' },
      { value: 'business', help: 'OneDrive of a member of an organisation' },
      { value: 'documentLibrary', help: 'A document library of SharePoint' },
    ],
  }),
  advanced(
    'root_folder_id',
    'string',
    'ID of the root directory. Needed only for directories without a path.',
  ),
  flag(
    'expose_onenote_files',
    'Show OneNote notebooks in listings. They can be deleted, but not read or written.',
  ),
  advanced(
    'delta',
    'bool',
    'List whole trees (--fast-list) by the changes of the drive, in few requests. false: directory by directory.',
    { default: 'true' },
  ),
  advanced('list_chunk', 'int', 'Number of entries per listing page.', {
    default: '1000',
    min: 1,
    max: 1_000_000,
  }),
  advanced('hash_type', 'string', 'Hash of files to use.', {
    default: 'auto',
    examples: [
      { value: 'auto', help: 'QuickXorHash' },
      { value: 'quickxor', help: 'QuickXorHash' },
      { value: 'sha1', help: 'SHA-1' },
      { value: 'sha256', help: 'SHA-256' },
      { value: 'crc32', help: 'CRC-32' },
      { value: 'none', help: 'None' },
    ],
  }),
  advanced('encoding', 'string', 'Characters to encode in names on the drive.', {
    default: DEFAULT_ENCODING,
    check: wrongEncoding,
  }),
];
