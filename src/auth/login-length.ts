import type { OAuthToken } from './oauth-token.ts';

/** How long a login lasts, for people. */
export function loginLength(token: OAuthToken | undefined): string {
  if (token === undefined) return 'there is none';
  const { refreshToken, expiresMs } = token;
  if (refreshToken !== undefined) return 'renewed by itself, as long as it is used every 90 days';
  return expiresMs === undefined
    ? 'of unknown length'
    : `until ${new Date(expiresMs).toISOString()}`;
}
