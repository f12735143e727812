import type { IssuedTokens } from './login/token-store.ts';

/** A token as rclone keeps it in its config. */
export interface RcloneToken {
  readonly access_token: string;
  readonly token_type: string;
  readonly refresh_token?: string;
  /** RFC 3339. */
  readonly expiry: string;
}

/** Tokens in rclone's form; the client is told that the access token lives for `expiresIn` seconds more. */
export function rcloneToken(issued: IssuedTokens, expiresIn: number): RcloneToken {
  const { accessToken, refreshToken } = issued;
  return {
    access_token: accessToken,
    token_type: 'Bearer',
    ...(refreshToken !== undefined && { refresh_token: refreshToken }),
    expiry: new Date(Date.now() + expiresIn * 1000).toISOString(),
  };
}
