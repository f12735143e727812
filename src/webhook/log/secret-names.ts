/** What a key is of that is a secret: `api_key`, `sshkey`. */
const KEYS =
  'access|account|aes|api|auth|client|deploy|(?:en|de)?cryption|encrypt|gpg|hmac|licen[cs]e|master|pass|pgp|private|priv|rsa|secret|security|service|session|shared|sign|signing|ssh|ssl|storage|subscription|tls|webhook';

/** What makes a name that of a secret, as a whole word of it or as several. */
const SECRET = [
  // Also at the end of a word: `accesstoken`, `phpsessid`.
  '[^_]*(?:tokens?|secrets?|passw(?:or)?ds?|passphrases?|passcodes?|pwds?|credentials?|cookies?|signatures?|auth(?:ori[sz]|entic)ation|apikeys?|sess(?:ion)?_?ids?)',
  '(?:token|secret|passw(?:or)?d)(?:confirm(?:ation)?|hash|ids?|text|values?)',
  '(?:[^_]*)hmac[^_]*',
  '(?:admin|db|ftp|key|ldap|login|mail|my|mysql|pg|proxy|redis|root|smtp|sudo|user)?pass',
  'o?auth|bearer|creds?|jwt|pin|pw|sid|sig|t?otp|auth_?code|access_?code',
  `(?:${KEYS})_?keys?`,
  'conn(?:ection)?_?str(?:ing)?s?',
];
const SECRET_NAME = new RegExp(`^pat$|(?:^|_)session$|(?:^|_)(?:${SECRET.join('|')})(?:_|$)`);

/** What is said of a secret and is none: `token_type`, `max_tokens`. */
const HARMLESS =
  /_(?:algorithm|algo?|count|endpoint|expires|expiry|length|limit|method|policy|size|status|ttl|type)s?$|(?:^|_)(?:cached|completion|input|max|min|num|output|prompt|total)(?:_[^_]+)?_tokens$|(?:^|_)(?:tokens?|credentials?|o?auth|auth(?:ori[sz]|entic)ation)_ur[il]$|_last_used$|(?:^|_)tokens_(?:used|details|per_[^_]+)$|(?:^|_)secret_name$/;

const CAMEL = /(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/;
/** A longer name is taken for that of a secret: to look at it would take too long. */
const LONGEST_NAME = 1000;
const BETWEEN_WORDS = /[^\p{L}\p{N}]+/u;
/** Variables of every shell: directories. */
const WORKING_DIRECTORY = /^(?:OLD)?PWD$/;

/** Whether the value of a parameter, a header or a field of this name is a secret. */
export function isSecretName(name: string): boolean {
  if (name.length > LONGEST_NAME) return true;
  if (WORKING_DIRECTORY.test(name)) return false;
  const words = name.split(BETWEEN_WORDS).flatMap((part) => part.split(CAMEL));
  const bare = words
    .map((word) => word.toLowerCase().replace(/(?<!\d)\d+$/, ''))
    .join('_')
    .replace(/^_|_$/g, '');
  return SECRET_NAME.test(bare) && !HARMLESS.test(bare);
}
