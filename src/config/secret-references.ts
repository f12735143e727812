import { SyncerError } from '../core/errors.ts';
import { readRegularFileSync } from '../system/read-whole.ts';
import { parseReference, readReference } from '../system/secret-reference.ts';

/** What the references of a remote are resolved with. */
export interface RemoteReferences {
  readonly remote: string;
  readonly env: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
  /** Called with each secret, which must not be shown. */
  readonly onSecret: (secret: string) => void;
  /** Secrets of the keyring that were asked for in this run: the user may have to unlock it. */
  readonly asked?: Map<string, Promise<string>>;
}

/**
 * The options of a remote with what their references stand for: `${env:NAME}`, `${file:/path}`, `${credential:NAME}`,
 * `${keyring:service/account}`. Rejects with `config`, naming remote, option and reference, if one stands for nothing.
 */
export async function withSecrets(
  options: Readonly<Record<string, string>>,
  { remote, env, signal, onSecret, asked = new Map() }: RemoteReferences,
): Promise<Readonly<Record<string, string>>> {
  const clear: Record<string, string> = { ...options };
  for (const [name, text] of Object.entries(options)) {
    const reference = parseReference(text);
    if (reference === undefined) continue;
    try {
      let value: string;
      if (reference.kind === 'keyring') {
        const { readKeyring } = await import('./keyring.ts');
        const found = asked.get(text) ?? readKeyring(reference.name, env, signal);
        asked.set(text, found);
        value = await found;
      } else {
        value = readReference(reference, { env, read: readRegularFileSync });
      }
      if (value === '') throw new Error('it is empty');
      clear[name] = value;
    } catch (cause) {
      signal.throwIfAborted();
      const { message } = cause as Error;
      const why = `remote "${remote}": ${name} = ${text}: ${message}`;
      throw new SyncerError('config', why, { cause });
    }
    onSecret(clear[name]);
  }
  return clear;
}
