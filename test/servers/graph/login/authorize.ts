import { createHash } from 'node:crypto';
import type { Answer, GraphCall } from '../graph-call.ts';
import type { GraphSettings } from '../graph-settings.ts';
import { LoginFailure } from './login-failure.ts';
import type { Grant } from './token-store.ts';

/** A code that was given out, good once and for ten minutes. */
interface StoredCode extends Grant {
  readonly redirectUri: string;
  readonly challenge: string | undefined;
  readonly method: string;
  readonly nonce: string | undefined;
  readonly expires: number;
}

const CODE_SECONDS = 600;

/** The page where people sign in, and the codes that it gave out. */
export class AuthorizationCodes {
  readonly #codes = new Map<string, StoredCode>();
  readonly #settings: GraphSettings;
  readonly #now: () => number;

  constructor(settings: GraphSettings, now: () => number) {
    this.#settings = settings;
    this.#now = now;
  }

  /** GET authorize: the person at the browser agrees at once, or does what the settings say. */
  authorize({ query }: GraphCall): Answer {
    const redirect = query.get('redirect_uri') ?? '';
    if (!URL.canParse(redirect)) {
      throw new LoginFailure('invalid_request', 900971, 'No reply address provided.');
    }
    const back: Record<string, string> = {};
    try {
      back['code'] = this.#makeCode(query, redirect);
    } catch (error) {
      if (!(error instanceof LoginFailure)) throw error;
      back['error'] = error.error;
      back['error_description'] = error.description;
    }
    const state = query.get('state');
    if (state !== null) back['state'] = this.#settings.spoilsState ? `other-${state}` : state;
    if (query.get('response_mode') === 'form_post') return formPost(redirect, back);
    const address = new URL(redirect);
    for (const [name, value] of Object.entries(back)) address.searchParams.set(name, value);
    return { status: 302, headers: { location: address.href } };
  }

  #makeCode(query: URLSearchParams, redirectUri: string): string {
    const clientId = query.get('client_id') ?? '';
    if (clientId === '') throw new LoginFailure('invalid_request', 900144, 'client_id is missing.');
    if (query.get('response_type') !== 'code') {
      throw new LoginFailure('unsupported_response_type', 70005, 'response_type must be code.');
    }
    const { consent } = this.#settings;
    if (consent === 'denied') {
      throw new LoginFailure('access_denied', 65004, 'User declined to consent to access the app.');
    }
    if (consent === 'needs-admin') {
      throw new LoginFailure('access_denied', 90094, 'Admin consent is required for this app.');
    }
    const code = `code-${crypto.randomUUID()}`;
    this.#codes.set(code, {
      clientId,
      scope: query.get('scope') ?? '',
      redirectUri,
      challenge: query.get('code_challenge') ?? undefined,
      method: query.get('code_challenge_method') ?? 'plain',
      nonce: query.get('nonce') ?? undefined,
      expires: this.#now() + CODE_SECONDS * 1000,
    });
    return code;
  }

  /** What a code stands for; it is used up. Throws `invalid_grant` for any disagreement. */
  redeem(form: URLSearchParams): Grant & { readonly nonce: string | undefined } {
    const code = form.get('code') ?? '';
    const stored = this.#codes.get(code);
    this.#codes.delete(code);
    if (stored === undefined) throw refused(70000, 'The provided code is not valid.');
    if (stored.expires <= this.#now()) throw refused(70008, 'The provided code has expired.');
    if (stored.clientId !== form.get('client_id')) {
      throw refused(700005, 'The code was issued to another client.');
    }
    if (stored.redirectUri !== form.get('redirect_uri')) {
      throw refused(500112, 'The reply address does not match the one of the authorization.');
    }
    checkVerifier(stored, form.get('code_verifier'));
    return stored;
  }
}

function checkVerifier({ challenge, method }: StoredCode, verifier: string | null): void {
  if (challenge === undefined) return;
  if (verifier === null) throw refused(501481, 'The code_verifier is missing.');
  const hashed = createHash('sha256').update(verifier).digest('base64url');
  if ((method === 'S256' ? hashed : verifier) !== challenge) {
    throw refused(501481, 'The code_verifier does not match the code_challenge.');
  }
}

function refused(number: number, message: string): LoginFailure {
  return new LoginFailure('invalid_grant', number, message);
}

/** A page whose form posts itself. */
function formPost(action: string, fields: Readonly<Record<string, string>>): Answer {
  const escaped = (text: string) =>
    text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
  const inputs = Object.entries(fields).map(
    ([name, value]) => `<input type="hidden" name="${name}" value="${escaped(value)}">`,
  );
  const page = `<!doctype html><form method="post" action="${escaped(action)}">${inputs.join('')}</form><script>document.forms[0].submit()</script>`;
  return { status: 200, headers: { 'content-type': 'text/html' }, body: [Buffer.from(page)] };
}
