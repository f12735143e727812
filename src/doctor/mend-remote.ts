import { SyncerError } from '../core/errors.ts';
import { shellWord } from '../kit/shell-words.ts';

/**
 * The command that most likely fixes an error of a remote, by its name in the configuration; `''` for one that is not
 * there.
 */
export function mendRemote(thrown: unknown, name: string): string | undefined {
  const remote = shellWord(name);
  const edit = `syncer config edit ${remote}`;
  for (let at = thrown; at instanceof SyncerError; at = at.cause) {
    if (at.fault === 'clock') return 'sudo timedatectl set-ntp true';
    if (at.fault === 'certificate' || name === '') continue;
    if (at.code === 'sign-in-needed') return `syncer config reconnect ${shellWord(`${name}:`)}`;
    if (at.fault === 'region') {
      const { region } = at as { readonly region?: unknown };
      const isNamed = typeof region === 'string' && region !== '';
      return isNamed ? `syncer config update ${remote} region=${shellWord(region)}` : edit;
    }
    if (at.fault === 'authority') {
      return `syncer doctor ${shellWord(`${name}:`)} --ca-cert authority.pem`;
    }
    if (at.fault !== undefined || at.code === 'sign-in') return edit;
    if (at.code === 'config') return `syncer config show ${remote}`;
    if (at.code === 'bucket-not-found') return `syncer lsd ${shellWord(`${name}:`)}`;
  }
  return undefined;
}
