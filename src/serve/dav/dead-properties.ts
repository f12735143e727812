import { isWithin } from '../../core/remote-path.ts';
import { HttpError } from '../http-error.ts';
import { type XmlName, type XmlNode, xmlOf } from './xml-tree.ts';

/** How many characters of properties are kept for all files together. */
const MOST = 16 * 1024 * 1024;

/** One property to set or to delete. */
export interface PropertyUpdate {
  readonly property: XmlNode;
  readonly isSet: boolean;
}

/** The properties of a path by `keyOf`, with their lengths as text. */
type Properties = ReadonlyMap<string, { readonly property: XmlNode; readonly length: number }>;

const NONE: Properties = new Map();

/**
 * The properties that clients define (RFC 4918: dead properties), in memory while the server runs. Room is checked
 * before a change (`checkUpdates`, `checkCopy`); what notes a change that was made never fails.
 */
export class DeadProperties {
  readonly #byPath = new Map<string, Properties>();
  #size = 0;

  of(path: string): readonly XmlNode[] {
    return [...this.#own(path).values()].map(({ property }) => property);
  }

  /** Throws `HttpError` 507 if there is no room for all of these updates. */
  checkUpdates(path: string, updates: readonly PropertyUpdate[]): void {
    const own = this.#own(path);
    this.#checkRoom(weightOf(path, updated(own, updates)) - weightOf(path, own));
  }

  /** Sets and deletes properties of a path. */
  update(path: string, updates: readonly PropertyUpdate[]): void {
    this.#put(path, updated(this.#own(path), updates));
  }

  /** Forgets those of a path and below it. */
  remove(path: string): void {
    for (const each of [...this.#byPath.keys()]) if (isWithin(path, each)) this.#put(each, NONE);
  }

  /** Throws `HttpError` 507 if there is no room for `copy`. */
  checkCopy(from: string, to: string, isDeep: boolean): void {
    let growth = 0;
    for (const [path, own] of this.#byPath) if (isWithin(to, path)) growth -= weightOf(path, own);
    for (const [path, own] of this.#copies(from, to, isDeep)) growth += weightOf(path, own);
    this.#checkRoom(growth);
  }

  /** Copies those of a path, and with `isDeep` those below it, over those of `to` and below it. */
  copy(from: string, to: string, isDeep: boolean): void {
    this.remove(to);
    for (const [path, own] of this.#copies(from, to, isDeep)) this.#put(path, own);
  }

  /** Moves those of a path and below it over those of `to` and below it. */
  move(from: string, to: string): void {
    this.copy(from, to, true);
    this.remove(from);
  }

  #checkRoom(growth: number): void {
    if (growth > 0 && this.#size + growth > MOST) {
      throw new HttpError(507, 'Insufficient Storage: too many properties');
    }
  }

  #own(path: string): Properties {
    return this.#byPath.get(path) ?? NONE;
  }

  #put(path: string, own: Properties): void {
    this.#size += weightOf(path, own) - weightOf(path, this.#own(path));
    if (own.size === 0) this.#byPath.delete(path);
    else this.#byPath.set(path, own);
  }

  #copies(from: string, to: string, isDeep: boolean): (readonly [string, Properties])[] {
    return [...this.#byPath]
      .filter(([path]) => path === from || (isDeep && isWithin(from, path)))
      .map(([path, own]) => [to + path.slice(from.length), own]);
  }
}

/** A name that no other property has. */
export const keyOf = ({ space, name }: XmlName): string => `{${space}}${name}`;

function updated(own: Properties, updates: readonly PropertyUpdate[]): Properties {
  const result = new Map(own);
  for (const { property, isSet } of updates) {
    if (isSet) result.set(keyOf(property), { property, length: xmlOf(property).length });
    else result.delete(keyOf(property));
  }
  return result;
}

function weightOf(path: string, own: Properties): number {
  let weight = 0;
  for (const { length } of own.values()) weight += path.length + length;
  return weight;
}
