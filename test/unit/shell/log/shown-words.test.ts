import { expect, test } from 'vitest';
import { shownWords } from '../../../../src/shell/log/shown-words.ts';

test.each([
  [
    ['--header', 'Cookie: a=V'],
    ['--header', 'Cookie: REDACTED'],
  ],
  [['--header=X-Api-Key: V'], ['--header=X-Api-Key: REDACTED']],
  [
    ['--header', 'apikey:V'],
    ['--header', 'apikey: REDACTED'],
  ],
  [
    ['--header', 'V'],
    ['--header', 'REDACTED'],
  ],
  [
    ['--header-upload', 'X-Any: V: w'],
    ['--header-upload', 'X-Any: REDACTED'],
  ],
  [['--header-download=X-Any: V\nw'], ['--header-download=X-Any: REDACTED']],
  [['--header_upload=X-Any: V'], ['--header_upload=X-Any: REDACTED']],
  [
    ['--password-command', 'pass V'],
    ['--password-command', 'REDACTED'],
  ],
  [['--password-command=pass V'], ['--password-command=REDACTED']],
  [
    ['--s3-secret-access-key', 'XX Y"Y'],
    ['--s3-secret-access-key', 'REDACTED'],
  ],
  [['--s3-secret-acces-key=XX:YY,ZZ'], ['--s3-secret-acces-key=REDACTED']],
  [['--auth-key=id,V'], ['--auth-key=REDACTED']],
  [
    [':s3,access_key_id=x,secret_access_key="a""V":b'],
    [':s3,access_key_id=x,secret_access_key=REDACTED:b'],
  ],
  [[":s3,session_token='V,V V':b"], [':s3,session_token=REDACTED:b']],
  [[':s3,secret_access_key="V:b'], [':s3,secret_access_key=REDACTED']],
  [
    [':alias,remote=":s3,secret_access_key=""V"":b":'],
    [':alias,remote=":s3,secret_access_key=REDACTED:b":'],
  ],
  [['remote,secret_access_key=V:b'], ['remote,secret_access_key=REDACTED:b']],
  [[':b2,account=x,key=V:b'], [':b2,account=x,key=REDACTED:b']],
  [
    [':crypt,remote=":mega,session_id=V:",password=V:'],
    [':crypt,remote=":mega,session_id=REDACTED:",password=REDACTED:'],
  ],
  [
    ['s3:key=1/a', 'key=1/b'],
    ['s3:key=1/a', 'key=1/b'],
  ],
  [['https://u:V@h/x?sig=V&a=1'], ['https://u:REDACTED@h/x?sig=REDACTED&a=1']],
  [['--http-proxy=http://u:V@h'], ['--http-proxy=http://u:REDACTED@h']],
  [['--ping-url=https://hc.io/V-1'], ['--ping-url=https://hc.io/REDACTED']],
  [
    ['--ping-url', 'http://u:V@hc.io:8000/ping/V?x=V'],
    ['--ping-url', 'http://u:REDACTED@hc.io:8000/REDACTED'],
  ],
  [['--ping-url=https://hc.io'], ['--ping-url=https://hc.io/']],
  [['--ping-url=V'], ['--ping-url=REDACTED']],
  [
    ['--on-failure', "curl -d @- 'https://hooks.slack.com/services/V/V'"],
    ['--on-failure', "curl -d @- 'https://hooks.slack.com/REDACTED'"],
  ],
  [
    ["--on-success=curl -H 'Authorization: Bearer V' -H 'Accept: a/b' https://h/V | mail me"],
    [
      "--on-success=curl -H 'Authorization: REDACTED' -H 'Accept: a/b' https://h/REDACTED | mail me",
    ],
  ],
  [
    ['https://h/f?auth=V&jwt=V&X-Amz-Signature=V&X-Amz-Credential=V'],
    ['https://h/f?auth=REDACTED&jwt=REDACTED&X-Amz-Signature=REDACTED&X-Amz-Credential=REDACTED'],
  ],
  [
    ['--metadata-set', 'see=https://u:V@h/'],
    ['--metadata-set', 'see=https://u:REDACTED@h/'],
  ],
  [
    ['config', 'create', 'r', 's3', 'secret_access_key', 'V', 'region', 'eu'],
    ['config', 'create', 'r', 's3', 'secret_access_key', 'REDACTED', 'region', 'eu'],
  ],
  [
    ['config', 'create', 'r', 'b2', 'account=x', 'key=V'],
    ['config', 'create', 'r', 'b2', 'account=x', 'key=REDACTED'],
  ],
  [
    ['config', 'create', 'r', 's3', 'secret_access_key=V'],
    ['config', 'create', 'r', 's3', 'secret_access_key=REDACTED'],
  ],
])('%j', (words, shown) => {
  expect(shownWords(['copy', ...words, 'last'])).toEqual(['copy', ...shown, 'last']);
});

test.each([
  [['--header', 'Content-Type: text/plain']],
  [['--header-upload=cache-control: no-cache']],
  [['--include', 'Cookie: a', '--transfers=4']],
  [['--on-change', 'touch done; echo "ok: 1" > /tmp/x']],
  [['token', 'b:', '--ask-password', 'c:']],
  [['dir/token: a', 'password: the', 's3:b/secret=x', 'https://h:8080/a@b']],
])('%j is shown as it is', (words) => {
  expect(shownWords(words)).toEqual(words);
});
