/**
 * A text without the secrets that could stand in it: values of keys and flags whose names speak of secrets,
 * passwords, tokens or signatures, and credentials in headers and URLs. Log lines pass through it.
 */
export function redactSecrets(text: string): string {
  return withoutNested(text)
    .replace(QUOTED_FLAG, '$1REDACTED')
    .replace(ACCESS_KEY_PAIR, '$1REDACTED')
    .replace(NAMED_VALUE, '$1REDACTED')
    .replace(SHORT_NAMED_VALUE, '$1REDACTED')
    .replace(XML_VALUE, '$1REDACTED')
    .replace(AUTHORIZATION, '$1REDACTED')
    .replace(URL_PASSWORD, '$1REDACTED@')
    .replace(URL_USER, '$1REDACTED@')
    .replace(IN_QUERY, '$1REDACTED')
    .replace(OPEN_URL, '$1/REDACTED');
}

/**
 * The head of a request or an answer without the values of headers that log in: cookies, keys of programs, secrets.
 * Not for other lines of the log, which may begin with the name of any file.
 */
export function redactHeaders(head: string): string {
  return head.replace(LOGIN_HEADER, '$1REDACTED');
}

const LOGIN_HEADER =
  /^((?:set-cookie|cookie|[\w-]*(?:api-?key|customer-key|secret|token|auth(?!enticate)|passw|credential|signature)[\w-]*):[ \t]*)[^\r\n]+/gim;

const SECRET_NAMES =
  'secret[-_]?access[-_]?key|session[-_]?token|client[-_]?secret|access[-_]?token|refresh[-_]?token|' +
  'sse[-_]customer[-_]key(?:[-_]base64)?|x-amz-signature|x-amz-security-token|x-amz-credential|signature|' +
  'client[-_]?assertion|password\\d*|passwd|passphrase|rc-pass|token';

/** Names that are words of sentences, too: secrets only where a value is set, or in quotes. */
const SHORT_NAMES =
  '(?<![a-z0-9])(?:pass|pwd|secret[\\w-]{0,30}|api[-_]?key|private[-_]?key|account[-_]?key|key[-_]pem|sas[-_]url|assertion)';

/** A word of the command line as it is logged: `"--name=value"`. */
const QUOTED_FLAG = new RegExp(
  String.raw`("--[\w-]*(?:${SECRET_NAMES}|${SHORT_NAMES})=)(?:[^"\\]|\\.)*`,
  'gi',
);

/** Between a name and its value: `=`, `:`, or the end of one quoted word and the beginning of the next. */
const SEPARATOR = String.raw`(?:(?:\\*["'])?\s*[=:]\s*|\\*["']\s+(?=["']))`;

const DEEPLY_QUOTED = String.raw`(?<q>\\+"|"{2,}(?=[^\s",:;)\]}]))(?:\k<q>\k<q>|(?!\k<q>).)*\k<q>`;
/**
 * A value in quotes, escaped or doubled quotes or none; without any it ends where `end` begins. Within quotes a quote is
 * escaped (JSON) or doubled (`:s3,secret_access_key="a""b":`).
 */
const valueUpTo = (end: string) =>
  `(?:${DEEPLY_QUOTED}|\\\\+"[^"]*|"(?:[^"\\\\]|\\\\.|"")*"|'(?:[^']|'')*'|[^\\s"'${end}]+)`;

/**
 * How a message goes on after the name of an option, a field or a file: `option token: it must …`. Such a word before
 * more words is no value: behind a name and a colon in a sentence everything else is taken for one.
 */
const PROSE_WORDS =
  'an?|the|this|that|its?|is|are|was|were|must|may|can|cannot|could|has|have|had|needs?|no|not|none|nothing|nobody|' +
  'only|one|two|other|there|what|which|where|who|why|when|how|exists|line|file|directory|object|permission|input|' +
  'unknown|expected|wrong|invalid|missing|give|use|set|see|checking|transferring';

/** Not where a sentence goes on. A line of headers (`X-Auth-Token: …`) is none, whatever its value. */
const NO_PROSE = String.raw`(?!(?<!(?:^|["'])[\w]+(?:-[\w]+)+:\s+)(?<=:\s+)(?:${PROSE_WORDS})\s+\S)`;

const NAMED_VALUE = new RegExp(
  `((?:${SECRET_NAMES})${SEPARATOR})${NO_PROSE}${valueUpTo(',;&:)\\]}')}`,
  'gim',
);
const SHORT_NAMED_VALUE = new RegExp(
  `((?:${SHORT_NAMES})(?:=|\\\\*["']\\s*[=:]\\s*(?=[\\\\"'])|\\\\*"\\s+(?=[\\\\"])))${valueUpTo(',;&:)\\]}')}`,
  'gim',
);
const XML_VALUE =
  /(<(?:\w+:)?(?:SecretAccessKey|SessionToken|SecurityToken|Password|SignatureProvided)>)[^<]+/gi;
/** The value of `--auth-key`: `id,secret`. */
const ACCESS_KEY_PAIR = new RegExp(`(auth[-_]key${SEPARATOR})${valueUpTo(';)\\]}')}`, 'gi');
const AUTHORIZATION = /(authorization["']?\s*[:=]\s*["']?)[^"'\r\n]+/gi;
/** What makes a URL or a form of a login one that anybody could use. */
const IN_QUERY =
  /(\b(?:tempauth|device_code|code_verifier)=|[?&](?:code|sig|authkey)=|"device_code"\s*:\s*")[^&\s"'\\]+/gi;
/** What stands before the last `@`; a slash in it is a mistake, but for that behind a port. */
const URL_PASSWORD = /(\w+:\/\/[^\s/:@]*:)(?!\d*[/?#])[^\s"'<>]+@/g;
/** A user without a password may be a token. */
const URL_USER = /(\bhttps?:\/\/)[^\s/:@"'<>]+@/g;
/**
 * URLs that need no login, with which anybody could read or write: only where they lead is shown. Drives tell them in
 * bodies, and in the header `location`, whose path is left out whatever it is.
 */
const OPEN_URL =
  /((?:\b(?:uploadUrl|downloadUrl)"\s*:\s*"|^location:\s*)https?:\\?\/\\?\/[^\s/"'\\]+)[^\s"']+/gim;

const NESTED = new RegExp(`(?:${SECRET_NAMES}|${SHORT_NAMES})s?\\\\*"\\s*:\\s*(?=[{[])`, 'gi');

/** JSON without the objects and lists that stand under the name of a secret, however deep they go. */
function withoutNested(text: string): string {
  let [shown, from] = ['', 0];
  for (const { 0: name, index } of text.matchAll(NESTED)) {
    if (index < from) continue;
    const start = index + name.length;
    shown += `${text.slice(from, start)}REDACTED`;
    from = endOfJson(text, start);
  }
  return shown + text.slice(from);
}

/** Where the object or list at `start` ends; the end of the text where it was cut. */
function endOfJson(text: string, start: number): number {
  let [depth, quoted] = [0, false];
  for (let at = start; at < text.length; at++) {
    const c = text[at];
    if (c === '"' && text[at - 1] !== '\\') quoted = !quoted;
    else if (!quoted && (c === '{' || c === '[')) depth++;
    else if (!quoted && (c === '}' || c === ']') && --depth === 0) return at + 1;
  }
  return text.length;
}
