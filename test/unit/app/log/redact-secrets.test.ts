import { expect, test } from 'vitest';
import { redactHeaders, redactSecrets } from '../../../../src/app/log/redact-secrets.ts';

test.each([
  ['secret_access_key=SEcret/1+x', 'secret_access_key=REDACTED'],
  ['secret_access_key = SEcret/1+x', 'secret_access_key = REDACTED'],
  [':s3,secret_access_key=SEcret,endpoint=h:b', ':s3,secret_access_key=REDACTED,endpoint=h:b'],
  [':s3,secret_access_key="SE,cr:et",env=1:b', ':s3,secret_access_key=REDACTED,env=1:b'],
  ["session_token='SE,cr et' rest", 'session_token=REDACTED rest'],
  ['{"client_secret":"SE c\\"r,et","a":1}', '{"client_secret":REDACTED,"a":1}'],
  ['https://h/b?X-Amz-Signature=abcdef&a=1', 'https://h/b?X-Amz-Signature=REDACTED&a=1'],
  ['https://user:pass@h/', 'https://user:REDACTED@h/'],
  ['Authorization: AWS4 Credential=a, Signature=b', 'Authorization: REDACTED'],
  ['--sse-customer-key-base64=a+b/c==', '--sse-customer-key-base64=REDACTED'],
  ['--auth-key=my-id,my-secret rest', '--auth-key=REDACTED rest'],
  ['PUT /up/1?tempauth=eyJ.x&a=1 HTTP/1.1', 'PUT /up/1?tempauth=REDACTED&a=1 HTTP/1.1'],
  ['GET /?code=M.abc-1&state=2', 'GET /?code=REDACTED&state=2'],
  ['device_code=abc&client_id=1', 'device_code=REDACTED&client_id=1'],
  ['{"device_code":"abc","interval":5}', '{"device_code":"REDACTED","interval":5}'],
  ['{"refresh_token":"abc","expires_in":5}', '{"refresh_token":REDACTED,"expires_in":5}'],
  [
    '{"uploadUrl":"https://up.example/up/abc?x=1","nextExpectedRanges":["0-"]}',
    '{"uploadUrl":"https://up.example/REDACTED","nextExpectedRanges":["0-"]}',
  ],
  [
    '"@microsoft.graph.downloadUrl": "https:\\/\\/dl.example:8\\/dl\\/abc", "id"',
    '"@microsoft.graph.downloadUrl": "https:\\/\\/dl.example:8/REDACTED", "id"',
  ],
  [
    'HTTP/1.1 302\r\nlocation: https://dl.example/dl/abc\r\nserver: x',
    'HTTP/1.1 302\r\nlocation: https://dl.example/REDACTED\r\nserver: x',
  ],
])('%s', (text, redacted) => {
  expect(redactSecrets(text)).toBe(redacted);
});

test.each([
  [['--s3-secret-access-key', 'XX Y"YZ']],
  [['--s3-secret-access-key=XX:YY,ZZ Z']],
  [['--auth-key', 'id,XXYYZZ']],
  [['--auth-key=id,XXYYZZ']],
  [[':s3,secret_access_key="XX,YY:ZZ":bucket']],
  [[":s3,session_token='XX,YY ZZ':bucket"]],
  [['--s3-sse-customer-key', 'XXYYZZ']],
  [['--header', 'Authorization: Bearer XXYYZZ']],
])('parameters as they are logged: %j', (words) => {
  const logged = words.map((word) => JSON.stringify(word)).join(' ');
  const redacted = redactSecrets(`starting with parameters ["syncer" ${logged} "last"]`);
  expect(redacted).toContain('REDACTED');
  expect(redacted).not.toMatch(/XX|YY|ZZ/);
  expect(redacted).toContain('"last"]');
});

test.each([
  ['token: XXYY is of no use', 'token: REDACTED is of no use'],
  ['password: XXYY', 'password: REDACTED'],
  ['password: the', 'password: REDACTED'],
  ['password:the rest', 'password:REDACTED rest'],
  ['token = it is', 'token = REDACTED is'],
  ['token="it is"', 'token=REDACTED'],
  ['{"token": "it must be"}', '{"token": REDACTED}'],
  ['X-Auth-Token: no body', 'X-Auth-Token: REDACTED body'],
  [
    'GET / HTTP/1.1\r\nX-Amz-Security-Token: no body\r\n',
    'GET / HTTP/1.1\r\nX-Amz-Security-Token: REDACTED body\r\n',
  ],
  ['"--header" "X-Auth-Token: a b"', '"--header" "X-Auth-Token: REDACTED b"'],
])('a value stays hidden, whatever it reads like: %s', (text, redacted) => {
  expect(redactSecrets(text)).toBe(redacted);
});

test('what only speaks of secrets stays', () => {
  for (const text of [
    'remote "s3": option sse_customer_key: must have 32 bytes, not 5',
    "cannot read /etc/passwd: it is no scan in ncdu's format",
    'config_token: it must begin with "{"',
    'value of url "token": it is not what the rule wants',
    'dir/token: directory not found',
    'token: is a file, not a directory',
    '{"webUrl":"https://drive.example/file"}',
    'ended with exit code=1',
    'option secret_access_key is missing although access_key_id is set',
    'check access_key_id and secret_access_key',
    'remote "a" lacks "password", "user"',
    'token expired',
  ]) {
    expect(redactSecrets(text)).toBe(text);
  }
});

test.each([
  [
    'GET / HTTP/1.1\r\nCookie: a=V; b=W\r\nhost: h',
    'GET / HTTP/1.1\r\nCookie: REDACTED\r\nhost: h',
  ],
  ['set-cookie: a=V; Path=/', 'set-cookie: REDACTED'],
  ['X-Api-Key: V', 'X-Api-Key: REDACTED'],
  ['apikey: V w', 'apikey: REDACTED'],
  ['X-My-Secret-Id: V w', 'X-My-Secret-Id: REDACTED'],
  ['content-type: text/plain', 'content-type: text/plain'],
])('the head %j', (head, redacted) => {
  expect(redactHeaders(head)).toBe(redacted);
});

test('a file may have the name of a header', () => {
  expect(redactSecrets('cookie: Copied (new)')).toBe('cookie: Copied (new)');
});

const S = 'S3cr3tZZ';
test.each([
  `https://${S}@h/`,
  `https://user:p@${S}@h/x`,
  `http://user:${S}/x@proxy:8080`,
  `client_assertion=${S}&x=1`,
  `{"password":{"value":"${S}"},"a":1}`,
  `{"a":[{"passwords":["x",{"y":"${S}"}]}]}`,
  `{"token":{"access_token":"x","nested":{"x":"}${S}"}}}`,
  `{"secret":"${S}"}`,
  `{"api_key":"${S}","apikey": "${S}"}`,
  `{"private_key":"-----BEGIN\\n${S}\\n"}`,
  `{\\"password\\":\\"${S}\\"}`,
  `:s3,access_key_id=x,secret_access_key="a""${S}":b`,
  `:s3,secret_access_key='a''${S}':b`,
  `:alias,remote=":s3,secret_access_key=""${S}"":b":`,
  `:s3,secret_acces_key=${S}:b`,
  `:sftp,pass=${S}:x`,
  `:sftp,key_pem='${S} ${S}':x`,
  `:crypt,password2=${S}:`,
  `"--sftp-pass" "${S}"`,
  `"--sftp-pass=${S} ${S}"`,
  `"--s3-secret-acces-key=${S}"`,
  `RCLONE_CONFIG_PASS=${S}`,
  `<SecretAccessKey>${S}</SecretAccessKey><SessionToken>${S}</SessionToken>`,
])('nothing of %s is told', (text) => {
  expect(redactSecrets(text)).toContain('REDACTED');
  expect(redactSecrets(text)).not.toContain(S);
  expect(redactSecrets(JSON.stringify([text, 'last']))).not.toContain(S);
});

test('a word of the command line with a quote that is open', () => {
  const word = JSON.stringify(`:s3,secret_access_key="${S}:b`);
  expect(redactSecrets(`"syncer" ${word} "last"`)).not.toContain(S);
});

test('what stands beside a nested secret stays', () => {
  expect(redactSecrets('{"a":{"token":{"x":["]"]},"b":1},"c":2}')).toBe(
    '{"a":{"token":REDACTED,"b":1},"c":2}',
  );
  expect(redactSecrets('see https://h:8080/a@b and https://h/c@d, pass: fail')).toBe(
    'see https://h:8080/a@b and https://h/c@d, pass: fail',
  );
});

test.each(['x-amz-server-side-encryption-customer-key', 'x-own-token', 'x-auth', 'x-password'])(
  'the value of the header %s is not told',
  (name) => {
    expect(redactHeaders(`${name}: a ${S}\r\nhost: h`)).toBe(`${name}: REDACTED\r\nhost: h`);
  },
);

test('a challenge is no secret', () => {
  expect(redactHeaders('www-authenticate: Bearer realm=x')).toContain('Bearer');
});
