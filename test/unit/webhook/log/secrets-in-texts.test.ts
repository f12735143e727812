import { expect, test } from 'vitest';
import { redactor } from '../../../../src/webhook/log/redact.ts';

/** Hides the secrets of a request with a payload and a body. */
function redactorOf(payload: Map<string, string>, body: string) {
  const head = { method: 'POST', remoteAddress: '127.0.0.1:1', query: new Map() };
  return redactor(undefined, { ...head, headers: new Map(), payload, body: Buffer.from(body) });
}

const LINES = `${'SECRET77'.repeat(8)}\n${'SECRET78'.repeat(3)}\n`;

test.each([
  ['in PEM', `RSA PRIVATE KEY-----\n${LINES}`],
  [
    'with a password',
    `RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,01AB\n\n${LINES}`,
  ],
  [
    'of OpenPGP',
    `PGP PRIVATE KEY BLOCK-----\nVersion: GnuPG v2\nComment: a-b - c\n\n${LINES}=ab12\n`,
  ],
])('a private key %s is hidden under whatever name', (_, content) => {
  const key = `-----BEGIN ${content}-----END`;
  for (const pem of [key, key.replaceAll('\n', '\r\n')]) {
    const json = JSON.stringify({ key: pem });
    const none = redactorOf(new Map(), '');
    const both = redactorOf(new Map([['key', pem]]), json);
    for (const text of [pem, json, JSON.stringify(json)]) {
      expect(none(text)).not.toMatch(/SECRET7[78]/);
      expect(both(text)).not.toMatch(/SECRET7[78]/);
    }
    expect(both('indented:\n  SECRET78SECRET78SECRET78')).toBe('indented:\n  ***');
    expect(both('Proc-Type: 4,ENCRYPTED')).toBe('Proc-Type: 4,ENCRYPTED');
  }
});

test.each([
  ['{"url":"https:\\/\\/user:SECRET77@host"', '{"url":"https:\\/\\/user:***@host"'],
  ['"https://x/c?sv=1\\u0026sig=SECRET77\\u0026a=1', '"https://x/c?sv=1\\u0026sig=***\\u0026a=1'],
  ['"a\\npw=SECRET77"', '"a\\npw=***"'],
  ['\\u003cpw\\u003eSECRET77\\u003c/pw\\u003e', '\\u003cpw\\u003e***\\u003c/pw\\u003e'],
  ['\\u003cpw\\u003eSECRET77\\u003c\\/pw\\u003e a', '\\u003cpw\\u003e***\\u003c\\/pw\\u003e a'],
  ['&lt;pw a="1"&gt;SECRET77&lt;/pw&gt; a', '&lt;pw a="1"&gt;***&lt;/pw&gt; a'],
  ['<pw><pws></pws>SECRET77</pw> a', '<pw>***</pw> a'],
  [`https://aws:${'SECRET77'.repeat(100)}@host/`, 'https://aws:***@host/'],
  ['https://SECRET77:x-oauth-basic@host', 'https://***:x-oauth-basic@host'],
  ['"token_url": "https://user:SECRET77@host"', '"token_url": "https://user:***@host"'],
])('secrets of a text that is no whole JSON are hidden: %s', (body, shown) => {
  expect(redactorOf(new Map(), '')(body)).toBe(shown);
});
