import { OWN_BACKENDS, OWN_TYPES } from '../../src/backends/index.ts';
import { rcloneToAsk } from '../../src/backends/rclone/index.ts';
import { providersIfAny, UNASKED_PROVIDERS } from '../../src/backends/rclone/providers.ts';
import { ALIAS_KIND } from '../../src/config/alias-target.ts';
import type { WizardKind } from '../../src/config/dialogue/draft.ts';
import { kindOf } from '../../src/config/option-sources.ts';
import type { Invocation } from '../../src/shell/command-line/command.ts';

/** The types that syncer opens itself, and aliases, in the order of the wizard's numbers. */
const OWN_KINDS: readonly WizardKind[] = [...OWN_BACKENDS, ALIAS_KIND];

/** All types of remotes, including aliases; of those that rclone opens only the passwords are known. */
export const REMOTE_KINDS: readonly WizardKind[] = [...OWN_KINDS, ...UNASKED_PROVIDERS];

/** The same with all options of rclone's types, if an rclone is installed. */
export async function askedKinds(
  invocation: Pick<Invocation, 'flags' | 'env'>,
): Promise<readonly WizardKind[]> {
  return [...OWN_KINDS, ...(await providersIfAny(rcloneToAsk(invocation), OWN_TYPES))];
}

/** A type with all its options; rclone is asked only about one of its own. `undefined` for an unknown type. */
export async function kindWithOptions(
  type: string,
  asked: () => Promise<readonly WizardKind[]>,
): Promise<WizardKind | undefined> {
  return kindOf(type, OWN_KINDS) ?? kindOf(type, await asked());
}
