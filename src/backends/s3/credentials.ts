import { systemClock } from '../../core/context.ts';
import { SyncerError, toSyncerError } from '../../core/errors.ts';
import type { S3Settings } from './settings.ts';
import type { ChainProvider, Credentials } from './signers.ts';

/** The credentials for signatures; `undefined` for anonymous requests. */
export interface CredentialSource {
  get(nowMs: number): Promise<Credentials | undefined> | Credentials | undefined;
  /**
   * Gets them again, also from files that were read before, because the server no longer accepts those that were used.
   * `true` if there are others now. Never rejects. `isSure`: whether the response shows that they are the reason;
   * otherwise this asks only now and then.
   */
  refresh(used: Credentials | undefined, nowMs: number, isSure: boolean): Promise<boolean>;
  /** Identifies the account; holds no secret. */
  readonly account: string;
}

/** Temporary credentials are renewed this long before they expire, in milliseconds. */
const RENEW_BEFORE_MS = 5 * 60_000;
/** How often credentials are got again that may not be the reason of a refusal, in milliseconds. */
const UNSURE_EVERY_MS = 30_000;
/** Waits for a file of credentials that is being written, as one without any looks, in milliseconds. */
const WRITTEN_MS = [50, 200, 1000];

/**
 * The credentials of the settings: tokens of IBM, which `loadChain` gets, or those of the role, if there is one; else
 * the keys of the section; with `env_auth` the chain of the AWS SDK, which reads the process's environment; else none.
 * `settingsNow`: the settings with secrets read again, if they are references.
 */
export function credentialSource(
  settings: S3Settings,
  loadChain: (settings: S3Settings) => Promise<ChainProvider> = loadAwsChain,
  settingsNow?: () => Promise<S3Settings>,
): CredentialSource {
  const { accessKeyId, role, ibm, envAuth } = settings;
  const isChain = ibm !== undefined || role !== undefined || (accessKeyId === '' && envAuth);
  if (isChain) return new ChainSource(settings, () => loadChain(settings));
  const fixed = accessKeyId === '' ? undefined : keysOf(settings);
  if (fixed !== undefined && settingsNow !== undefined) {
    return new ChainSource(settings, async () => async () => keysOf(await settingsNow()), fixed);
  }
  return { get: () => fixed, refresh: async () => false, account: accessKeyId };
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
  #renewing: Promise<unknown> | undefined;
  #unsureMs = Number.NEGATIVE_INFINITY;
  #wereFound = false;

  /** `first` is used until the server refuses it. */
  constructor(settings: S3Settings, load: () => Promise<ChainProvider>, first?: Credentials) {
    this.#current = first;
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

  async refresh(used: Credentials | undefined, nowMs: number, isSure: boolean): Promise<boolean> {
    const hasOthers = () =>
      this.#current !== undefined &&
      (this.#current.accessKeyId !== used?.accessKeyId ||
        this.#current.secretAccessKey !== used.secretAccessKey ||
        this.#current.sessionToken !== used.sessionToken);
    // Another request has got them already.
    if (hasOthers()) return true;
    if (!isSure && this.#renewing === undefined) {
      if (nowMs - this.#unsureMs < UNSURE_EVERY_MS) return false;
      this.#unsureMs = nowMs;
    }
    const renew = async () => {
      await this.#pending?.catch(() => undefined);
      this.#current = undefined;
      this.#provider = undefined;
      await Promise.resolve(this.get(0)).catch(() => undefined);
    };
    this.#renewing ??= renew().finally(() => {
      this.#renewing = undefined;
    });
    await this.#renewing;
    return hasOthers();
  }

  async #fetch(failures = 0): Promise<Credentials> {
    this.#provider ??= this.#load();
    try {
      const found = await (await this.#provider)();
      this.#wereFound = true;
      this.#current = {
        accessKeyId: found.accessKeyId,
        secretAccessKey: found.secretAccessKey,
        ...(found.sessionToken === undefined ? {} : { sessionToken: found.sessionToken }),
        expiresMs: found.expiration?.getTime(),
      };
      return this.#current;
    } catch (cause) {
      this.#provider = undefined;
      const waitMs = WRITTEN_MS[failures];
      if (this.#wereFound && waitMs !== undefined && !(cause instanceof SyncerError)) {
        await systemClock.sleep(waitMs);
        return this.#fetch(failures + 1);
      }
      const why = toSyncerError(cause).message;
      const text = `remote "${this.#remote}": ${this.#what}: ${why}`;
      const passing = cause instanceof SyncerError && cause.retry ? cause : undefined;
      const { code = 'sign-in', retryAfterMs } = passing ?? {};
      throw new SyncerError(code, text, { cause, retryAfterMs });
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
          // The SDK keeps the text of files that it has read once.
          ignoreCache: true,
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
