import type { Invocation } from '../app/command.ts';
import { fileForDirectory } from '../app/remotes/open-directory.ts';
import { requestsAtOnce } from '../app/remotes/requests-at-once.ts';
import type { BrowserEffects } from '../browser/browser-effects.ts';
import type { Remote } from '../core/remote.ts';
import type { SizeTree } from '../size-tree/size-tree.ts';
import { deleteBudget } from '../sync/delete-budget.ts';
import { entryDetails, fileHead } from './entry-details.ts';
import { removeNodes } from './remove-nodes.ts';
import { type Scanned, scanTree } from './scan-tree.ts';

/** What browsing begins with: the store may still be looked for while the first frame is shown. */
export interface Browsed {
  readonly spec: string;
  readonly tree: SizeTree;
  readonly opened: Promise<Scanned>;
}

/** Opens what is to be browsed. Rejects with `not-a-directory` where it is a file. */
export async function openScanned(
  invocation: Invocation,
  spec: string,
  tree: SizeTree,
): Promise<Scanned> {
  const [{ remote, file }, filter] = await Promise.all([
    invocation.remotes.openPath(spec),
    invocation.filter(),
  ]);
  if (file !== undefined) throw fileForDirectory(spec);
  const { flags } = invocation;
  const listed = flags['fast-list'] ? await fastListed(remote) : remote;
  return { remote: listed, filter, atOnce: requestsAtOnce(flags, remote), tree };
}

async function fastListed(remote: Remote): Promise<Remote> {
  if (remote.can.listDirs === undefined) return remote;
  const { treeListed } = await import('../sync/tree-listed.ts');
  return treeListed(remote);
}

/** All that the browser has done for it, by the program's own engine. */
export function browseEffects(
  invocation: Invocation,
  { spec, opened }: Browsed,
  terminal: Pick<BrowserEffects, 'copyText' | 'clearScreen'>,
): BrowserEffects {
  const mayGo = deleteBudget(invocation.flags['max-delete'] ?? -1).take;
  return {
    scan: async (into, path, preferred, op) =>
      scanTree(await opened, { into, path, preferred }, op),
    remove: async (nodes, report, op) =>
      removeNodes({ ...(await opened), mayGo }, nodes, report, op),
    async transfer(request, report, op) {
      const { transferNodes } = await import('./transfer-nodes.ts');
      await transferNodes(invocation, { ...(await opened), spec }, request, report, op);
    },
    details: async (path, withHashes, op) =>
      entryDetails((await opened).remote, path, withHashes, op),
    head: async (path, op) => fileHead((await opened).remote, path, op),
    ...terminal,
  };
}
