import type { BackendOption } from '../../../core/options.ts';
import { DEFAULT_ENCODING } from '../default-encoding.ts';

/** Which drive and folder it is, and what is shown of it. */
export const PLACE_OPTIONS: readonly BackendOption[] = [
  {
    name: 'drive_id',
    type: 'string',
    advanced: true,
    help: "Id of the drive. Empty: the account's own drive.",
  },
  {
    name: 'drive_type',
    type: 'string',
    advanced: true,
    help: 'Kind of the drive. Empty: the drive is asked.',
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
    help: 'Id of the folder to take for the root. Needed only for folders that no path leads to.',
  },
  {
    name: 'expose_onenote_files',
    type: 'bool',
    default: 'false',
    advanced: true,
    help: 'Show OneNote notebooks in listings. They cannot be read or written, but deleted.',
  },
  {
    name: 'list_chunk',
    type: 'int',
    default: '1000',
    advanced: true,
    help: 'Entries in a page of a listing.',
  },
  {
    name: 'hash_type',
    type: 'string',
    default: 'auto',
    advanced: true,
    help: 'Which hash of files is used.',
    examples: [
      { value: 'auto', help: 'Those that drives of this kind have' },
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
    help: 'Which characters of names are written as look-alikes on the drive.',
  },
];
