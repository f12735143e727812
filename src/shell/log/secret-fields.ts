/** Replaces a secret. */
export const REDACTED = 'REDACTED';

/** Called with each secret that is found. */
export type OnSecret = (secret: string) => void;

/** Names of options, flags, variables and keys whose values are secrets. */
const SECRET_NAME =
  /secret|token$|tokens$|passw(?:or)?d\d*s?$|passphrase$|customer[-_]key(?:[-_]base64)?$|signature$|credentials?$|(?:^|[-_.])(?:pass|pwd|assertion|authorization|session[-_]id|connection[-_]string|(?:auth|api|private|account|master|library|private[-_]access|azure(?:blob|files)|b2|filelu|swift)[-_]?key|cookies|key[-_]pem|sas[-_]url)$/i;

/** Flags whose names only resemble those. */
const HARMLESS_NAME = /ask[-_]password$|use[-_]cookies$/i;
/** Names in queries and forms, besides those above. */
const SECRET_PARAMETER = /^(?:code|sig|auth|jwt|authkey|tempauth|device_code|code_verifier)$/i;

const LOGIN_HEADER =
  /^(?:set-cookie|cookie|(?:proxy-)?authorization|[\w-]*(?:api-?key|customer-key|secret|token|auth(?!enticate|or)|passw|credential|signature)[\w-]*)$/i;

/** Whether an option of a remote is a secret: `key` is one, though elsewhere it is the name of an object. */
export const isSecretOption = (name: string): boolean => name === 'key' || isSecretName(name);

/** Whether a name is that of a secret: an option, a flag, a variable, a key of JSON. */
export function isSecretName(name: string): boolean {
  return SECRET_NAME.test(name) && !HARMLESS_NAME.test(name);
}

/** The part before the last `@`; a slash in it is a mistake, except after a port. */
const URL_PASSWORD = /(\w+:\/\/[^\s/:@]*:)((?!\d*[/?#])[^\s"'<>]+)@/g;
/** A user without a password may be a token. */
const URL_USER = /(\bhttps?:\/\/)([^\s/:@"'<>]+)@/g;
const PARAMETER = /([?&])([\w.~%-]+)=([^&\s"'<>#]*)/g;

/** A URL without its secrets: a password, a user alone, parameters that sign or log in. */
export function withoutUrlSecrets(text: string, onSecret: OnSecret = () => {}): string {
  if (!text.includes('://')) return text;
  return withoutParameters(
    text
      .replace(URL_PASSWORD, (_, front: string, secret: string) => {
        onSecret(secret);
        return `${front}${REDACTED}@`;
      })
      .replace(URL_USER, (_, front: string, secret: string) => {
        if (secret !== REDACTED) onSecret(secret);
        return `${front}${REDACTED}@`;
      }),
    onSecret,
  );
}

/** A query, or the target of a request, without the values that sign or log in. */
function withoutParameters(text: string, onSecret: OnSecret = () => {}): string {
  return text.replace(PARAMETER, (all, mark: string, name: string, value: string) => {
    if (value === '' || !(isSecretName(name) || SECRET_PARAMETER.test(name))) return all;
    onSecret(value);
    return `${mark}${name}=${REDACTED}`;
  });
}

/** The head of a request or a response without credentials: by the names of headers, and in its target. */
export function shownHead(head: string, onSecret: OnSecret = () => {}): string {
  return head.replace(/^[^\r\n]+/gm, (line) => {
    const [, name = '', value = ''] = /^([\w-]+):[ \t]*(.*)$/.exec(line) ?? [];
    if (name === '') return withoutParameters(line);
    if (LOGIN_HEADER.test(name)) {
      onSecret(value);
      return `${name}: ${REDACTED}`;
    }
    return name.toLowerCase() === 'location' ? `${name}: ${originOf(value)}` : line;
  });
}

/** The body of a request or a response without credentials, by the keys of JSON, forms and XML. */
export function shownBody(body: string): string {
  if (/^\s*[{[]/.test(body)) return shownJson(body);
  if (/^\s*</.test(body)) return body.replace(XML_VALUE, `$1${REDACTED}`);
  return /^[\w.-]+=/.test(body) ? withoutParameters(`&${body}`).slice(1) : body;
}

const XML_VALUE =
  /(<(?:\w+:)?(?:SecretAccessKey|SessionToken|SecurityToken|Password|SignatureProvided)>)[^<]+/gi;

/** A key of JSON, up to its value. */
const JSON_KEY = /"((?:[^"\\]|\\.)*)"\s*:\s*/g;
const JSON_STRING = /"(?:[^"\\]|\\.)*"?/y;
const JSON_WORD = /[^\s,}\]]*/y;

/** JSON, which may be truncated, without the values of secret keys, and of open URLs only the host. */
export function shownJson(text: string, onSecret: OnSecret = () => {}): string {
  let [shown, from] = ['', 0];
  for (const { 0: key, 1: name = '', index } of text.matchAll(JSON_KEY)) {
    if (index < from) continue;
    const start = index + key.length;
    const isUrl = /(?:upload|download)Url$/.test(name);
    if (!isUrl && !isSecretName(name) && !SECRET_PARAMETER.test(name)) continue;
    const end = endOfJson(text, start);
    const value = text.slice(start, end);
    if (/^(?:null|true|false)$/.test(value)) continue;
    const plain = value.replace(/^"|"$/g, '');
    if (!isUrl) onSecret(plain);
    shown += text.slice(from, start) + (isUrl ? `"${originOf(plain)}"` : `"${REDACTED}"`);
    from = end;
  }
  return shown + text.slice(from);
}

/** The end of the value at `start`; the end of a truncated text. */
function endOfJson(text: string, start: number): number {
  const first = text[start];
  if (first !== '{' && first !== '[') {
    const value = first === '"' ? JSON_STRING : JSON_WORD;
    value.lastIndex = start;
    value.exec(text);
    return value.lastIndex;
  }
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    const char = text[at];
    if (char === '"') {
      JSON_STRING.lastIndex = at;
      JSON_STRING.exec(text);
      at = JSON_STRING.lastIndex - 1;
    } else if (char === '{' || char === '[') depth++;
    else if ((char === '}' || char === ']') && --depth === 0) return at + 1;
  }
  return text.length;
}

/** A URL that needs no login: only its origin is shown. */
function originOf(url: string): string {
  const [origin] = /^https?:\\?\/\\?\/[^\s/"'\\]+/.exec(url) ?? [];
  return origin === undefined ? url : `${origin}/${REDACTED}`;
}
