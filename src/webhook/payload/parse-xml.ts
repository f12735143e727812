import { nameFromBytes } from '../../core/name-bytes.ts';
import type { GoMap, GoValue } from '../../go/go-value.ts';
import { xmlTokens } from './xml-tokens.ts';

interface OpenElement {
  readonly name: string;
  readonly members: GoMap;
  text?: string;
}

const BLANKS = '\t\r\b\n ';

/**
 * An XML document as an object: elements by name, attributes with `-` before it, the text beside them as `#text`;
 * an element with nothing but text is that text, one that comes again a list. Throws `GoFault`.
 */
export function parseXml(bytes: Uint8Array): GoMap {
  const root: OpenElement = { name: '', members: new Map() };
  const open = [root];
  for (const token of xmlTokens(nameFromBytes(bytes))) {
    const current = open.at(-1) ?? root;
    if (token.kind === 'text') {
      const text = trimmed(token.text);
      if (text !== '') current.text = text;
    } else if (token.kind === 'close') {
      open.pop();
      add(open.at(-1) ?? root, current);
    } else {
      const members: GoMap = new Map(token.attributes.map(([name, value]) => [`-${name}`, value]));
      const element = { name: token.name, members };
      if (token.empty) add(current, element);
      else open.push(element);
    }
  }
  return root.members;
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
  if (members.size === 0) return text ?? '';
  if (text !== undefined) members.set('#text', text);
  return members;
}
