import { GoFault } from '../../go/go-fault.ts';
import { ValueRoom } from '../../go/value-room.ts';
import { type XmlName, XmlScanner } from './xml-scanner.ts';

/** Which URL each prefix stands for, in the element that was entered last. */
class XmlNamespaces {
  readonly #urls = new Map<string, string>([['xml', 'http://www.w3.org/XML/1998/namespace']]);
  /** For each element that is open, what its declarations hide. */
  readonly #hidden: (readonly (readonly [prefix: string, url: string | undefined])[])[] = [];

  /** Enters an element with its attributes. */
  enter(attributes: readonly (readonly [name: XmlName, value: string])[]): void {
    const hidden: (readonly [string, string | undefined])[] = [];
    for (const [{ space, local }, url] of attributes) {
      const isDefault = space === '' && local === 'xmlns';
      if (space !== 'xmlns' && !isDefault) continue;
      const prefix = isDefault ? '' : local;
      hidden.push([prefix, this.#urls.get(prefix)]);
      this.#urls.set(prefix, url);
    }
    this.#hidden.push(hidden);
  }

  /** Leaves the element that was entered last. */
  leave(): void {
    for (const [prefix, url] of (this.#hidden.pop() ?? []).toReversed()) {
      if (url === undefined) this.#urls.delete(prefix);
      else this.#urls.set(prefix, url);
    }
  }

  /** What a prefix stands for; one that was not declared, for itself. */
  urlOf(prefix: string): string {
    return this.#urls.get(prefix) ?? prefix;
  }
}

/** A piece of an XML document that matters to its reader. */
export type XmlToken =
  | {
      readonly kind: 'open';
      /** Without the prefix of a namespace. */
      readonly name: string;
      readonly attributes: readonly (readonly [name: string, value: string])[];
      /** Closed at once: `<a/>`. */
      readonly empty: boolean;
    }
  | { readonly kind: 'close' }
  | { readonly kind: 'text'; readonly text: string };

/**
 * The tokens of a document up to the end of its root; what follows is not looked at. As strict as Go's `encoding/xml`:
 * throws `GoFault` for all that is not well-formed, and a declared encoding other than UTF-8.
 * @param text as `nameFromBytes` makes it
 */
export function* xmlTokens(text: string): Generator<XmlToken> {
  const scanner = new XmlScanner(text);
  const room = new ValueRoom();
  const open: XmlName[] = [];
  const namespaces = new XmlNamespaces();
  let started = false;
  while (!started || open.length > 0) {
    if (scanner.isAtEnd) {
      throw open.length > 0 ? scanner.fault('unexpected EOF') : new GoFault('EOF');
    }
    if (scanner.take('<') === undefined) {
      const content = scanner.characters();
      if (started) yield { kind: 'text', text: content };
      continue;
    }
    switch (scanner.take('/?!')) {
      case '/':
        closeElement(scanner, namespaces, open.pop());
        yield { kind: 'close' };
        break;
      case '?':
        scanner.skipInstruction();
        break;
      case '!': {
        const content = readDeclaration(scanner);
        if (started && content !== undefined) yield { kind: 'text', text: content };
        break;
      }
      default: {
        const tag = readTag(scanner, room);
        const { local, space } = tag.name;
        started = true;
        namespaces.enter(tag.attributes);
        const attributes = tag.attributes.map(([name, value]) => [name.local, value] as const);
        yield { kind: 'open', name: local, attributes, empty: tag.empty };
        if (tag.empty) namespaces.leave();
        else open.push({ local, space: namespaces.urlOf(space) });
      }
    }
  }
}

interface Tag {
  readonly name: XmlName;
  readonly attributes: readonly (readonly [name: XmlName, value: string])[];
  readonly empty: boolean;
}

/** A tag that opens an element, behind its `<`. */
function readTag(scanner: XmlScanner, room: ValueRoom): Tag {
  room.take();
  const name = scanner.prefixedName();
  if (name === undefined) throw scanner.fault('expected element name after <');
  const attributes: (readonly [XmlName, string])[] = [];
  while (true) {
    scanner.skipBlanks();
    const end = scanner.take('/>');
    if (end === '>') return { name, attributes, empty: false };
    if (end === '/') {
      if (scanner.take('>') === undefined) throw scanner.fault('expected /> in element');
      return { name, attributes, empty: true };
    }
    const attribute = scanner.prefixedName();
    if (attribute === undefined) throw scanner.fault('expected attribute name in element');
    scanner.skipBlanks();
    if (scanner.take('=') === undefined) {
      throw scanner.fault('attribute name without = in element');
    }
    scanner.skipBlanks();
    const quote = scanner.take('"\'');
    if (quote !== '"' && quote !== "'") {
      throw scanner.fault('unquoted or missing attribute value in element');
    }
    room.take();
    attributes.push([attribute, scanner.characters(quote)]);
  }
}

/** A tag that closes an element, behind its `</`. */
function closeElement(
  scanner: XmlScanner,
  namespaces: XmlNamespaces,
  expected: XmlName | undefined,
): void {
  const name = scanner.prefixedName();
  if (name === undefined) throw scanner.fault('expected element name after </');
  const { local } = name;
  scanner.skipBlanks();
  if (scanner.take('>') === undefined) {
    throw scanner.fault(`invalid characters between </${local} and >`);
  }
  if (expected === undefined) throw scanner.fault(`unexpected end element </${local}>`);
  if (expected.local !== local) {
    throw scanner.fault(`element <${expected.local}> closed by </${local}>`);
  }
  const space = namespaces.urlOf(name.space);
  if (expected.space !== space) {
    throw scanner.fault(
      `element <${local}> in space ${expected.space} closed by </${local}> in space ${space}`,
    );
  }
  namespaces.leave();
}

/** A comment, CDATA or a directive, behind its `<!`. Gives the text where it is one. */
function readDeclaration(scanner: XmlScanner): string | undefined {
  if (scanner.take('-') !== undefined) {
    if (scanner.take('-') === undefined) {
      throw scanner.fault('invalid sequence <!- not part of <!--');
    }
    scanner.skipComment();
    return undefined;
  }
  if (scanner.take('[') !== undefined) {
    for (const wanted of 'CDATA[') {
      if (scanner.take(wanted) === undefined) throw scanner.fault('invalid <![ sequence');
    }
    return scanner.cdata();
  }
  scanner.skipDirective();
  return undefined;
}
