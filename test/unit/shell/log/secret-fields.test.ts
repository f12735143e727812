import { expect, test } from 'vitest';
import { BACKENDS } from '../../../../src/backends/index.ts';
import {
  isSecretName,
  shownBody,
  shownHead,
  withoutUrlSecrets,
} from '../../../../src/shell/log/secret-fields.ts';

const S = 'S3cr3tZZ';

test('every option that is secret by its table is so by its name, as a flag and as a variable', () => {
  for (const { options } of BACKENDS)
    for (const { name, secret, obscured } of options) {
      if (secret !== true && obscured !== true) continue;
      for (const form of [name, name.toUpperCase(), name.replaceAll('_', '-')])
        expect([form, isSecretName(form)]).toEqual([form, true]);
    }
});

test.each([
  ['access_key_id', false],
  ['ask-password', false],
  ['max-transfer', false],
  ['RCLONE_CONFIG_PASS', true],
  ['compass', false],
  ['s3-secret-acces-key', true],
  ['auth-key', true],
  ['b2-key', true],
  ['iclouddrive-cookies', true],
  ['use-cookies', false],
  ['RCLONE_B2_KEY', true],
  ['seafile-library-key', true],
  ['sse_customer_key_md5', false],
])('the name %s', (name, isSecret) => {
  expect(isSecretName(name)).toBe(isSecret);
});

test.each([
  ['https://h/b?X-Amz-Signature=abcdef&a=1', 'https://h/b?X-Amz-Signature=REDACTED&a=1'],
  ['https://user:pass@h/', 'https://user:REDACTED@h/'],
  [`https://${S}@h/`, 'https://REDACTED@h/'],
  [`https://user:p@${S}@h/x`, 'https://user:REDACTED@h/x'],
  [`http://user:${S}/x@proxy:8080`, 'http://user:REDACTED@proxy:8080'],
  ['see https://h:8080/a@b and https://h/c@d', 'see https://h:8080/a@b and https://h/c@d'],
  ['ended with code=1 at https://h/', 'ended with code=1 at https://h/'],
])('URLs: %s', (text, shown) => {
  expect(withoutUrlSecrets(text)).toBe(shown);
});

test.each([
  [
    'GET / HTTP/1.1\r\nCookie: a=V; b=W\r\nhost: h',
    'GET / HTTP/1.1\r\nCookie: REDACTED\r\nhost: h',
  ],
  ['set-cookie: a=V; Path=/', 'set-cookie: REDACTED'],
  ['Authorization: AWS4 Credential=a, Signature=b', 'Authorization: REDACTED'],
  ['X-Auth-Token: no body', 'X-Auth-Token: REDACTED'],
  ['X-Api-Key: V', 'X-Api-Key: REDACTED'],
  ['apikey: V w', 'apikey: REDACTED'],
  ['X-My-Secret-Id: V w', 'X-My-Secret-Id: REDACTED'],
  [
    'x-amz-server-side-encryption-customer-key: V',
    'x-amz-server-side-encryption-customer-key: REDACTED',
  ],
  ['x-password: V', 'x-password: REDACTED'],
  ['content-type: text/plain', 'content-type: text/plain'],
  ['www-authenticate: Bearer realm=x', 'www-authenticate: Bearer realm=x'],
  ['PUT /up/1?tempauth=eyJ.x&a=1 HTTP/1.1', 'PUT /up/1?tempauth=REDACTED&a=1 HTTP/1.1'],
  ['GET /?code=M.abc-1&state=2 HTTP/1.1', 'GET /?code=REDACTED&state=2 HTTP/1.1'],
  [
    'HTTP/1.1 302\r\nlocation: https://dl.example/dl/abc\r\nserver: x',
    'HTTP/1.1 302\r\nlocation: https://dl.example/REDACTED\r\nserver: x',
  ],
])('heads: %j', (head, shown) => {
  expect(shownHead(head)).toBe(shown);
});

test.each([
  ['{"client_secret":"SE c\\"r,et","a":1}', '{"client_secret":"REDACTED","a":1}'],
  ['{"refresh_token":"abc","expires_in":5}', '{"refresh_token":"REDACTED","expires_in":5}'],
  ['{"device_code":"abc","interval":5}', '{"device_code":"REDACTED","interval":5}'],
  [
    '{"uploadUrl":"https://up.example/up/abc?x=1","nextExpectedRanges":["0-"]}',
    '{"uploadUrl":"https://up.example/REDACTED","nextExpectedRanges":["0-"]}',
  ],
  [
    '{"@microsoft.graph.downloadUrl": "https:\\/\\/dl.example:8\\/dl\\/abc", "id":1}',
    '{"@microsoft.graph.downloadUrl": "https:\\/\\/dl.example:8/REDACTED", "id":1}',
  ],
  ['{"webUrl":"https://drive.example/file"}', '{"webUrl":"https://drive.example/file"}'],
  ['{"a":{"token":{"x":["]"]},"b":1},"c":2}', '{"a":{"token":"REDACTED","b":1},"c":2}'],
  [`{"token":{"access_token":"x","nested":{"x":"}${S}"}}}`, '{"token":"REDACTED"}'],
  [`{"password":"${S}`, '{"password":"REDACTED"'],
  ['client_assertion=abc&x=1', 'client_assertion=REDACTED&x=1'],
  ['grant_type=device&device_code=abc', 'grant_type=device&device_code=REDACTED'],
  [
    `<SecretAccessKey>${S}</SecretAccessKey><a>b</a>`,
    '<SecretAccessKey>REDACTED</SecretAccessKey><a>b</a>',
  ],
  ['what a file holds: password: x', 'what a file holds: password: x'],
])('bodies: %s', (body, shown) => {
  expect(shownBody(body)).toBe(shown);
});
