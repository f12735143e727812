import type { Command } from '../src/app/command.ts';

/** `syncer versions ls|restore|prune remote:path` */
export const versionsCommand: Command = async (invocation) => {
  const [word, spec = ''] = invocation.args;
  const remote = await invocation.remotes.openDir(spec);
  switch (word) {
    case 'prune': {
      const { pruneVersions } = await import('../src/app/versions/prune-versions.ts');
      return pruneVersions(invocation, remote);
    }
    case 'restore': {
      const { restoreVersions } = await import('../src/app/versions/restore-versions.ts');
      return restoreVersions(invocation, remote);
    }
    default: {
      const { listVersions } = await import('../src/app/versions/list-versions.ts');
      return listVersions(invocation, remote);
    }
  }
};
