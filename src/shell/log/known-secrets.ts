import { isSecretName, REDACTED, shownJson, withoutUrlSecrets } from './secret-fields.ts';
import { shownText, shownWords } from './shown-words.ts';

/** Shorter ones could be parts of ordinary words. */
const LEAST_LENGTH = 8;
/** Variables that hold settings of the program or of its backends. */
const SETTING = /^(?:RCLONE|SYNCER|AWS)_|_PROXY$/i;

/**
 * The secrets of a run: from the command line, its environment and the configuration. Log lines omit them by field;
 * this is the second protection, for errors of other programs that quote them.
 */
export class KnownSecrets {
  readonly #values = new Set<string>();
  #found: RegExp | undefined;

  constructor(words: readonly string[] = [], env: NodeJS.ProcessEnv = {}) {
    const add = (secret: string) => this.add(secret);
    shownWords(words, add);
    for (const [name, value = ''] of Object.entries(env)) {
      if (!SETTING.test(name)) continue;
      if (isSecretName(name)) add(value);
      else if (name.endsWith('_PING_URL')) shownWords(['--ping-url', value], add);
      else shownText(value, add);
    }
  }

  /** Keeps a secret; of a token in JSON its parts, too. */
  add(secret: string): void {
    if (secret.startsWith('{')) shownJson(secret, (part) => this.add(part));
    if (secret.length < LEAST_LENGTH || secret === REDACTED) return;
    for (const form of [
      secret,
      JSON.stringify(secret).slice(1, -1),
      encodeURIComponent(secret.toWellFormed()),
    ])
      this.#values.add(form);
    this.#found = undefined;
  }

  /** The text without them, and without passwords and signatures in URLs. */
  hide(text: string): string {
    if (this.#values.size > 0) {
      this.#found ??= new RegExp(
        [...this.#values]
          .sort((a, b) => b.length - a.length)
          .map((value) => value.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'))
          .join('|'),
        'g',
      );
    }
    const shown = this.#found === undefined ? text : text.replace(this.#found, REDACTED);
    return withoutUrlSecrets(shown);
  }
}
