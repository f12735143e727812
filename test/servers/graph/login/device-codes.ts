import type { Answer, GraphCall } from '../graph-call.ts';
import type { GraphSettings } from '../graph-settings.ts';
import { LoginFailure } from './login-failure.ts';
import { readForm } from './read-form.ts';
import type { Grant } from './token-store.ts';

interface DeviceFlow extends Grant {
  readonly expires: number;
  polls: number;
}

const NUMBERS: Readonly<Record<string, number>> = {
  authorization_pending: 70016,
  authorization_declined: 70016,
  slow_down: 70016,
  expired_token: 70020,
  bad_verification_code: 70019,
};

/** Signing in on another machine: codes to type there. */
export class DeviceCodes {
  readonly #flows = new Map<string, DeviceFlow>();
  readonly #settings: GraphSettings;
  readonly #now: () => number;

  constructor(settings: GraphSettings, now: () => number) {
    this.#settings = settings;
    this.#now = now;
  }

  /** POST devicecode. */
  start(call: GraphCall): Answer {
    const form = readForm(call);
    const clientId = form.get('client_id') ?? '';
    if (clientId === '') throw new LoginFailure('invalid_request', 900144, 'client_id is missing.');
    const { deviceInterval, deviceSeconds } = this.#settings;
    const code = `device-${crypto.randomUUID()}`;
    const expires = this.#now() + deviceSeconds * 1000;
    this.#flows.set(code, { clientId, scope: form.get('scope') ?? '', expires, polls: 0 });
    const json = {
      user_code: 'ABCD2345E',
      device_code: code,
      verification_uri: 'https://microsoft.com/devicelogin',
      expires_in: deviceSeconds,
      interval: deviceInterval,
      message:
        'To sign in, open https://microsoft.com/devicelogin and enter the code ABCD2345E to authenticate.',
    };
    return { status: 200, json };
  }

  /** One poll; throws `authorization_pending` and whatever else the settings name. */
  redeem(form: URLSearchParams): Grant {
    const code = form.get('device_code') ?? form.get('code') ?? '';
    const flow = this.#flows.get(code);
    if (flow === undefined || flow.clientId !== form.get('client_id')) {
      throw failure('bad_verification_code');
    }
    if (flow.expires <= this.#now()) throw failure('expired_token');
    const answer = this.#settings.devicePolls[flow.polls++];
    if (answer !== undefined) throw failure(answer);
    this.#flows.delete(code);
    return flow;
  }
}

function failure(error: string): LoginFailure {
  return new LoginFailure(error, NUMBERS[error] ?? 70016, `The device code flow: ${error}.`);
}
