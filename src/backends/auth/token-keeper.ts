import { abortable, type Context, withGrace } from '../../core/context.ts';
import { hasCode, SyncerError, toSyncerError } from '../../core/errors.ts';
import { retry } from '../../core/retry.ts';
import { formatToken, type OAuthToken, parseToken, type TokenPlace } from './oauth-token.ts';

export interface TokenKeeperParts {
  /** The login to begin with (`token`); `''` where there is none. */
  readonly text: string;
  /** Where it came from and renewed ones go; `undefined`: they are kept in memory only. */
  readonly place: TokenPlace | undefined;
  /** Gets a new token for a refresh token (`refreshToken`). */
  readonly renew: (refreshToken: string, signal: AbortSignal) => Promise<OAuthToken>;
  /** Gets a token without a person (`applicationToken`); `renew` is not used then. */
  readonly mint?: ((signal: AbortSignal) => Promise<OAuthToken>) | undefined;
  readonly remote: string;
  /** How a person gets another login; absent: by logging in again. */
  readonly howToLogIn?: string | undefined;
  readonly tries: number;
  readonly context: Context;
}

/** Keeps the login of one remote: renews it before it expires, once for all who wait in any process, and stores the result. */
export class TokenKeeper {
  readonly #parts: TokenKeeperParts;
  #token: OAuthToken | undefined;
  #renewAtMs = 0;
  #renewal: Promise<OAuthToken> | undefined;
  /** The access token that the service refused last. */
  #refused = '';

  constructor(parts: TokenKeeperParts) {
    this.#parts = parts;
    this.#adopt(parseToken(parts.text));
  }

  /** The login as it is now. */
  get current(): OAuthToken | undefined {
    return this.#token;
  }

  /** An access token that is good now. Rejects with `sign-in-needed` where only a person can get one. */
  async get(signal: AbortSignal): Promise<string> {
    const { accessToken = '', refreshToken, expiresMs } = this.#token ?? {};
    const now = this.#parts.context.clock.now();
    // Without a refresh token there is nothing to do ahead of the end.
    const isLast = refreshToken === undefined && this.#parts.mint === undefined;
    const isDue = isLast ? now >= (expiresMs ?? now + 1) : now >= this.#renewAtMs;
    if (accessToken !== '' && !isDue) return accessToken;
    // One renewal serves all; a caller that is aborted does not end it for the others.
    this.#renewal ??= this.#renew().finally(() => {
      this.#renewal = undefined;
    });
    return (await abortable(this.#renewal, signal)).accessToken;
  }

  /** The service refused this access token: gets another one. Rejects as `get` does. */
  async replace(refused: string, signal: AbortSignal): Promise<string> {
    const token = this.#token;
    if (token !== undefined && token.accessToken === refused) {
      this.#refused = refused;
      this.#token = { ...token, accessToken: '' };
    }
    return this.get(signal);
  }

  /** Waits for a renewal that has begun, so that what comes of it is stored, but not for long. Never rejects. */
  async finish(): Promise<void> {
    if (this.#renewal === undefined) return;
    const over = new AbortController();
    const { clock } = this.#parts.context;
    await Promise.race([this.#renewal, clock.sleep(3000, over.signal)]).catch(() => {});
    over.abort();
  }

  /** Forgets the login, here and where it is kept. */
  async forget(): Promise<void> {
    this.#adopt(undefined);
    await this.#parts.place?.write('');
  }

  #adopt(token: OAuthToken | undefined): void {
    this.#token = token;
    const now = this.#parts.context.clock.now();
    const { expiresMs } = token ?? {};
    if (expiresMs === undefined) this.#renewAtMs = Number.POSITIVE_INFINITY;
    // A short-lived one in the last fifth of its life.
    else this.#renewAtMs = expiresMs - Math.min(60_000, Math.max(0, expiresMs - now) / 5);
  }

  /** It can be used for another second at least. */
  #isGood({ accessToken, expiresMs }: OAuthToken): boolean {
    if (accessToken === '') return false;
    return expiresMs === undefined || expiresMs - this.#parts.context.clock.now() > 1000;
  }

  async #renew(): Promise<OAuthToken> {
    const { place } = this.#parts;
    const had = this.#token;
    if (place === undefined) return this.#fetch(had);
    try {
      return await place.alone(async () => {
        const kept = parseToken((await place.read()) ?? '');
        const seen = had?.accessToken || this.#refused;
        if (kept !== undefined && kept.accessToken !== seen && this.#isGood(kept)) {
          this.#adopt(kept);
          return kept;
        }
        return await this.#fetch(kept ?? had);
      });
    } catch (error) {
      if (had === undefined || !hasCode(error, 'locked') || !this.#isGood(had)) throw error;
      return had;
    }
  }

  async #fetch(old: OAuthToken | undefined): Promise<OAuthToken> {
    const { remote, tries, context, place } = this.#parts;
    const { mint, renew: renewBy } = this.#parts;
    const { refreshToken } = old ?? {};
    if (mint === undefined && refreshToken === undefined) throw this.#signInNeeded(old);
    const renew = mint ?? ((signal: AbortSignal) => renewBy(refreshToken ?? '', signal));
    let token: OAuthToken;
    try {
      const { signal } = context;
      const options = { tries, what: `renew the login of ${remote}`, signal, context };
      // The run may be interrupted: the old refresh token may be revoked with the answer.
      token = await retry(() => withGrace(signal, 2000, renew), options);
    } catch (thrown) {
      context.signal.throwIfAborted();
      const error = toSyncerError(thrown);
      // A passing trouble of the login server does no harm while the old token is still good.
      if (error.retry && old !== undefined && this.#isGood(old)) return old;
      if (error.code === 'sign-in-needed') throw this.#signInNeeded(old, error.message);
      throw new SyncerError(error.code, `${remote}: ${error.message}`, { cause: error });
    }
    this.#adopt(token);
    if (place !== undefined) {
      const notStored = (thrown: unknown) => this.#notStored(toSyncerError(thrown));
      await place.write(formatToken(token)).catch(notStored);
    } else if (this.#parts.mint === undefined) this.#notStored('other-token');
    return token;
  }

  #notStored(why: SyncerError | 'other-token'): void {
    const { remote, context } = this.#parts;
    context.emit({ type: 'log', level: 'error', code: 'login-not-saved', fields: { remote, why } });
  }

  #signInNeeded(token: OAuthToken | undefined, why?: string): SyncerError {
    const { remote, place, howToLogIn } = this.#parts;
    const state = token === undefined ? 'not logged in yet' : (why ?? 'the login has expired');
    const again =
      place === undefined
        ? 'get a new token with "syncer authorize"'
        : `run "syncer config reconnect ${remote}:"`;
    const text = `${remote}: ${state}; ${howToLogIn ?? again}`;
    const fault = howToLogIn === undefined ? undefined : 'application';
    return new SyncerError('sign-in-needed', text, { fault });
  }
}
