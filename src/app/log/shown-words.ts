/** Flags whose value is a header, `Name: value`. */
const HEADER_FLAGS = ['--header', '--header-upload', '--header-download'];

/** Flags whose value is secret whatever it is. */
const SECRET_FLAGS = ['--password-command'];

/** Headers that say nothing of who may do what. */
const HARMLESS_HEADERS = new Set([
  'accept',
  'accept-encoding',
  'accept-language',
  'cache-control',
  'content-disposition',
  'content-encoding',
  'content-language',
  'content-type',
  'expires',
  'if-match',
  'if-modified-since',
  'if-none-match',
  'if-unmodified-since',
  'pragma',
  'range',
  'user-agent',
  'x-amz-acl',
  'x-amz-storage-class',
]);

/**
 * The words of a command line as they may be logged and kept: of headers only the names, but for those that are known
 * to hold no secret, and nothing of a command that gives a password. What is secret by its own name
 * (`redactSecrets`) is not looked at here.
 */
export function shownWords(words: readonly string[]): readonly string[] {
  return words.map((word, at) => {
    const flag = words[at - 1] ?? '';
    if (isOneOf(SECRET_FLAGS, flag)) return 'REDACTED';
    if (isOneOf(HEADER_FLAGS, flag)) return shownHeader(word);
    const [, name = '', value = ''] = /^(--[^=]+)=(.*)$/s.exec(word) ?? [];
    if (isOneOf(SECRET_FLAGS, name)) return `${name}=REDACTED`;
    if (isOneOf(HEADER_FLAGS, name)) return `${name}=${shownHeader(value)}`;
    return word;
  });
}

/** Underscores stand for hyphens in the names of flags. */
function isOneOf(flags: readonly string[], word: string): boolean {
  return flags.includes(word.replaceAll('_', '-').toLowerCase());
}

function shownHeader(line: string): string {
  const colon = line.indexOf(':');
  if (colon === -1) return 'REDACTED';
  const name = line.slice(0, colon);
  return HARMLESS_HEADERS.has(name.trim().toLowerCase()) ? line : `${name}: REDACTED`;
}
