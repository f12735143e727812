import { parseToken } from '../../backends/auth/oauth-token.ts';
import { jsonObject } from '../../core/json-object.ts';

/** What was pasted for a login, as far as it goes. */
export type PastedToken =
  /** `incomplete`: more is to come. */
  | { readonly state: 'empty' | 'incomplete' | 'unreadable'; readonly why: string }
  | {
      readonly state: 'complete';
      /** As it is to be stored: JSON on one line, with everything that was in it. */
      readonly json: string;
      /** In milliseconds since the epoch; `undefined`: it does not say. */
      readonly expiresMs: number | undefined;
      /** It can be renewed. */
      readonly hasRefresh: boolean;
    };

const INCOMPLETE: PastedToken = {
  state: 'incomplete',
  why: 'Incomplete: the closing brace is missing.',
};

const unreadable = (why: string): PastedToken => ({ state: 'unreadable', why });

/** Reads a pasted token: JSON on one or more lines, also between the marks of `authorize`, or newer rclone's base64. */
export function readPastedToken(text: string): PastedToken {
  const trimmed = text.trim();
  if (trimmed === '') return { state: 'empty', why: '' };
  const start = trimmed.indexOf('{');
  if (start < 0) {
    // rclone packs the result in base64 where it was called with a packed request.
    const words = trimmed
      .replace(/^Paste the following[^\n]*\n?|\n?<---End paste$/g, '')
      .replace(/\s/g, '');
    if (words === '') return INCOMPLETE;
    const mayBePacked = /^[\w+/=-]{16,}$/.test(words);
    const decoded = mayBePacked ? Buffer.from(words, 'base64').toString('utf8').trim() : '';
    return decoded.startsWith('{')
      ? readJson(decoded)
      : unreadable('A token starts with "{": paste the output of "syncer authorize".');
  }
  const end = endOfObject(trimmed, start);
  if (end === undefined) return INCOMPLETE;
  // A string of JSON holds no end of a line: one that is there was made by the terminal it was copied from.
  return readJson(trimmed.slice(start, end).replace(/\r?\n[ \t]*/g, ''));
}

/** Whether the text begins with the mark of `authorize` and does not end with the other one. */
export function lacksEndMark(text: string): boolean {
  return /^\s*Paste the following/.test(text) && !text.includes('<---End paste');
}

/** The result in words, for people; `''` if there is nothing to say. */
export function tellToken(pasted: PastedToken, nowMs: number) {
  if (pasted.state !== 'complete') return { text: pasted.why, isGood: pasted.state === 'empty' };
  const { expiresMs, hasRefresh } = pasted;
  if (hasRefresh)
    return { text: 'Complete, with a refresh token: renewed automatically.', isGood: true };
  if (expiresMs === undefined)
    return { text: 'Complete; no expiry and no refresh token.', isGood: true };
  const at = new Date(expiresMs).toISOString().replace(/\.\d+Z$/, 'Z');
  const isGood = expiresMs > nowMs;
  const text = isGood
    ? `Complete, expires ${at}; no refresh token, so you must log in again then.`
    : `Complete, but expired at ${at} without a refresh token: log in again.`;
  return { text, isGood };
}

function readJson(json: string): PastedToken {
  const value = jsonObject<{ token?: unknown }>(json);
  if (value === undefined) {
    return unreadable('Not valid JSON: check that the whole text was pasted.');
  }
  const inner = value.token;
  if (typeof inner === 'string') return readJson(inner);
  const token = parseToken(json);
  if (token === undefined)
    return unreadable('No access_token found: paste the whole output of "syncer authorize".');
  return {
    state: 'complete',
    json: JSON.stringify(value),
    expiresMs: token.expiresMs,
    hasRefresh: token.refreshToken !== undefined,
  };
}

/** The index behind the object that begins at `start`; `undefined` where it does not end. */
function endOfObject(text: string, start: number): number | undefined {
  let depth = 0;
  let inString = false;
  for (let at = start; at < text.length; at++) {
    const character = text[at];
    if (inString) {
      if (character === '\\') at++;
      else if (character === '"') inString = false;
    } else if (character === '"') inString = true;
    else if (character === '{') depth++;
    else if (character === '}' && --depth === 0) return at + 1;
  }
  return undefined;
}
