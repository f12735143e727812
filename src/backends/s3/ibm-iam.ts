import { SyncerError } from '../../core/errors.ts';
import { tokenIn } from '../auth/oauth-token.ts';
import { type LoginServer, postForm, textField } from '../auth/post-form.ts';
import type { OptionReader } from '../option-reader.ts';
import { endpointUrl } from './options.ts';
import type { ChainProvider, RequestSigner } from './signers.ts';

/** The login to IBM Cloud by an API key, instead of the keys of an account. */
export interface IbmLogin {
  readonly apiKey: string;
  /** The instance of the object storage that requests are for. */
  readonly instanceId: string;
  readonly tokenUrl: URL;
}

const TOKEN_PATH = '/identity/token';

/** Reads the options of the login; `undefined` without an API key. Throws `config`. */
export function readIbmLogin(read: OptionReader, provider: string): IbmLogin | undefined {
  const apiKey = read.text('ibm_api_key');
  const instanceId = read.text('ibm_resource_instance_id');
  const endpoint = read.text('ibm_iam_endpoint');
  if (apiKey === '') return undefined;
  // Another server must not get a token of IBM.
  if (provider !== 'IBMCOS') throw read.error('ibm_api_key', 'needs provider = IBMCOS');
  if (read.text('role_arn') !== '') {
    throw read.error('ibm_api_key', 'logs in by itself: set no role_arn');
  }
  if (instanceId === '') {
    throw read.missing('ibm_resource_instance_id', 'although ibm_api_key is set');
  }
  const base = endpointUrl(endpoint === '' ? 'https://iam.cloud.ibm.com' : endpoint);
  if (base === undefined) throw read.error('ibm_iam_endpoint', `not a host or URL: "${endpoint}"`);
  const path = base.pathname.replace(/\/$/, '');
  base.pathname = path.endsWith(TOKEN_PATH) ? path : path + TOKEN_PATH;
  return { apiKey, instanceId, tokenUrl: base };
}

/**
 * Gets tokens for the API key. Rejects with `sign-in` if it is refused, with `throttled` or `server` if a retry may
 * help. Source: "Generating an IBM Cloud IAM token by using an API key" in IBM's documentation.
 */
export function ibmTokens(
  { apiKey, tokenUrl }: IbmLogin,
  server: LoginServer,
  signal: AbortSignal,
): ChainProvider {
  const form = {
    grant_type: 'urn:ibm:params:oauth:grant-type:apikey',
    response_type: 'cloud_iam',
    apikey: apiKey,
  };
  return async () => {
    const answer = await postForm(server, tokenUrl, form, signal);
    const { status, retryAfterMs } = answer;
    if (status !== 200) {
      const why = textField(answer, 'errorMessage') || `status ${status}`;
      const passing = status === 429 ? 'throttled' : 'server';
      const code = status === 429 || status >= 500 ? passing : 'sign-in';
      throw new SyncerError(code, `${tokenUrl.host} issued none: ${why}`, { retryAfterMs });
    }
    const { accessToken, expiresMs } = tokenIn(answer, server.now());
    return {
      accessKeyId: '',
      secretAccessKey: '',
      sessionToken: accessToken,
      ...(expiresMs === undefined ? {} : { expiration: new Date(expiresMs) }),
    };
  };
}

/** Requests with a token of IBM Cloud instead of a signature. */
export function ibmSigner({ instanceId }: IbmLogin): RequestSigner {
  return {
    signHeaders({ headers }, { sessionToken }) {
      headers['authorization'] = `Bearer ${sessionToken}`;
      headers['ibm-service-instance-id'] = instanceId;
      return headers;
    },
    presignQuery() {
      const text =
        'links need access_key_id and secret_access_key: a token of ibm_api_key makes none';
      throw new SyncerError('unsupported', text);
    },
    signChunks: () => undefined,
  };
}
