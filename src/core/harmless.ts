/** Printable ASCII, which has no effect on terminals. */
const PLAIN = /^[\x20-\x7e]*$/;
const PLAIN_LINES = /^[\t\n\x20-\x7e]*$/;

const CONTROLS = /[\0-\x1f\x7f]/g;
const CONTROLS_IN_LINES = /[\0-\x08\x0b-\x1f\x7f]/g;

/** Controls of 8 bits, also as bytes of names that are no UTF-8, and what else ends a line. */
const WIDE_CONTROLS = /[\x80-\x9f\u2028\u2029\ufff9-\ufffb]|[\udc80-\udc9f]/u;
/** Joiners in words and emoji. */
const JOINERS = /\u034f|\u200c|\u200d|[\u180b-\u180d\u180f\ufe00-\ufe0f]|[\u{e0100}-\u{e01ef}]/u;
/** Other invisible characters, such as marks that change the direction of writing, are not passed on. */
const UNSEEN = new RegExp(
  `${WIDE_CONTROLS.source}|(?!${JOINERS.source})\\p{Default_Ignorable_Code_Point}`,
  'gu',
);

const UNSEEN_OR_DEL = new RegExp(`\\x7f|${UNSEEN.source}`, 'gu');

/**
 * A line with control characters as symbols (`\n` is `␊`), and marks of direction and the like as `�`. For screens,
 * which also cannot show bytes that are no UTF-8.
 */
export function harmless(text: string): string {
  return harmlessLine(text.toWellFormed());
}

/** As `harmless`, for names in logs: their bytes stay unless a terminal would obey them. */
export function harmlessLine(text: string): string {
  return PLAIN.test(text) ? text : shown(text, CONTROLS);
}

/** As `harmlessLine` for a text of several lines: ends of lines and tabs stay. */
export function harmlessLines(text: string): string {
  return PLAIN_LINES.test(text) ? text : shown(text, CONTROLS_IN_LINES);
}

/** JSON with all of that as escapes, which preserve the names. */
export function harmlessJson(json: string): string {
  if (PLAIN_LINES.test(json)) return json;
  const escaped = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return json.replace(UNSEEN_OR_DEL, (c) => c.split('').map(escaped).join(''));
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** A text as content of HTML or XML, and of their attributes. */
export function escapeMarkup(text: string): string {
  return text.replace(/[&<>"']/g, (char) => ENTITIES[char] ?? char);
}

function shown(text: string, controls: RegExp): string {
  return text
    .replace(controls, (c) => (c === '\x7f' ? '␡' : String.fromCharCode(0x2400 + c.charCodeAt(0))))
    .replace(UNSEEN, '�');
}
