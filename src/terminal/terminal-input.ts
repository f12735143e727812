import { nameFromBytes } from '../core/name-bytes.ts';
import type { MouseAct } from './key.ts';
import { MouseReports } from './mouse.ts';

/** How long Escape may be the beginning of a key, in milliseconds; over a network its bytes may come apart. */
export const ESCAPE_MS = { near: 150, remote: 300 };
/** How long the character behind Escape may be the beginning of a key, and follow an Escape that was a key already. */
const REST_MS = 500;
/** An answer of the terminal whose end has not come for so long has none. */
const ANSWER_MS = 2000;

/** The wait after Escape on the terminal of this environment. */
export function escapeWait(env: NodeJS.ProcessEnv): number {
  return env['SSH_CONNECTION'] || env['SSH_TTY'] ? ESCAPE_MS.remote : ESCAPE_MS.near;
}

/**
 * Calls `action` after a wait, if there is one. Input that came during it, while this process was busy, is read before:
 * a timer alone would be first. Returns what cancels it.
 */
export function afterInput(waitMs: number | undefined, action: () => void): () => void {
  if (waitMs === undefined) return () => {};
  let immediate: NodeJS.Immediate | undefined;
  const timer = setTimeout(() => {
    immediate = setImmediate(action);
  }, waitMs);
  return () => {
    clearTimeout(timer);
    clearImmediate(immediate);
  };
}

const CTRL_C = '\x03';
const PASTE = '\x1b[200~';
const PASTE_END = /\x1b\[201~|\x9b201~/;
/** The beginning of a sequence: Escape, or SS3, DCS, SOS, CSI, ST, OSC, PM or APC as one character (ECMA-48, C1). */
const INTRODUCER = /[\x1b\x8f\x90\x98\x9b-\x9f]/;
/** What ends a string of OSC, DCS, APC, PM or SOS: BEL, ST, also as one byte, or a key that cancels it. */
const STRING_END = /[\x07\x9c\udc9c]|[\x03\x18\x1a\x1b]/;
/** What may follow an Escape that was a key already as its rest; none of it is typed so quickly after Escape. */
const REST =
  /^(?:\[(?:$|[\d<=>?M[A-FHIO-SZ])|O(?:$|[A-DFHMP-S])|\](?:$|[\dlLI])|P(?:$|[\d!$+=>{|])|_(?:$|G)|\\)/;
/** The same in one piece: keys of the keypad, whose letters may be typed one after the other so quickly. */
const KEYPAD_REST = /^O\d?[IMXj-y]/;
/** The beginning of a report of the mouse of terminals that know no SGR: three characters follow. */
const OLD_MOUSE = '\x1b[M';
const OLD_MOUSE_WHOLE = /^\x1b\[M[^\0-\x1f]{0,3}/;
/** Control sequences that a terminal sends as answers: attributes, status, cursor, modes, window, focus. */
const ANSWER = /^\x1b\[(?:[<=>?].*|.*[ -/].|[\d;]*[Rnt]|[\d;]+c|[IO])$/;

interface Sequence {
  readonly kind: 'key' | 'mouse' | 'answer' | 'string' | 'paste';
  readonly length: number;
}

/**
 * What a terminal sends, put together from its pieces and taken apart: whole keys and pastes as text, and what the mouse
 * does. Answers of the terminal to questions of other programs are left out, as is a sequence that is cut short: its
 * characters are never keys. A paste whose end was lost must not swallow Ctrl-C, which drops it.
 */
export class TerminalInput {
  readonly #escapeMs: number;
  readonly #now: () => number;
  readonly #mouse = new MouseReports();
  /** The bytes that a character begins with. */
  #bytes: Uint8Array = new Uint8Array();
  /** The beginning of a sequence. */
  #held = '';
  /** The Escape of `#held` was a key already. */
  #isGiven = false;
  /** In a string of the terminal. */
  #isInString = false;
  #lastMs = 0;
  #escapeGivenMs = Number.NEGATIVE_INFINITY;

  /** @param now the time, in milliseconds */
  constructor(escapeMs: number, now: () => number) {
    this.#escapeMs = escapeMs;
    this.#now = now;
  }

  /** How long what waits may be the beginning of more, in milliseconds; `undefined` if nothing waits for a time. */
  get waitMs(): number | undefined {
    if (this.#isInString) return this.#held === '' ? undefined : REST_MS;
    if (this.#held === '\x1b') return this.#escapeMs;
    return this.#held === '\x1bO' || (this.#isGiven && this.#held.length === 2)
      ? REST_MS
      : undefined;
  }

  /** What waited is a key: nothing has followed. */
  flush(): string {
    if (this.waitMs === undefined) return '';
    const keys = this.#isGiven ? this.#held.slice(1) : this.#held;
    if (keys === '\x1b') this.#escapeGivenMs = this.#now();
    this.#held = '';
    this.#isGiven = false;
    this.#isInString = false;
    return keys;
  }

  /** Whole keys and pastes, and what the mouse did, in their order. */
  push(input: string | Uint8Array): readonly (string | MouseAct)[] {
    let text: string;
    if (typeof input === 'string') text = input;
    else {
      // UTF-8, of which a character may come in pieces. Other bytes become as by `nameFromBytes`.
      const bytes = Buffer.concat([this.#bytes, input]);
      const end = wholeLength(bytes);
      this.#bytes = bytes.subarray(end);
      text = nameFromBytes(bytes.subarray(0, end));
    }
    const nowMs = this.#now();
    if (this.#isInString && nowMs - this.#lastMs > ANSWER_MS) {
      this.#isInString = false;
      this.#held = '';
    }
    this.#lastMs = nowMs;
    const parts: (string | MouseAct)[] = [];
    let keys = '';
    for (let rest = this.#joined(text, nowMs); rest !== ''; ) {
      if (this.#isInString) {
        rest = this.#afterString(rest);
        continue;
      }
      const at = rest.search(INTRODUCER);
      keys += at < 0 ? rest : rest.slice(0, at);
      if (at < 0) break;
      const code = rest.charCodeAt(at);
      rest = rest.slice(at);
      // Introduced by Escape and a second character instead of one.
      if (code !== 0x1b) rest = `\x1b${String.fromCharCode(code - 0x40)}${rest.slice(1)}`;
      const found = this.#isGiven && rest.length === 2 && rest[1] !== '\\' ? undefined : next(rest);
      if (found === undefined) {
        this.#held = rest;
        break;
      }
      this.#isGiven = false;
      const { kind, length } = found;
      const sequence = rest.slice(0, length);
      rest = rest.slice(length);
      if (kind === 'key') keys += sequence;
      else if (kind === 'string') this.#isInString = true;
      else if (kind === 'mouse') {
        const act = this.#mouse.actOf(sequence);
        if (act === undefined) continue;
        parts.push(keys, act);
        keys = '';
      } else if (kind === 'paste') {
        const end = PASTE_END.exec(rest);
        const ctrlC = end === null ? rest.lastIndexOf(CTRL_C) : -1;
        if (end !== null) {
          keys += `${PASTE}${rest.slice(0, end.index)}\x1b[201~`;
          rest = rest.slice(end.index + end[0].length);
        } else if (ctrlC >= 0) rest = rest.slice(ctrlC);
        else {
          this.#held = PASTE + rest;
          break;
        }
      }
    }
    if (this.#held === '') this.#isGiven = false;
    return [...parts, keys]
      .filter((part) => part !== '')
      .map((part) => (typeof part === 'string' ? part.toWellFormed() : part));
  }

  /** What waited, and a text: behind an Escape that was a key already, what may be its rest. */
  #joined(text: string, nowMs: number): string {
    const isNear = nowMs - this.#escapeGivenMs <= REST_MS && this.#held === '';
    const isKeypad = isNear && KEYPAD_REST.test(text);
    const isRest = isKeypad || (isNear && REST.test(text));
    if (text !== '') this.#escapeGivenMs = Number.NEGATIVE_INFINITY;
    const joined = `${isRest ? '\x1b' : this.#held}${text}`;
    this.#held = '';
    this.#isGiven ||= isRest;
    if (!this.#isGiven || isKeypad || REST.test(joined.slice(1))) return joined;
    this.#isGiven = false;
    return joined.slice(1);
  }

  /** What follows a string; empty if its end has not come. */
  #afterString(text: string): string {
    const at = text.search(STRING_END);
    if (at < 0) return '';
    const rest = text.slice(at);
    if (rest === '\x1b') {
      this.#held = rest;
      return '';
    }
    this.#isInString = false;
    if (rest.startsWith('\x1b\\')) return rest.slice(2);
    return /^[\x03\x1a\x1b]/.test(rest) ? rest : rest.slice(1);
  }
}

/** The sequence that a text begins with; `undefined` if that depends on what follows. */
function next(text: string): Sequence | undefined {
  const second = text[1];
  if (second === undefined) return undefined;
  if (']P_^X'.includes(second)) return { kind: 'string', length: 2 };
  if (second === '\\') return { kind: 'answer', length: 2 };
  if (second === '[') return controlSequence(text);
  if (second !== 'O') return { kind: 'key', length: 1 };
  const [numbers = ''] = /^\x1bO[\d;]*/.exec(text) ?? [];
  const last = text[numbers.length];
  if (last === undefined) return undefined;
  return { kind: 'key', length: /[@-~]/.test(last) ? numbers.length + 1 : 1 };
}

function controlSequence(text: string): Sequence | undefined {
  if (text.startsWith(OLD_MOUSE)) {
    const { length = 0 } = OLD_MOUSE_WHOLE.exec(text)?.[0] ?? '';
    return length === text.length && length < 6 ? undefined : { kind: 'mouse', length };
  }
  if (text.startsWith(PASTE)) return { kind: 'paste', length: PASTE.length };
  // Keys of rxvt, and F1 to F5 of Linux's console.
  const odd = /^\x1b\[(?:[235678]\$|\[.)/.exec(text)?.[0];
  if (odd !== undefined) return { kind: 'key', length: odd.length };
  if (text === '\x1b[[') return undefined;
  const within = /^\x1b\[[0-?]*[ -/]*/.exec(text)?.[0].length ?? 2;
  const last = text[within];
  if (last === undefined) return undefined;
  // Anything else cannot stand in it: it was cut there.
  const length = /[@-~]/.test(last) ? within + 1 : within;
  if (text.startsWith('\x1b[<')) return { kind: 'mouse', length };
  const isKey = length > within && !ANSWER.test(text.slice(0, length));
  return { kind: isKey ? 'key' : 'answer', length };
}

/** How many bytes are whole characters: the last one may lack some. */
function wholeLength(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if ((byte & 0xc0) === 0x80) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc2 ? 2 : 1;
    return bytes.length - (length > back ? back : 0);
  }
  return bytes.length;
}
