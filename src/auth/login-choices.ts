import type { LogEvent } from '../core/events.ts';
import type { LoginApplication } from './refresh-token.ts';

/** What a person logs in to. */
export interface LoginTarget extends LoginApplication {
  readonly authUrl: URL;
  /** The permissions that are asked for. */
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
