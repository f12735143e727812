import { setImmediate as letOthersRun } from 'node:timers/promises';
import type * as Saxes from 'saxes';
import { nameFromBytes } from '../../core/name-bytes.ts';
import { GoFault } from '../../go/go-texts.ts';
import { type GoMap, type GoValue, ValueRoom } from '../../go/go-value.ts';

interface OpenElement {
  readonly name: string;
  readonly members: GoMap;
  text: string;
}

const BLANKS = '\t\r\n ';
/** Thrown to stop the parser: what follows the root does not matter. */
const ROOT_CLOSED = new Error('the root is closed');
/** Characters parsed at a time; other requests are served between two pieces. */
const PIECE = 1 << 20;

/**
 * An XML document as an object: elements by name, attributes with `-` before it, the text beside them as `#text`; an
 * element with nothing but text is that text, a repeated one a list. What follows the root is not looked at.
 * Rejects with `GoFault` and `TooManyValues`.
 */
export async function parseXml(bytes: Uint8Array): Promise<GoMap> {
  // The package is CommonJS: in the bundle it has only a default export.
  const { default: saxes } = (await import('saxes')) as unknown as { default: typeof Saxes };
  const parser = new saxes.SaxesParser();
  const root: OpenElement = { name: '', members: new Map(), text: '' };
  const open = [root];
  const room = new ValueRoom();
  const take = (text: string) => {
    const current = open.at(-1) ?? root;
    current.text = trimmed(text) || current.text;
  };
  let rootEnd = Number.POSITIVE_INFINITY;
  parser.on('error', ({ message }) => {
    throw parser.position > rootEnd ? ROOT_CLOSED : new GoFault(message);
  });
  parser.on('xmldecl', ({ encoding = 'utf-8' }) => {
    if (encoding.toLowerCase() !== 'utf-8')
      throw new GoFault(`the encoding is not UTF-8: ${encoding}`);
  });
  let members: GoMap = new Map();
  parser.on('attribute', ({ name, value }) => {
    room.take();
    members.set(`-${localName(name)}`, value);
  });
  parser.on('opentag', ({ name }) => {
    room.take();
    open.push({ name: localName(name), members, text: '' });
    members = new Map();
  });
  parser.on('text', take);
  parser.on('cdata', take);
  parser.on('closetag', () => {
    const element = open.pop() ?? root;
    add(open.at(-1) ?? root, element);
    if (open.length === 1) rootEnd = parser.position;
  });
  const text = nameFromBytes(bytes);
  try {
    for (let at = 0; at < text.length; at += PIECE) {
      if (at > 0) await letOthersRun();
      parser.write(text.slice(at, at + PIECE));
    }
    parser.close();
  } catch (thrown) {
    if (thrown !== ROOT_CLOSED) throw thrown;
  }
  return root.members;
}

/** A name without the prefix of its namespace. */
function localName(name: string): string {
  const colon = name.indexOf(':');
  const isPrefixed = colon > 0 && colon < name.length - 1 && colon === name.lastIndexOf(':');
  return isPrefixed ? name.slice(colon + 1) : name;
}

/** Without blanks around it, in linear time. */
function trimmed(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && BLANKS.includes(text.charAt(start))) start++;
  while (end > start && BLANKS.includes(text.charAt(end - 1))) end--;
  return text.slice(start, end);
}

function add(parent: OpenElement, element: OpenElement): void {
  const value = elementValue(element);
  const before = parent.members.get(element.name);
  if (before === undefined) parent.members.set(element.name, value);
  else if (Array.isArray(before)) before.push(value);
  else parent.members.set(element.name, [before, value]);
}

function elementValue({ members, text }: OpenElement): GoValue {
  if (members.size === 0) return text;
  if (text !== '') members.set('#text', text);
  return members;
}
