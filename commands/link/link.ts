import { SyncerError } from '../../src/core/errors.ts';
import { harmless } from '../../src/core/shown-text.ts';
import type {
  CommandCall,
  Environment,
  Remotes,
  StandardOutput,
} from '../../src/shell/command-line/command.ts';
import { linked, terminalAbilities } from '../../src/terminal/terminal-abilities.ts';
import type { LINK_FLAGS } from './command.ts';

export async function linkCommand(
  invocation: CommandCall<typeof LINK_FLAGS> & Environment & Remotes & StandardOutput,
): Promise<void> {
  const { args, flags, context, out, env } = invocation;
  const [spec = ''] = args;
  const op = { signal: context.signal };
  const { remote, file } = await invocation.remotes.openPath(spec);
  const { title, traits } = remote;
  const { publicLink, deleteLink } = remote.can;
  if (publicLink === undefined) {
    throw new SyncerError('unsupported', `${title} doesn't support public links`);
  }
  // Backends without real directories report a missing one themselves.
  const entry = file ?? (traits.emptyDirs ? await remote.stat('', op) : { kind: 'dir', path: '' });
  if (entry === undefined) {
    throw new SyncerError('file-not-found', `${spec} does not exist`, { path: spec });
  }
  if (!flags.unlink) {
    const link = await publicLink(entry, flags.expire, op);
    const isShown = out.isTerminal && terminalAbilities(env).links;
    return out.write(isShown ? Buffer.from(`${linked(harmless(link))}\n`) : `${link}\n`);
  }
  if (deleteLink === undefined) {
    throw new SyncerError('unsupported', `links of ${title} cannot be revoked: they expire`);
  }
  await deleteLink(entry, op);
}
