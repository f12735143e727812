import type { Command } from '../../src/shell/command-line/command.ts';
import type { TRASH_FLAGS } from './command.ts';

/** `syncer trash ls|restore|empty remote:path [path…]` */
export const trashCommand: Command<typeof TRASH_FLAGS> = async (invocation) => {
  const [word, spec = ''] = invocation.args;
  const remote = await invocation.remotes.openDir(spec);
  switch (word) {
    case 'restore': {
      const { restoreTrash } = await import('./restore-trash.ts');
      return restoreTrash(invocation, remote);
    }
    case 'empty': {
      const { emptyTrashOf } = await import('./empty-trash.ts');
      return emptyTrashOf(invocation, remote);
    }
    default: {
      const { listTrash } = await import('./list-trash.ts');
      return listTrash(invocation, remote);
    }
  }
};
