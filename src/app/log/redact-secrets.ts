/**
 * A text without the secrets that could stand in it: values of keys and flags whose names speak of secrets,
 * passwords, tokens or signatures, and credentials in headers and URLs. Log lines pass through it.
 */
export function redactSecrets(text: string): string {
  return text
    .replace(QUOTED_FLAG, '$1REDACTED')
    .replace(ACCESS_KEY_PAIR, '$1REDACTED')
    .replace(NAMED_VALUE, '$1REDACTED')
    .replace(AUTHORIZATION, '$1REDACTED')
    .replace(URL_PASSWORD, '$1REDACTED@')
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
  /^((?:set-cookie|cookie|(?:x-)?api-?key|[\w-]*secret[\w-]*):[ \t]*)[^\r\n]+/gim;

const SECRET_NAMES =
  'secret[-_]?access[-_]?key|session[-_]?token|client[-_]?secret|access[-_]?token|refresh[-_]?token|' +
  'sse[-_]customer[-_]key(?:[-_]base64)?|x-amz-signature|x-amz-security-token|x-amz-credential|signature|' +
  'password|passwd|rc-pass|token';

/** A word of the command line as it is logged: `"--name=value"`. */
const QUOTED_FLAG = new RegExp(String.raw`("--[\w-]*(?:${SECRET_NAMES})=)(?:[^"\\]|\\.)*`, 'gi');

/** Between a name and its value: `=`, `:`, or the end of one quoted word and the beginning of the next. */
const SEPARATOR = String.raw`(?:(?:\\?["'])?\s*[=:]\s*|\\?["']\s+(?=["']))`;

/** A value in quotes, escaped quotes or none; without any it ends where `end` begins. */
const valueUpTo = (end: string) =>
  String.raw`(?:\\"(?:(?!\\").)*\\"|"(?:[^"\\]|\\.)*"|'[^']*'|[^\s"'${end}]+)`;

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
/** The value of `--auth-key`: `id,secret`. */
const ACCESS_KEY_PAIR = new RegExp(`(auth[-_]key${SEPARATOR})${valueUpTo(';)\\]}')}`, 'gi');
const AUTHORIZATION = /(authorization["']?\s*[:=]\s*["']?)[^"'\r\n]+/gi;
/** What makes a URL or a form of a login one that anybody could use. */
const IN_QUERY =
  /(\b(?:tempauth|device_code|code_verifier)=|[?&](?:code|sig|authkey)=|"device_code"\s*:\s*")[^&\s"'\\]+/gi;
const URL_PASSWORD = /(\w+:\/\/[^\s/:@]*:)[^\s/@]+@/g;
/**
 * URLs that need no login, with which anybody could read or write: only where they lead is shown. Drives tell them in
 * bodies, and in the header `location`, whose path is left out whatever it is.
 */
const OPEN_URL =
  /((?:\b(?:uploadUrl|downloadUrl)"\s*:\s*"|^location:\s*)https?:\\?\/\\?\/[^\s/"'\\]+)[^\s"']+/gim;
