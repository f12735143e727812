import type { Answer, GraphCall } from '../graph-call.ts';
import type { GraphOperation } from '../graph-fault.ts';
import type { GraphWorld } from '../graph-world.ts';
import { AuthorizationCodes } from './authorize.ts';
import { DeviceCodes } from './device-codes.ts';
import { discovery, instanceDiscovery } from './discovery.ts';
import { clientInfo, idToken } from './id-token.ts';
import { LoginFailure, loginFailureAnswer } from './login-failure.ts';
import { readForm } from './read-form.ts';
import { type Grant, TokenStore } from './token-store.ts';

const ENDPOINTS: Readonly<Record<string, GraphOperation>> = {
  'oauth2/v2.0/authorize': 'authorize',
  'oauth2/v2.0/token': 'token',
  'oauth2/v2.0/devicecode': 'deviceCode',
  'v2.0/.well-known/openid-configuration': 'discovery',
  '.well-known/openid-configuration': 'discovery',
  'discovery/instance': 'discovery',
};

/** The name in the standard, and the one that Microsoft's libraries send. */
const DEVICE_GRANTS = ['urn:ietf:params:oauth:grant-type:device_code', 'device_code'];

/** What a login address asks for; `undefined`: it is none. The first part of the path is the tenant. */
export function loginOperation(path: string): GraphOperation | undefined {
  return ENDPOINTS[path.replace(/^\/[^/]+\//, '')];
}

/** The service where people and programs sign in. */
export class SignIn {
  readonly tokens: TokenStore;
  readonly #codes: AuthorizationCodes;
  readonly #devices: DeviceCodes;
  readonly #world: GraphWorld;

  constructor(world: GraphWorld) {
    const now = () => world.now();
    this.#world = world;
    this.tokens = new TokenStore(world.settings, now);
    this.#codes = new AuthorizationCodes(world.settings, now);
    this.#devices = new DeviceCodes(world.settings, now);
  }

  /** Answers a request to an address of the login service. */
  answer(operation: GraphOperation, call: GraphCall): Answer {
    try {
      if (operation === 'authorize') return this.#codes.authorize(call);
      if (operation === 'deviceCode') return this.#devices.start(call);
      if (operation === 'token') return this.#token(call);
      return call.path.endsWith('/instance') ? instanceDiscovery(call) : discovery(call);
    } catch (error) {
      if (error instanceof LoginFailure) return loginFailureAnswer(error);
      throw error;
    }
  }

  #token(call: GraphCall): Answer {
    const form = readForm(call);
    const clientId = this.#authenticate(form, call.headers.authorization);
    form.set('client_id', clientId);
    const grant = this.#grant(form);
    const { tokens } = this;
    const issued = tokens.issue(grant);
    const isRefresh = form.get('grant_type') === 'refresh_token';
    const keepsOld = isRefresh && !this.#world.settings.rotatesRefreshTokens;
    const json = {
      token_type: 'Bearer',
      scope: grant.scope,
      expires_in: issued.expiresIn,
      ext_expires_in: issued.expiresIn,
      access_token: issued.accessToken,
      ...(issued.refreshToken !== undefined && !keepsOld && { refresh_token: issued.refreshToken }),
      ...(grant.scope.split(' ').includes('openid') && {
        id_token: idToken(call.origin, clientId, grant.nonce, this.#world.now()),
        client_info: clientInfo(),
      }),
    };
    return { status: 200, headers: { 'cache-control': 'no-store' }, json };
  }

  #grant(form: URLSearchParams): Grant & { readonly nonce?: string | undefined } {
    const type = form.get('grant_type');
    if (type === 'authorization_code') return this.#codes.redeem(form);
    if (type === 'client_credentials') return this.#application(form);
    if (DEVICE_GRANTS.includes(type ?? '')) return this.#devices.redeem(form);
    if (type !== 'refresh_token') {
      throw new LoginFailure('unsupported_grant_type', 70003, `Unknown grant type ${type}.`);
    }
    const grant = this.tokens.useRefreshToken(form.get('refresh_token') ?? '');
    if (grant === undefined) {
      throw new LoginFailure(
        'invalid_grant',
        700082,
        'The refresh token has expired or was revoked.',
      );
    }
    if (grant.clientId !== form.get('client_id')) {
      throw new LoginFailure('invalid_grant', 700005, 'The token was issued to another client.');
    }
    const scope = form.get('scope');
    return scope === null || scope === '' ? grant : { ...grant, scope };
  }

  /** An application logs in by itself: only with a secret, and never with `offline_access`. */
  #application(form: URLSearchParams): Grant {
    const clientId = form.get('client_id') ?? '';
    if (this.#world.settings.clientSecrets[clientId] === undefined) {
      throw new LoginFailure('invalid_client', 7000216, 'A client secret is required.', 401);
    }
    if (!/^\S*\.default$/.test(form.get('scope') ?? '')) {
      throw new LoginFailure('invalid_scope', 1002012, 'The scope must end with .default.');
    }
    return { clientId, scope: '.default' };
  }

  /** The client's id, from the form or from Basic authentication, after its secret was checked. */
  #authenticate(form: URLSearchParams, authorization: string | undefined): string {
    const basic = /^basic (.+)$/i.exec(authorization ?? '')?.[1];
    const [basicId, basicSecret] = Buffer.from(basic ?? '', 'base64')
      .toString()
      .split(':');
    const id = form.get('client_id') ?? decodeURIComponent(basicId ?? '');
    if (id === '') throw new LoginFailure('invalid_request', 900144, 'client_id is missing.');
    const secret = form.get('client_secret') ?? decodeURIComponent(basicSecret ?? '');
    const wanted = this.#world.settings.clientSecrets[id];
    if (wanted !== undefined && wanted !== secret) {
      throw new LoginFailure('invalid_client', 7000215, 'Invalid client secret provided.', 401);
    }
    return id;
  }
}
