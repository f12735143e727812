import { advanced, type BackendOption, flag, option } from '../../core/options.ts';
import { wrongEncoding } from '../../names/name-encoding.ts';

/** The default scopes: read and write all files, renew the login, and show the account. */
const DEFAULT_SCOPES =
  'Files.Read Files.ReadWrite Files.Read.All Files.ReadWrite.All offline_access User.Read';

const mustBeUrl = (text: string) =>
  /^https?:$/.test(URL.parse(text)?.protocol ?? '')
    ? undefined
    : 'It must be a URL: https://host/path.';

/** The characters that a drive's names cannot hold, which rclone replaces with look-alikes. */
const DEFAULT_ENCODING =
  'Slash,LtGt,DoubleQuote,Colon,Question,Asterisk,Pipe,BackSlash,Del,Ctl,LeftSpace,LeftTilde,' +
  'RightSpace,RightPeriod,InvalidUtf8,Dot';

/** The words of `metadata_permissions`. */
export function permissionWords(text: string): readonly string[] {
  return text.split(',').map((word) => word.trim().toLowerCase());
}

/** What is wrong with `metadata_permissions`; `undefined` for a valid value. */
export function wrongPermissions(text: string): string | undefined {
  const isKnown = (word: string) => ['off', 'read', 'write', 'failok'].includes(word);
  const unknown = permissionWords(text).find((word) => !isKnown(word));
  if (unknown === undefined) return undefined;
  return `must be off or a list of read, write and failok, not "${unknown}"`;
}

/** The options of a drive, under rclone's names, in the order of the questions. */
export const DRIVE_OPTIONS: readonly BackendOption[] = [
  // The login: who, and where.
  option(
    'client_id',
    'string',
    'ID of the application that logs in. "syncer help backend onedrive" says how to register one; its redirect URL is http://localhost:53682/.',
    { example: '01234567-89ab-cdef-0123-456789abcdef' },
  ),
  option('client_secret', 'string', 'Secret of the application. Leave empty if it has none.', {
    secret: true,
  }),
  advanced(
    'token',
    'string',
    'Token as JSON, as printed by "syncer authorize". Renewed automatically.',
    { secret: true },
  ),
  advanced('auth_url', 'string', 'Authorization URL. Leave empty for the default.', {
    isAddress: true,
    check: mustBeUrl,
  }),
  advanced('token_url', 'string', 'Token URL. Leave empty for the default.', {
    isAddress: true,
    check: mustBeUrl,
  }),
  option('region', 'string', 'Microsoft cloud to use.', {
    isAddress: true,
    default: 'global',
    examples: [
      { value: 'global', help: 'Microsoft Cloud Global' },
      { value: 'us', help: 'Microsoft Cloud for US Government' },
      { value: 'de', help: 'Microsoft Cloud Germany' },
      { value: 'cn', help: 'Azure and Office 365 operated by Vnet Group in China' },
    ],
  }),
  advanced(
    'tenant',
    'string',
    'Accounts that may log in: common, organizations, consumers, or the ID of an organisation.',
    { default: 'common' },
  ),
  flag(
    'client_credentials',
    'Log in as the application itself, without a person. Needs client_id, client_secret, tenant and drive_id, and permissions that an administrator has granted to the application.',
  ),
  advanced(
    'tenant_url',
    'string',
    'Not supported: the SharePoint API with a token copied from a browser, which the administrator of the organisation has not permitted.',
    { isAddress: true },
  ),
  advanced('access_scopes', 'string', 'Permissions to request, separated by spaces.', {
    default: DEFAULT_SCOPES,
    examples: [
      { value: DEFAULT_SCOPES, help: 'Read and write access to all files' },
      {
        value:
          'Files.Read Files.ReadWrite Files.Read.All Files.ReadWrite.All Sites.Read.All offline_access',
        help: 'Read and write access to all files, and search for SharePoint sites',
      },
      {
        value: 'Files.Read Files.Read.All Sites.Read.All offline_access',
        help: 'Read only access to all resources',
      },
    ],
  }),
  flag(
    'disable_site_permission',
    'Do not request Sites.Read.All, for organisations that forbid it. SharePoint sites cannot be searched then.',
  ),
  advanced(
    'graph_url',
    'string',
    'URL of the Graph API with its version. Leave empty for the default.',
    { isAddress: true, check: mustBeUrl },
  ),
  // The drive and folder, and what is listed.
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
  // Writing, copying and sharing.
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
  // Not one of rclone.
  advanced(
    'native',
    'bool',
    'Do not open the remote through an installed rclone, even without a client_id. Its login is not renewed then.',
    { default: 'false', isAsked: false },
  ),
];
