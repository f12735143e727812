import { SyncerError, toSyncerError } from '../../core/errors.ts';
import type { S3Settings } from './settings.ts';
import type { Credentials } from './signer-v4.ts';

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
 * The credentials of the settings: the keys of the section; with `env_auth` the chain of the AWS SDK, which reads the
 * process's environment; else none.
 */
export function credentialSource(
  settings: S3Settings,
  loadChain: (settings: S3Settings) => Promise<ChainProvider> = loadAwsChain,
): CredentialSource {
  const { accessKeyId, secretAccessKey, sessionToken } = settings;
  if (accessKeyId !== '') {
    const fixed = {
      accessKeyId,
      secretAccessKey,
      ...(sessionToken === '' ? {} : { sessionToken }),
    };
    return { get: () => fixed, refresh: () => false, account: accessKeyId };
  }
  if (!settings.envAuth) return { get: () => undefined, refresh: () => false, account: '' };
  return new ChainSource(settings, () => loadChain(settings));
}

/** The type of `@aws-sdk/credential-providers`. */
export type ChainProvider = () => Promise<{
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
  readonly expiration?: Date | undefined;
}>;

class ChainSource implements CredentialSource {
  readonly account: string;
  readonly #remote: string;
  readonly #load: () => Promise<ChainProvider>;
  #provider: Promise<ChainProvider> | undefined;
  #current: Credentials | undefined;
  #pending: Promise<Credentials> | undefined;

  constructor(settings: S3Settings, load: () => Promise<ChainProvider>) {
    this.account = `env:${settings.profile}:${settings.sharedCredentialsFile}`;
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
      throw new SyncerError(
        'sign-in',
        `remote "${this.#remote}": env_auth found no credentials: ${why}`,
        { cause },
      );
    }
  }
}

async function loadAwsChain(settings: S3Settings): Promise<ChainProvider> {
  const { fromNodeProviderChain } = await import('@aws-sdk/credential-providers');
  return fromNodeProviderChain({
    ...(settings.profile === '' ? {} : { profile: settings.profile }),
    ...(settings.sharedCredentialsFile === '' ? {} : { filepath: settings.sharedCredentialsFile }),
    clientConfig: { region: settings.region },
  });
}
