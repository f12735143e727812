import type { OptionReader } from '../../kit/option-reader.ts';
import { DEFAULT_SCOPES } from './option-tables/login.ts';

interface Cloud {
  /** The Graph API with its version. */
  readonly graph: string;
  /** Where people and programs log in. */
  readonly login: string;
}

/** Microsoft's clouds by rclone's names. */
export const CLOUDS: Readonly<Record<string, Cloud>> = {
  global: {
    graph: 'https://graph.microsoft.com/v1.0',
    login: 'https://login.microsoftonline.com',
  },
  us: { graph: 'https://graph.microsoft.us/v1.0', login: 'https://login.microsoftonline.us' },
  de: { graph: 'https://graph.microsoft.de/v1.0', login: 'https://login.microsoftonline.de' },
  cn: {
    graph: 'https://microsoftgraph.chinacloudapi.cn/v1.0',
    login: 'https://login.chinacloudapi.cn',
  },
};

/** The options of the login. */
export interface LoginSettings {
  readonly clientId: string;
  readonly clientSecret: string;
  /** The text of the option, which may hold no valid login. */
  readonly token: string;
  readonly authUrl: URL;
  readonly tokenUrl: URL;
  readonly tenant: string;
  readonly scopes: readonly string[];
  /** The application itself logs in, not a person (client credentials of OAuth 2.0). */
  readonly byApplication: boolean;
}

/** Reads the options of the login; `host` is the login host of the cloud. Throws `config`. */
export function readLogin(read: OptionReader, host: string): LoginSettings {
  const byApplication = read.bool('client_credentials', false);
  const tenant = read.text('tenant') || 'common';
  if (!/^[\w.-]+$/.test(tenant)) throw read.error('tenant', 'must be a name or an id');
  if (byApplication) requireApplication(read, tenant);
  const base = `${host}/${tenant}/oauth2/v2.0`;
  const asked = (read.text('access_scopes') || DEFAULT_SCOPES).split(/[\s,]+/).filter(Boolean);
  const withoutSites = read.bool('disable_site_permission', false);
  return {
    clientId: read.text('client_id'),
    clientSecret: read.text('client_secret'),
    token: read.text('token'),
    authUrl: readUrl(read, 'auth_url', `${base}/authorize`),
    tokenUrl: readUrl(read, 'token_url', `${base}/token`),
    tenant,
    scopes: byApplication
      ? APPLICATION_SCOPES
      : asked.filter((scope) => !(withoutSites && scope === 'Sites.Read.All')),
    byApplication,
  };
}

/** The permissions that an administrator has granted to the application. */
const APPLICATION_SCOPES = ['.default'];

function requireApplication(read: OptionReader, tenant: string): void {
  const why = 'for client_credentials';
  for (const name of ['client_id', 'client_secret']) {
    if (read.text(name) === '') throw read.missing(name, why);
  }
  const isOfAll = ['common', 'organizations', 'consumers'].includes(tenant);
  if (!isOfAll || read.text('token_url') !== '') return;
  throw read.error('tenant', `must be the ID of the organisation ${why}, not "${tenant}"`);
}

/** Reads an option that is a URL. Throws `config`. */
export function readUrl(read: OptionReader, name: string, ifUnset: string): URL {
  const text = read.text(name) || ifUnset;
  const url = URL.parse(text);
  if (url !== null && /^https?:$/.test(url.protocol)) return url;
  throw read.error(name, `"${text}" is not a URL of the form https://host/path`);
}
