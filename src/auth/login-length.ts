import type { OAuthToken } from './oauth-token.ts';

/** How long a login lasts, for people. */
export function loginLength(token: OAuthToken | undefined): string {
  if (token === undefined) return 'there is none';
  const { refreshToken, expiresMs } = token;
  if (refreshToken !== undefined) return 'renewed automatically if used every 90 days';
  return expiresMs === undefined ? 'unknown expiry' : `until ${new Date(expiresMs).toISOString()}`;
}
