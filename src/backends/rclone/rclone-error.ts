import { type ErrorCode, SyncerError } from '../../core/errors.ts';

/** The meaning of rclone's texts. The first that matches counts; their words come from Go and from the services. */
const MEANINGS: readonly (readonly [text: RegExp, code: ErrorCode])[] = [
  [/directory not found/i, 'directory-not-found'],
  [/object not found|file not found|no such file/i, 'file-not-found'],
  // Of one file; the next row is about a configuration.
  [/decrypted block|not an encrypted file|truncated block header|to be encrypted/i, 'other'],
  [/didn't find section in config file/, 'unknown-remote'],
  [/didn't find backend called|failed to (?:make|create) .*: .*config|not obscured/i, 'config'],
  [/couldn't decrypt|failed to reveal|bad password/i, 'config'],
  [/directory not empty|not empty/i, 'not-empty'],
  [/no space left|disk full/i, 'no-space'],
  [
    /quota (?:has been )?exceeded|exceed\w* .*quota|insufficient storage|storage limit/i,
    'quota-exceeded',
  ],
  [/file name too long|name too long/i, 'name-too-long'],
  [/read-only file system|read only/i, 'read-only'],
  [/is a file not a directory|not a directory/i, 'not-a-directory'],
  [/is a directory/i, 'not-a-file'],
  [/corrupted on transfer|hash(?:es)? differ|sizes differ/i, 'corrupted'],
  [/can't copy - source file is being updated/i, 'source-changed'],
  [
    /invalid_grant|token expired|couldn't fetch token|empty token found|config reconnect|oauth2: /i,
    'sign-in',
  ],
  [/unable to authenticate|incorrect password|login incorrect|unauthori[sz]ed|\b401\b/i, 'sign-in'],
  [/permission denied|access ?denied|forbidden|\b403\b/i, 'access-denied'],
  [/too many requests|too many connections|rate ?limit|slow ?down|\b429\b/i, 'throttled'],
  [/timed? ?out|deadline exceeded/i, 'timed-out'],
  [/no such host|connection refused|no route to host|network is unreachable/i, 'unreachable'],
  [/connection (?:reset|lost)|broken pipe|\bEOF\b|dial tcp|connection shut ?down/i, 'network'],
  [
    /not supported|unsupported|not implemented|can't (?:move|copy|purge|share|set modified time)/i,
    'unsupported',
  ],
  [/\b50[0-4]\b|internal server error|service unavailable/i, 'server'],
];

/** What rclone's remote control says in front of the cause. */
const PREFIX =
  /^(?:error in ListJSON|failed to (?:find object|find directory|open object|look up|stat)|couldn't list files?): /;

/** The error of a call of rclone's remote control, in its own words, with the path as the user writes it. */
export function rcloneError(text: string, path: string | undefined): SyncerError {
  const words = text
    .replace(/\s*\n\s*/g, '; ')
    .trim()
    .replace(PREFIX, '');
  // Words of paths and addresses have no meaning here.
  const rest = words.startsWith(`${path ?? ''}: `) ? words.slice(path?.length) : words;
  const cause = rest.replace(/"[^"]*"|'[^']*'|\S*\/\S*/g, '');
  const code = MEANINGS.find(([pattern]) => pattern.test(cause))?.[1] ?? 'other';
  const message = path === undefined || words.includes(path) ? words : `${path}: ${words}`;
  return new SyncerError(code, message, { path });
}
