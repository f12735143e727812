import { access } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { LoginChoices } from '../../../src/backends/auth/post-form.ts';
import type { ConfigFile } from '../../../src/config/config-file.ts';
import type { WizardWorks } from '../../../src/config/dialogue/work.ts';
import { importRemotes } from '../../../src/config/import-remotes.ts';
import { hasCode, SyncerError } from '../../../src/core/errors.ts';
import type { Invocation } from '../../../src/shell/command-line/command.ts';
import { messageOf } from '../../../src/shell/log/words.ts';
import { expandPath } from '../../../src/system/shell-words.ts';
import { readForeign } from '../foreign-config.ts';
import { listRoot } from './list-root.ts';
import { openDraft, withDraft } from './open-draft.ts';

/** The user waits: two attempts, then the error is shown. */
const TRIES = 2;

/** The wizard's operations, with the flags of this run. None of them writes. */
export function wizardWorks(invocation: Invocation, file: ConfigFile): WizardWorks {
  const { flags, env } = invocation;
  return {
    async login(how, draft, tell, signal) {
      const { loginBrowser } = await import('../../../src/backends/auth/open-browser.ts');
      const choices: LoginChoices = {
        byDevice: how === 'device' || flags.device,
        port: flags['auth-port'],
        openBrowser: loginBrowser(flags, env),
        emit: (event) => tell(messageOf(event)),
      };
      const { backend, params } = await openDraft(invocation, file, draft, signal, TRIES);
      const { reconnect } = await backend.load();
      const token = (await reconnect?.(params, choices))?.['token'];
      if (token !== undefined) return token;
      throw new SyncerError('unsupported', `${draft.kind.type} needs no login`);
    },
    async setUp(draft, input, signal, tell) {
      if (draft.kind.isOfRclone) {
        const { setUpByRclone } = await import('./rclone-set-up.ts');
        return setUpByRclone(invocation, draft, input, tell, signal);
      }
      const { backend, params } = await openDraft(invocation, file, draft, signal, TRIES);
      const { setUp } = await backend.load();
      return (await setUp?.(params, input)) ?? { state: '' };
    },
    async readImport(given, password) {
      const path = resolve(expandPath(given, env));
      if (path === file.path) {
        throw new SyncerError('usage', `"${path}" is syncer's own configuration file`);
      }
      await access(path).catch(() => {
        throw new SyncerError('config', `cannot read "${path}", or it does not exist`);
      });
      const ask = async () => password;
      try {
        const { sections } = await readForeign(path, invocation, ask, () => {});
        const { remotes } = importRemotes(await file.read(), sections, false);
        return { isLocked: false, remotes };
      } catch (thrown) {
        if (!hasCode(thrown, 'config-password')) throw thrown;
        return { isLocked: true, remotes: [] };
      }
    },
    test: (draft, signal) =>
      withDraft(invocation, file, draft, signal, TRIES, (remote) => listRoot(remote, { signal })),
  };
}
