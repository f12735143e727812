import { SyncerError, toSyncerError } from '../../core/errors.ts';
import type { ChainProvider, Credentials } from './request-signer.ts';
import type { S3Settings } from './settings.ts';

/** The credentials for signatures; `undefined` for anonymous requests. */
export interface CredentialSource {
  get(nowMs: number): Promise<Credentials | undefined> | Credentials | undefined;
  /** The server reports that they are no longer valid. `true` if a new request may return others. */
  refresh(): boolean;
  /** Identifies the account; holds no secret. */
  readonly account: string;
}

/** Temporary credentials are renewed this long before they expire. */
const RENEW_BEFORE_MS = 5 * 60_000;

/**
 * The credentials of the settings: tokens of IBM, which `loadChain` gets, or those of the role, if there is one; else
 * the keys of the section; with `env_auth` the chain of the AWS SDK, which reads the process's environment; else none.
 */
export function credentialSource(
  settings: S3Settings,
  loadChain: (settings: S3Settings) => Promise<ChainProvider> = loadAwsChain,
): CredentialSource {
  const { accessKeyId, role, ibm } = settings;
  if (ibm !== undefined) return new ChainSource(settings, () => loadChain(settings));
  if (accessKeyId !== '' && role === undefined) {
    const fixed = keysOf(settings);
    return { get: () => fixed, refresh: () => false, account: accessKeyId };
  }
  if (!settings.envAuth && role === undefined)
    return { get: () => undefined, refresh: () => false, account: '' };
  return new ChainSource(settings, () => loadChain(settings));
}

function keysOf({ accessKeyId, secretAccessKey, sessionToken }: S3Settings): Credentials {
  return { accessKeyId, secretAccessKey, ...(sessionToken === '' ? {} : { sessionToken }) };
}

class ChainSource implements CredentialSource {
  readonly account: string;
  readonly #remote: string;
  readonly #what: string;
  readonly #load: () => Promise<ChainProvider>;
  #provider: Promise<ChainProvider> | undefined;
  #current: Credentials | undefined;
  #pending: Promise<Credentials> | undefined;

  constructor(settings: S3Settings, load: () => Promise<ChainProvider>) {
    const { role, accessKeyId, ibm } = settings;
    const chain = `env:${settings.profile}:${settings.sharedCredentialsFile}`;
    const own = accessKeyId === '' ? chain : accessKeyId;
    this.account = role === undefined ? own : `${role.arn} ${own}`;
    this.#what = role === undefined ? 'env_auth found no credentials' : `cannot assume ${role.arn}`;
    if (ibm !== undefined) {
      this.account = `ibm ${ibm.instanceId}`;
      this.#what = 'ibm_api_key gives no token';
    }
    this.#remote = settings.remote;
    this.#load = load;
  }

  get(nowMs: number): Promise<Credentials> | Credentials {
    const current = this.#current;
    if (current !== undefined && (current.expiresMs ?? Infinity) - RENEW_BEFORE_MS > nowMs) {
      return current;
    }
    this.#pending ??= this.#fetch().finally(() => {
      this.#pending = undefined;
    });
    return this.#pending;
  }

  refresh(): boolean {
    this.#current = undefined;
    this.#provider = undefined;
    return true;
  }

  async #fetch(): Promise<Credentials> {
    this.#provider ??= this.#load();
    try {
      const found = await (await this.#provider)();
      this.#current = {
        accessKeyId: found.accessKeyId,
        secretAccessKey: found.secretAccessKey,
        ...(found.sessionToken === undefined ? {} : { sessionToken: found.sessionToken }),
        ...(found.expiration === undefined ? {} : { expiresMs: found.expiration.getTime() }),
      };
      return this.#current;
    } catch (cause) {
      this.#provider = undefined;
      const why = toSyncerError(cause).message;
      const text = `remote "${this.#remote}": ${this.#what}: ${why}`;
      const passing = cause instanceof SyncerError && cause.retry ? cause : undefined;
      const wait = passing?.retryAfterMs;
      throw new SyncerError(passing?.code ?? 'sign-in', text, {
        cause,
        ...(wait === undefined ? {} : { retryAfterMs: wait }),
      });
    }
  }
}

async function loadAwsChain(settings: S3Settings): Promise<ChainProvider> {
  const { fromNodeProviderChain, fromTemporaryCredentials } = await import(
    '@aws-sdk/credential-providers'
  );
  const { profile, sharedCredentialsFile, region, role, accessKeyId } = settings;
  const own =
    accessKeyId === ''
      ? fromNodeProviderChain({
          ...(profile === '' ? {} : { profile }),
          ...(sharedCredentialsFile === '' ? {} : { filepath: sharedCredentialsFile }),
          clientConfig: { region },
        })
      : keysOf(settings);
  if (role === undefined) return typeof own === 'function' ? own : async () => own;
  const { arn, sessionName, durationSeconds, externalId, stsEndpoint } = role;
  return fromTemporaryCredentials({
    masterCredentials: own,
    params: {
      RoleArn: arn,
      RoleSessionName: sessionName,
      ...(durationSeconds === undefined ? {} : { DurationSeconds: durationSeconds }),
      ...(externalId === '' ? {} : { ExternalId: externalId }),
    },
    clientConfig: { region, ...(stsEndpoint === '' ? {} : { endpoint: stsEndpoint }) },
  });
}
