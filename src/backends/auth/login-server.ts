import type { LogEvent } from '../../core/events.ts';
import type { HttpClient } from '../http/http-client.ts';

/** How the login server is reached. */
export interface LoginServer {
  readonly http: HttpClient;
  readonly userAgent: string;
  readonly now: () => number;
}

/** The application that logs in, and where it does. */
export interface LoginApplication {
  readonly clientId: string;
  /** `''` for an application that has none. */
  readonly clientSecret: string;
  readonly tokenUrl: URL;
}

/** What a person logs in to. */
export interface LoginTarget extends LoginApplication {
  readonly authUrl: URL;
  readonly scopes: readonly string[];
}

/** How a person logs in. */
export interface LoginChoices {
  /** On another device, by a code to type there. */
  readonly byDevice: boolean;
  /** Where the browser brings the answer to: a port of this machine. */
  readonly port: number;
  /** Opens a link in a browser; absent where the person wants to do it. */
  readonly openBrowser?: (link: string) => void;
  /** Shows the steps of the login to the user. */
  readonly emit: (event: LogEvent) => void;
}

/** An answer of a provider's login server: its fields, and what HTTP says of it. */
export interface LoginAnswer {
  readonly status: number;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly retryAfterMs: number | undefined;
}
