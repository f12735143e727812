import { advanced, type BackendOption, flag, option } from '../../../core/options.ts';

/** The default scopes: read and write all files, renew the login, and show the account. */
const DEFAULT_SCOPES =
  'Files.Read Files.ReadWrite Files.Read.All Files.ReadWrite.All offline_access User.Read';

/** rclone's scopes: they permit the search for SharePoint sites. */
const SCOPES_WITH_SITES =
  'Files.Read Files.ReadWrite Files.Read.All Files.ReadWrite.All Sites.Read.All offline_access';

const mustBeUrl = (text: string) =>
  /^https?:$/.test(URL.parse(text)?.protocol ?? '')
    ? undefined
    : 'It must be a URL: https://host/path.';

/** The options of the login: who, and where. */
export const LOGIN_OPTIONS: readonly BackendOption[] = [
  option(
    'client_id',
    'string',
    'ID of the application that logs in. To register one, see https://learn.microsoft.com/entra/identity-platform/quickstart-register-app; its redirect URL is http://localhost:53682/.',
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
        value: SCOPES_WITH_SITES,
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
];
