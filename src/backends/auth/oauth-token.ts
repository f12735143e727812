import {
  formatRfc3339NanoUtc,
  modTimeFromMs,
  modTimeToMs,
  parseRfc3339,
} from '../../core/mod-time.ts';

/** A login as it stands in a section of the configuration. */
export interface OAuthToken {
  readonly accessToken: string;
  readonly tokenType: string;
  /** Absent where the provider gave none: the login then ends at `expiresMs`. */
  readonly refreshToken: string | undefined;
  /** When the access token ends, in milliseconds since the epoch; `undefined`: not known. */
  readonly expiresMs: number | undefined;
}

/** Go writes a time that is not set as the year 1. */
const NEVER = '0001-01-01T00:00:00Z';

/** Reads the JSON of the key `token`, as rclone and syncer write it; `undefined` for any other text. */
export function parseToken(text: string): OAuthToken | undefined {
  let fields: Record<string, unknown>;
  try {
    fields = JSON.parse(text) as Record<string, unknown>;
  } catch {
    return undefined;
  }
  if (typeof fields !== 'object' || fields === null) return undefined;
  const told = (name: string) => (typeof fields[name] === 'string' ? fields[name] : '');
  const at = told('expiry') === NEVER ? undefined : parseRfc3339(told('expiry'));
  const accessToken = told('access_token');
  const refreshToken = told('refresh_token') || undefined;
  if (accessToken === '' && refreshToken === undefined) return undefined;
  return {
    accessToken,
    tokenType: told('token_type') || 'Bearer',
    refreshToken,
    expiresMs: at === undefined ? undefined : modTimeToMs(at),
  };
}

/** The JSON on one line, which rclone reads as well. */
export function formatToken(token: OAuthToken): string {
  const { accessToken, tokenType, refreshToken, expiresMs } = token;
  return JSON.stringify({
    access_token: accessToken,
    token_type: tokenType,
    ...(refreshToken === undefined ? {} : { refresh_token: refreshToken }),
    expiry: expiresMs === undefined ? NEVER : formatRfc3339NanoUtc(modTimeFromMs(expiresMs)),
  });
}

/** How long a login lasts, for people. */
export function loginLength(token: OAuthToken | undefined): string {
  if (token === undefined) return 'there is none';
  const { refreshToken, expiresMs } = token;
  if (refreshToken !== undefined) return 'renewed automatically if used every 90 days';
  return expiresMs === undefined ? 'unknown expiry' : `until ${new Date(expiresMs).toISOString()}`;
}

/** Where a login is kept. Its text is that of `formatToken`. */
export interface TokenPlace {
  /** The text as it is there now; `undefined` where there is none. */
  read(): Promise<string | undefined>;
  /** Replaces the text, and nothing else of what is kept there. */
  write(text: string): Promise<void>;
  /** Runs `work` while no other process does with the same place; also if the place cannot be locked. */
  alone<T>(work: () => Promise<T>): Promise<T>;
}
