/**
 * A text without the secrets that could stand in it: values of keys and flags whose names speak of secrets,
 * passwords, tokens or signatures, and credentials in headers and URLs. Log lines pass through it.
 */
export function redactSecrets(text: string): string {
  return text
    .replace(NAMED_VALUE, (_, name: string, quote: string) => `${name}${quote}REDACTED${quote}`)
    .replace(AUTHORIZATION, '$1REDACTED')
    .replace(URL_PASSWORD, '$1REDACTED@');
}

const SECRET_NAMES =
  'secret[-_]?access[-_]?key|session[-_]?token|client[-_]?secret|access[-_]?token|refresh[-_]?token|' +
  'x-amz-signature|x-amz-security-token|x-amz-credential|signature|password|passwd|token|auth[-_]key';

const NAMED_VALUE = new RegExp(
  String.raw`((?:${SECRET_NAMES})["']?\s*[=:]\s*)(["']?)[^\s"',;&:)\]}]+\2`,
  'gi',
);
const AUTHORIZATION = /(authorization["']?\s*[:=]\s*["']?)[^"'\r\n]+/gi;
const URL_PASSWORD = /(\w+:\/\/[^\s/:@]*:)[^\s/@]+@/g;
