import { advanced, type BackendOption, flag, option, tristate } from '../../../core/options.ts';
import { PROVIDERS } from '../provider-quirks.ts';
import { placesOf } from './provider-places.ts';

/** Keys and regions are one word: blanks come from copying too much. */
const withoutBlanks = (text: string) => (/\s/.test(text) ? 'It contains a space.' : undefined);

/** The URL of an endpoint, which may be a host alone; `undefined` for anything else. Without a scheme it is https. */
export function endpointUrl(text: string): URL | undefined {
  const url = URL.parse(/^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `https://${text}`);
  if (url === null || url.hostname === '') return undefined;
  return url.protocol === 'https:' || url.protocol === 'http:' ? url : undefined;
}

/** The options of server and account. */
export const ACCOUNT_OPTIONS: readonly BackendOption[] = [
  option('provider', 'string', 'S3 provider. Sets the URL style and known workarounds.', {
    examples: PROVIDERS.map(({ name, help }) => ({ value: name, help })),
  }),
  option(
    'env_auth',
    'bool',
    'Get the credentials from the environment: variables, the shared credentials file, web identity, single ' +
      'sign-on, container or instance metadata. Used only where access_key_id and secret_access_key are empty.',
    {
      isLogin: true,
      default: 'false',
      examples: [
        {
          value: 'false',
          help: 'Only the keys of this section are used; without keys, requests are anonymous.',
        },
        { value: 'true', help: 'Get the credentials from the environment.' },
      ],
    },
  ),
  option(
    'access_key_id',
    'string',
    'Access key ID. Leave empty for anonymous access or credentials from the environment.',
    { example: 'AKIAIOSFODNN7EXAMPLE', check: withoutBlanks },
  ),
  option(
    'secret_access_key',
    'string',
    'Secret access key. Leave empty for anonymous access or credentials from the environment.',
    { secret: true, check: withoutBlanks },
  ),
  {
    name: 'region',
    type: 'string',
    example: 'eu-central-1',
    check: withoutBlanks,
    help:
      'Region. Empty means us-east-1, which most providers accept; with env_auth first ' +
      '$AWS_REGION, $AWS_DEFAULT_REGION and the region of the profile in $AWS_CONFIG_FILE, else ~/.aws/config.',
    get examples() {
      return placesOf('region');
    },
  },
  {
    name: 'endpoint',
    isAddress: true,
    type: 'string',
    example: 'https://s3.example.com',
    check: (text) =>
      endpointUrl(text) === undefined ? 'Enter a host, or a URL with http or https.' : undefined,
    help:
      'Endpoint: a host, with or without scheme and port: s3.example.com, http://127.0.0.1:9000. The default scheme ' +
      'is https. Leave empty for Amazon.',
    get examples() {
      return placesOf('endpoint');
    },
  },
  advanced('session_token', 'string', 'Session token of temporary keys.', { secret: true }),
  advanced(
    'profile',
    'string',
    'Profile in the shared credentials and configuration files. Empty means $AWS_PROFILE, else "default". Needs env_auth.',
    { isLogin: true },
  ),
  advanced(
    'shared_credentials_file',
    'string',
    'Path of the shared credentials file. Empty means $AWS_SHARED_CREDENTIALS_FILE, else ~/.aws/credentials. Needs env_auth.',
    { isPath: true },
  ),
  advanced(
    'role_arn',
    'string',
    'Role to assume with the credentials. Its temporary credentials are used for all requests, and renewed before ' +
      'they expire.',
    { isLogin: true, example: 'arn:aws:iam::123456789012:role/backup' },
  ),
  advanced(
    'role_session_name',
    'string',
    'Name of the session of the role, as logs of the server show it. Empty means "syncer".',
  ),
  advanced(
    'role_session_duration',
    'duration',
    "Duration of a session of the role, such as 1h. Empty means the server's default.",
  ),
  advanced('role_external_id', 'string', 'External ID, if the role requires one.'),
  advanced(
    'ibm_api_key',
    'string',
    'API key of IBM Cloud (provider IBMCOS), which gets tokens of IAM. They are used instead of keys, and renewed ' +
      'before they expire. Needs ibm_resource_instance_id.',
    { secret: true, check: withoutBlanks },
  ),
  advanced(
    'ibm_resource_instance_id',
    'string',
    'Instance of the object storage at IBM Cloud, for ibm_api_key.',
  ),
  advanced(
    'ibm_iam_endpoint',
    'string',
    'Server that issues the tokens of ibm_api_key. Empty means https://iam.cloud.ibm.com.',
    {
      isAddress: true,
      example: 'https://private.iam.cloud.ibm.com',
      check: (text) =>
        endpointUrl(text) === undefined ? 'Enter a host, or a URL with http or https.' : undefined,
    },
  ),
  flag(
    'v2_auth',
    'Sign requests with version 2, for old servers. The region other-v2-signature means the same.',
  ),
  advanced(
    'sts_endpoint',
    'string',
    'Endpoint that issues the credentials of role_arn. Empty means $AWS_ENDPOINT_URL_STS, else that of Amazon.',
    { isAddress: true, example: 'https://sts.example.com' },
  ),
  advanced(
    'force_path_style',
    'bool',
    "Put the bucket in the URL path (true) or the host name (false). Empty means the provider's default. A " +
      'host that is an IP address always uses the path.',
  ),
  flag(
    'use_accelerate_endpoint',
    "Use Amazon's accelerated endpoint. Refused with an endpoint of its own.",
  ),
  flag('use_dual_stack', "Use Amazon's endpoints with IPv6. Refused with an endpoint of its own."),
  flag(
    'use_arn_region',
    'Use an access point, named by its ARN instead of a bucket, in the region of the ARN. Without it another region ' +
      'than that of the remote is refused.',
  ),
  tristate(
    'use_unsigned_payload',
    'Leave the content of uploads out of signatures (true), or sign it where it is in memory (false). Empty: left ' +
      'out with TLS, and where another checksum covers it.',
  ),
  flag('requester_pays', 'Accept charges for requests to requester-pays buckets.'),
];
