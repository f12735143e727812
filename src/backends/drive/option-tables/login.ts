import type { BackendOption } from '../../../core/options.ts';
import { DEFAULT_SCOPES, SCOPES_WITH_SITES } from '../scopes.ts';

const mustBeUrl = (text: string) =>
  /^https?:$/.test(URL.parse(text)?.protocol ?? '')
    ? undefined
    : 'It must be a URL: https://host/path.';

/** Who logs in, and where. */
export const LOGIN_OPTIONS: readonly BackendOption[] = [
  {
    name: 'client_id',
    type: 'string',
    example: '01234567-89ab-cdef-0123-456789abcdef',
    help: 'Id of the application that logs in (application registration).',
  },
  {
    name: 'client_secret',
    type: 'string',
    secret: true,
    help: "The application's secret. Empty for an application that has none.",
  },
  {
    name: 'token',
    type: 'string',
    secret: true,
    advanced: true,
    help: 'The login as JSON, as "syncer authorize" prints it. It is renewed and written back by itself.',
  },
  {
    name: 'auth_url',
    type: 'string',
    check: mustBeUrl,
    advanced: true,
    help: "URL where people log in. Empty: the cloud's own.",
  },
  {
    name: 'token_url',
    type: 'string',
    check: mustBeUrl,
    advanced: true,
    help: "URL where tokens are given. Empty: the cloud's own.",
  },
  {
    name: 'region',
    type: 'string',
    default: 'global',
    help: "Which of Microsoft's clouds it is.",
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
    help: 'Which accounts may log in: common, organizations, consumers, or the id of an organisation.',
  },
  {
    name: 'access_scopes',
    type: 'string',
    default: DEFAULT_SCOPES,
    advanced: true,
    help: 'The permissions that are asked for, separated by spaces.',
    examples: [
      { value: DEFAULT_SCOPES, help: 'Read and write access to all files' },
      { value: SCOPES_WITH_SITES, help: 'The same, and the search for SharePoint sites' },
      {
        value: 'Files.Read Files.Read.All Sites.Read.All offline_access',
        help: 'Read only access to all resources',
      },
    ],
  },
  {
    name: 'disable_site_permission',
    type: 'bool',
    default: 'false',
    advanced: true,
    help: 'Do not ask for Sites.Read.All, where an organisation forbids it. SharePoint sites can then not be searched.',
  },
  {
    name: 'graph_url',
    type: 'string',
    check: mustBeUrl,
    advanced: true,
    help: "Address of the Graph API with its version. Empty: the cloud's own.",
  },
];
