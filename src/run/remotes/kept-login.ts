import type { TokenPlace } from '../../backends/auth/oauth-token.ts';
import type { ConfigFile } from '../../config/config-file.ts';
import type { ConfigSections } from '../../config/ini-lines.ts';
import type { Context } from '../../core/context.ts';
import { isReference } from '../../system/secret-reference.ts';

/** A remote with its options, references resolved and not. */
interface LoginOwner {
  readonly section: string | undefined;
  readonly stored: Readonly<Record<string, string>>;
  readonly clear: Readonly<Record<string, string>>;
  /** What a reference stands for now. */
  readonly inClear: (reference: string) => Promise<string | undefined>;
}

/**
 * The newest login of a remote whose option `token` is that of its section, and where it is kept; `undefined` for any
 * other.
 */
export async function keptLogin(
  { section, stored, clear, inClear }: LoginOwner,
  { file, config }: { readonly file: ConfigFile; readonly config: ConfigSections },
  env: NodeJS.ProcessEnv,
  { emit }: Context,
): Promise<{ readonly place: TokenPlace; readonly token: string } | undefined> {
  const configured = (section && config.get(section)?.get('token')) || '';
  if (section === undefined || configured !== (stored['token'] ?? '')) return undefined;
  const { tokenInConfig, tokenByReference, tokenStoreOf } = await import(
    '../../config/token-store.ts'
  );
  const clientId = clear['client_id'] ?? '';
  const store = tokenStoreOf({ file, section, clientId }, env, emit);
  const now = clear['token'] ?? '';
  const token = (await store?.newest(now)) ?? now;
  if (!isReference(configured)) return { place: tokenInConfig(file, section, store), token };
  return store && { place: tokenByReference(() => inClear(configured), store), token };
}
