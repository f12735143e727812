import type { XmlName } from './xml-scanner.ts';

/** Which URL each prefix stands for, in the element that was entered last. */
export class XmlNamespaces {
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
