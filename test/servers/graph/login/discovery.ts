import type { Answer, GraphCall } from '../graph-call.ts';

/** GET of the OpenID configuration. */
export function discovery({ origin, path }: GraphCall): Answer {
  const tenant = path.split('/')[1] ?? 'common';
  const base = `${origin}/${tenant}`;
  const json = {
    issuer: `${base}/v2.0`,
    authorization_endpoint: `${base}/oauth2/v2.0/authorize`,
    token_endpoint: `${base}/oauth2/v2.0/token`,
    device_authorization_endpoint: `${base}/oauth2/v2.0/devicecode`,
    end_session_endpoint: `${base}/oauth2/v2.0/logout`,
    jwks_uri: `${base}/discovery/v2.0/keys`,
    response_modes_supported: ['query', 'fragment', 'form_post'],
    response_types_supported: ['code', 'id_token'],
    scopes_supported: ['openid', 'profile', 'email', 'offline_access'],
    token_endpoint_auth_methods_supported: ['client_secret_post', 'client_secret_basic'],
    subject_types_supported: ['pairwise'],
    id_token_signing_alg_values_supported: ['RS256'],
  };
  return { status: 200, json };
}

/** GET of the list of clouds: this host is one of its own. */
export function instanceDiscovery({ origin }: GraphCall): Answer {
  const { host } = new URL(origin);
  const json = {
    tenant_discovery_endpoint: `${origin}/common/v2.0/.well-known/openid-configuration`,
    'api-version': '1.1',
    metadata: [{ preferred_network: host, preferred_cache: host, aliases: [host] }],
  };
  return { status: 200, json };
}
