import { SyncerError } from '../../core/errors.ts';
import {
  isSecretName,
  isSecretOption,
  type OnSecret,
  REDACTED,
  shownHead,
  shownJson,
  withoutUrlSecrets,
} from './secret-fields.ts';

/** Flags with the URL of a service whose path is a secret: with it, everyone can send pings. */
const PING_FLAG = '--ping-url';
/** Flags with a command, which may hold such a URL. */
const COMMAND_FLAGS = ['--on-success', '--on-failure', '--on-change'];

/** Flags whose secrets a file may hold that only the user can read. */
export const PRIVATE_FLAGS: readonly string[] = [PING_FLAG, ...COMMAND_FLAGS];

/** Headers without credentials. */
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
 * The words of a command line as they may be logged and kept: without the values of flags and options that are
 * secrets by their names, of headers unless they are known to be harmless, without passwords in URLs, and without the
 * paths of URLs that are pinged.
 *
 * @param onSecret is called with each secret
 */
export function shownWords(
  words: readonly string[],
  onSecret: OnSecret = () => {},
): readonly string[] {
  return words.map((word, at) => {
    const before = words[at - 1] ?? '';
    // A word after a flag, or after the name of an option: `config create NAME s3 secret_access_key VALUE`.
    const isOfConfig = words.slice(0, at).includes('config');
    if ((before.startsWith('--') || isOfConfig) && !before.includes('=')) {
      const shown = shownValue(before, word, isOfConfig, onSecret);
      if (shown !== undefined) return shown;
    }
    const [, name = '', value = ''] = /^([\w.-]+)=(.*)$/s.exec(word) ?? [];
    const shown = name === '' ? undefined : shownValue(name, value, isOfConfig, onSecret);
    if (shown !== undefined) return `${name}=${shown}`;
    return name === '' ? shownText(word, onSecret) : `${name}=${shownText(value, onSecret)}`;
  });
}

/** Throws `usage` with `message` if a secret was left out of `shown`, the words of a command line as they may be logged. */
export function refuseSecrets(shown: readonly string[], message: string): void {
  if (!shown.some((word) => word.includes(REDACTED))) return;
  throw new SyncerError('usage', message, {
    advice: 'put the secret in the configuration or the environment',
  });
}

/** A secret value as it may be shown; `undefined` if the name is not that of a secret. */
function shownValue(
  given: string,
  value: string,
  isOfConfig: boolean,
  onSecret: OnSecret,
): string | undefined {
  // Underscores stand for hyphens in the names of flags.
  const flag = given.replaceAll('_', '-').toLowerCase();
  if (/^--header(?:-upload|-download)?$/.test(flag)) return shownHeader(value, onSecret);
  if (flag === PING_FLAG) return shownPing(value, onSecret);
  if (COMMAND_FLAGS.includes(flag)) {
    // Of its URLs the origins, and no headers that log in.
    return value
      .replace(/\w+:\/\/[^\s'"\\]+/g, (url) => shownPing(url, onSecret))
      .replace(/(?<=['"])[\w-]+:[^'"]+/g, (line) => shownHead(line, onSecret));
  }
  const hidesLogin = flag === '--http-proxy' && /^[^/]*@/.test(value);
  const hasSecretName = isOfConfig ? isSecretOption(given) : isSecretName(given);
  // Their names do not show it.
  const isSecret = hasSecretName || flag === '--password-command' || flag === '--client-pass';
  if (!isSecret && !hidesLogin) return undefined;
  onSecret(value);
  // Keys of `--auth-key`, and tokens in their JSON.
  if (value.includes(',')) for (const part of value.split(',')) onSecret(part);
  shownJson(value, onSecret);
  return REDACTED;
}

/** The URL of a ping: its origin. */
function shownPing(url: string, onSecret: OnSecret): string {
  const [, origin, path = ''] = /^(\w+:\/\/[^/?#]+)(.*)$/s.exec(url) ?? [];
  onSecret(url);
  // A part that is no word: a UUID, a key.
  const isToken = (part: string) => /^(?=.*\d)[\w~.-]{16,}$/.test(part);
  for (const part of path.split(/[/?#&=]/)) if (isToken(part)) onSecret(part);
  if (origin === undefined) return REDACTED;
  const shown = withoutUrlSecrets(`${origin}/`, onSecret);
  return path === '' || path === '/' ? shown : `${shown}${REDACTED}`;
}

function shownHeader(line: string, onSecret: OnSecret): string {
  const colon = line.indexOf(':');
  const name = line.slice(0, colon);
  if (colon !== -1 && HARMLESS_HEADERS.has(name.trim().toLowerCase())) return line;
  onSecret(line.slice(colon + 1).trim());
  return colon === -1 ? REDACTED : `${name}: ${REDACTED}`;
}

/** A parameter of a remote on the command line: `:s3,name=value:`; the value in quotes that are doubled in it, or not. */
const PARAMETER = /([,:])([\w-]+)=("(?:[^"]|"")*"?|'(?:[^']|'')*'?|[^,:]*)/g;

/** A path, a remote with options, or a URL without its secrets. */
export function shownText(text: string, onSecret: OnSecret = () => {}): string {
  if (/^[\w+.-]+:\/\//.test(text)) return withoutUrlSecrets(text, onSecret);
  return withoutUrlSecrets(text, onSecret).replace(
    PARAMETER,
    (all, mark: string, name: string, value: string) => {
      const quote = /^["']/.exec(value)?.[0] ?? '';
      const isClosed = value.length > 1 && value.endsWith(quote);
      const inner = isClosed ? value.slice(1, -1) : value.slice(1);
      const plain = quote === '' ? value : inner.replaceAll(quote + quote, quote);
      // A path can begin with `key=`, and only options follow a comma.
      if (mark === ',' ? isSecretOption(name) : isSecretName(name)) {
        if (value === '') return all;
        onSecret(plain);
        onSecret(value);
        return `${mark}${name}=${REDACTED}`;
      }
      const shown = shownText(plain, onSecret);
      if (shown === plain) return all;
      return `${mark}${name}=${quote}${quote === '' ? shown : shown.replaceAll(quote, quote + quote)}${quote}`;
    },
  );
}
