/** The flags of a case as a map: `--name=value` and `--name`. */
export class CaseFlags {
  readonly #all = new Map<string, string[]>();

  constructor(words: readonly string[]) {
    for (const word of words) {
      const [, name = '', value = 'true'] = /^--([^=]+)(?:=([\s\S]*))?$/.exec(word) ?? [];
      this.#all.set(name, [...(this.#all.get(name) ?? []), value]);
    }
  }

  has(...names: readonly string[]): boolean {
    return names.some((name) => this.#all.has(name));
  }

  text(name: string): string | undefined {
    return this.#all.get(name)?.at(-1);
  }

  list(name: string): readonly string[] {
    return this.#all.get(name) ?? [];
  }

  number(name: string): number | undefined {
    const text = this.text(name);
    return text === undefined ? undefined : Number.parseFloat(text);
  }
}
