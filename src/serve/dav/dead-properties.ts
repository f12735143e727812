import { isWithin } from '../../core/remote-path.ts';
import { HttpError } from '../http-error.ts';
import { type XmlNode, xmlOf } from './xml-tree.ts';

/** How many characters of properties are kept for all files together. */
const MOST = 16 * 1024 * 1024;

/** The properties that clients define (RFC 4918: dead properties), in memory while the server runs. */
export class DeadProperties {
  readonly #byPath = new Map<string, Map<string, XmlNode>>();
  #size = 0;

  of(path: string): readonly XmlNode[] {
    return [...(this.#byPath.get(path)?.values() ?? [])];
  }

  /** Throws `HttpError` 507 if there is no room. */
  set(path: string, property: XmlNode): void {
    const own = this.#byPath.get(path) ?? new Map<string, XmlNode>();
    const size = this.#size + weightOf(path, property) - this.#weight(path, property);
    if (size > MOST) throw new HttpError(507, 'Insufficient Storage: too many properties');
    this.#size = size;
    own.set(keyOf(property), property);
    this.#byPath.set(path, own);
  }

  delete(path: string, property: Pick<XmlNode, 'space' | 'name'>): void {
    this.#size -= this.#weight(path, property);
    this.#byPath.get(path)?.delete(keyOf(property));
  }

  /** Forgets those of a path and below it. */
  remove(path: string): void {
    for (const [each, own] of this.#byPath) {
      if (!isWithin(path, each)) continue;
      for (const property of own.values()) this.#size -= weightOf(each, property);
      this.#byPath.delete(each);
    }
  }

  /** Copies those of a path, and with `isDeep` those below it. */
  copy(from: string, to: string, isDeep: boolean): void {
    for (const [path, own] of [...this.#byPath]) {
      if (path !== from && !(isDeep && isWithin(from, path))) continue;
      for (const property of own.values()) this.set(to + path.slice(from.length), property);
    }
  }

  #weight(path: string, property: Pick<XmlNode, 'space' | 'name'>): number {
    const known = this.#byPath.get(path)?.get(keyOf(property));
    return known === undefined ? 0 : weightOf(path, known);
  }
}

/** A name that no other property has. */
export function keyOf({ space, name }: Pick<XmlNode, 'space' | 'name'>): string {
  return `{${space}}${name}`;
}

function weightOf(path: string, property: XmlNode): number {
  return path.length + xmlOf(property).length;
}
