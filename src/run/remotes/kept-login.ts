import type { TokenPlace } from '../../backends/auth/oauth-token.ts';
import type { ConfigFile } from '../../config/config-file.ts';
import type { ConfigSections } from '../../config/ini-lines.ts';
import type { Context } from '../../core/context.ts';
import { isReference } from '../../system/secret-reference.ts';

/**
 * The newest login of a remote whose option `token` is that of its section, and where it is kept; `undefined` for any
 * other. `stored` and `clear` are its options, references resolved in `clear`; `inClear`: what one stands for now.
 */
export async function keptLogin(
  {
    section,
    stored,
    clear,
    inClear,
  }: {
    readonly section: string | undefined;
    readonly stored: Readonly<Record<string, string>>;
    readonly clear: Readonly<Record<string, string>>;
    readonly inClear: (reference: string) => Promise<string | undefined>;
  },
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
