import { expect, test } from 'vitest';
import { isSecretName } from '../../../../src/webhook/log/secret-names.ts';

test('names of secrets', () => {
  const names = [
    ...['X-Auth', 'X-Auth-Key', 'X-Passcode', 'X-Access-Code', 'passcode', 'x_auth', 'Bearer'],
    ...['jwt', 'otp', 'pin', 'session', 'sessionId', 'session_id', 'X-Session'],
    ...['Authentication', 'oauth', 'X-OAuth'],
    ...[
      'userPin',
      'JWTValue',
      'HOOK_OTP',
      'auth.user',
      'accessCode',
      'pwd',
      'MYSQL_PWD',
      'pat',
      'user_pass',
    ],
    ...['userPass', 'HMAC', 'apiKey', 'encryption_key', 'ssh_key', 'signing key', 'sharedKey'],
    ...['master-key', 'deploy_key', 'account_key', 'storage key', 'session_key', 'privkey'],
    ...['passkey', 'api key', 'APIKey', 'apikey', 'userpass', 'DBPASS', 'DB_PASSWORD', 'creds'],
    ...['sig', 'sid', 'sessionid', 'PHPSESSID', 'connection_string', 'connectionString'],
    ...[
      'accesstoken',
      'githubtoken',
      'tokens',
      'token12',
      'clientSecret',
      'passwd',
      'passwordHash',
    ],
    ...['X-Hub-Signature-256', 'X-Amz-Credential', 'Proxy-Authorization', 'Set-Cookie', '-token'],
    ...['user[password]', 'X-HMAC-SHA256', 'PRIVATE_KEY_PEM', 'password_reset_url'],
  ];
  expect(names.filter((name) => !isSecretName(name))).toEqual([]);
});

test('names that are only similar', () => {
  const names = [
    ...['author', 'author_association', 'authored', 'keyboard', 'pinned', 'private_repo'],
    ...['keys_url', 'pinned_at', 'spin', 'sessions', 'session_count', 'compass', 'bypass'],
    ...['isPrivate', 'path', 'bearers', 'otpauth', 'monkey', 'access', 'code', 'ping'],
    ...['Pinterest', 'passengers', 'secretary', 'undersecretary', 'secretariat', 'tokenizer'],
    ...['tokenized_text', 'max_tokens', 'max_output_tokens', 'token_type', 'passwordless'],
    ...['cookie_policy', 'signature_algorithm', 'authorization_endpoint', 'auth_type'],
    ...['token_uri', 'authorization_url', 'access_tokens_url', 'auth_uri', 'tokens_used'],
    ...['completion_tokens_details', 'tokens_per_second', 'password_last_used', 'secretName'],
    ...['pin_count', 'pass_count', 'tokenType', 'X-Token-Type', 'public_key', 'cache_key', ''],
    ...[
      'key',
      'private',
      'PWD',
      'OLDPWD',
      'primary_key',
      'assigned',
      'design',
      'inside',
      'www-authenticate',
    ],
  ];
  expect(names.filter(isSecretName)).toEqual([]);
});

test('a name that is too long to look at is taken for that of a secret', () => {
  expect(isSecretName('a'.repeat(1_000_000))).toBe(true);
  expect(isSecretName('a'.repeat(1000))).toBe(false);
});
