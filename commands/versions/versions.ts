import type { Command } from '../../src/shell/command-line/command.ts';
import type { VERSIONS_FLAGS } from './command.ts';

/** `syncer versions ls|restore|prune remote:path` */
export const versionsCommand: Command<typeof VERSIONS_FLAGS> = async (invocation) => {
  const [word, spec = ''] = invocation.args;
  const remote = await invocation.remotes.openDir(spec);
  switch (word) {
    case 'prune': {
      const { pruneVersions } = await import('./prune-versions.ts');
      return pruneVersions(invocation, remote);
    }
    case 'restore': {
      const { restoreVersions } = await import('./restore-versions.ts');
      return restoreVersions(invocation, remote);
    }
    default: {
      const { listVersions } = await import('./list-versions.ts');
      return listVersions(invocation, remote);
    }
  }
};
