import { type BackendOption, flag } from '../../../core/options.ts';

/** The default scopes: read and write all files, renew the login, and show the account. */
export const DEFAULT_SCOPES =
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
  {
    name: 'client_id',
    type: 'string',
    example: '01234567-89ab-cdef-0123-456789abcdef',
    help: 'ID of the application that logs in. To register one, see https://learn.microsoft.com/entra/identity-platform/quickstart-register-app; its redirect URL is http://localhost:53682/.',
  },
  {
    name: 'client_secret',
    type: 'string',
    secret: true,
    help: 'Secret of the application. Leave empty if it has none.',
  },
  {
    name: 'token',
    type: 'string',
    secret: true,
    advanced: true,
    help: 'Token as JSON, as printed by "syncer authorize". Renewed automatically.',
  },
  {
    name: 'auth_url',
    isAddress: true,
    type: 'string',
    check: mustBeUrl,
    advanced: true,
    help: 'Authorization URL. Leave empty for the default.',
  },
  {
    name: 'token_url',
    isAddress: true,
    type: 'string',
    check: mustBeUrl,
    advanced: true,
    help: 'Token URL. Leave empty for the default.',
  },
  {
    name: 'region',
    isAddress: true,
    type: 'string',
    default: 'global',
    help: 'Microsoft cloud to use.',
    examples: [
      { value: 'global', help: 'Microsoft Cloud Global' },
      { value: 'us', help: 'Microsoft Cloud for US Government' },
      { value: 'de', help: 'Microsoft Cloud Germany' },
      { value: 'cn', help: 'Azure and Office 365 operated by Vnet Group in China' },
    ],
  },
  {
    name: 'tenant',
    type: 'string',
    default: 'common',
    advanced: true,
    help: 'Accounts that may log in: common, organizations, consumers, or the ID of an organisation.',
  },
  flag(
    'client_credentials',
    'Log in as the application itself, without a person. Needs client_id, client_secret, tenant and drive_id, and permissions that an administrator has granted to the application.',
  ),
  {
    name: 'tenant_url',
    isAddress: true,
    type: 'string',
    advanced: true,
    help: 'Not supported: the SharePoint API with a token copied from a browser, which the administrator of the organisation has not permitted.',
  },
  {
    name: 'access_scopes',
    type: 'string',
    default: DEFAULT_SCOPES,
    advanced: true,
    help: 'Permissions to request, separated by spaces.',
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
  },
  flag(
    'disable_site_permission',
    'Do not request Sites.Read.All, for organisations that forbid it. SharePoint sites cannot be searched then.',
  ),
  {
    name: 'graph_url',
    isAddress: true,
    type: 'string',
    check: mustBeUrl,
    advanced: true,
    help: 'URL of the Graph API with its version. Leave empty for the default.',
  },
];
