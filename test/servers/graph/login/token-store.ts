import { GraphFailure } from '../graph-failure.ts';
import type { GraphSettings } from '../graph-settings.ts';

/** Who a token is for. */
export interface Grant {
  readonly clientId: string;
  readonly scope: string;
}

interface StoredToken extends Grant {
  expires: number;
}

/** What a client gets. */
export interface IssuedTokens extends Grant {
  readonly accessToken: string;
  /** Absent without the scope `offline_access`. */
  readonly refreshToken: string | undefined;
  readonly expiresIn: number;
}

/** The tokens that were given out. */
export class TokenStore {
  readonly #access = new Map<string, StoredToken>();
  readonly #refresh = new Map<string, StoredToken>();
  readonly #settings: GraphSettings;
  readonly #now: () => number;

  constructor(settings: GraphSettings, now: () => number) {
    this.#settings = settings;
    this.#now = now;
  }

  /** New tokens; a refresh token comes along for `offline_access`. */
  issue(grant: Grant): IssuedTokens {
    const { accessTokenSeconds, refreshTokenSeconds } = this.#settings;
    const accessToken = `access-${crypto.randomUUID()}`;
    this.#access.set(accessToken, { ...grant, expires: this.#now() + accessTokenSeconds * 1000 });
    const offline = grant.scope.split(' ').includes('offline_access');
    const refreshToken = offline ? `refresh-${crypto.randomUUID()}` : undefined;
    if (refreshToken !== undefined) {
      const expires = this.#now() + refreshTokenSeconds * 1000;
      this.#refresh.set(refreshToken, { ...grant, expires });
    }
    return { ...grant, accessToken, refreshToken, expiresIn: accessTokenSeconds };
  }

  /** Who a refresh token was for; `undefined` when it is unknown, revoked or too old. */
  useRefreshToken(token: string): Grant | undefined {
    const stored = this.#refresh.get(token);
    if (stored === undefined || stored.expires <= this.#now()) return undefined;
    if (this.#settings.revokesUsedRefreshTokens) this.#refresh.delete(token);
    return { clientId: stored.clientId, scope: stored.scope };
  }

  /** Throws 401 unless the header carries a token that is good now. */
  check(authorization: string | undefined): void {
    const token = /^bearer (.+)$/i.exec(authorization ?? '')?.[1];
    if (token === undefined) throw unauthenticated('Access token is empty.');
    const stored = this.#access.get(token);
    if (stored === undefined) throw unauthenticated('IDX14100: the token is not well formed.');
    if (stored.expires <= this.#now()) throw unauthenticated('Lifetime validation failed.');
  }

  /** No access token given out so far is good any more; refresh tokens stay. */
  expireAccessTokens(): void {
    for (const token of this.#access.values()) token.expires = 0;
  }

  /** No refresh token given out so far is good any more. */
  revokeRefreshTokens(): void {
    this.#refresh.clear();
  }
}

/** 401 as for a token that is missing, wrong or too old. */
export function unauthenticated(message: string): GraphFailure {
  return new GraphFailure(401, 'InvalidAuthenticationToken', message, {
    headers: {
      'www-authenticate':
        'Bearer realm="", authorization_uri="https://login.microsoftonline.com/common/oauth2/authorize", client_id="00000003-0000-0000-c000-000000000000"',
    },
  });
}
