import { type LoadOptions, loadHooks } from '../file/load-hooks.ts';
import { checkHook } from './check-hook.ts';

/** What is wrong with hook files, one line each: what stops them from being loaded, and what could never work. */
export async function checkFiles(
  paths: readonly string[],
  options: LoadOptions,
): Promise<string[]> {
  const owners = new Map<string, string>();
  const faults: string[] = [];
  for (const path of paths) {
    try {
      const { hooks, root } = await loadHooks(path, options);
      const nodes = root.kind === 'list' ? root.items : [];
      for (const [index, hook] of hooks.entries()) {
        const node = nodes[index];
        if (node === undefined) continue;
        const found = checkHook(node, hook);
        const owner = owners.get(hook.id);
        if (owner !== undefined) {
          found.unshift({ place: node.place, text: `the id stands in ${owner} already` });
        }
        owners.set(hook.id, path);
        for (const { place, text } of found) {
          const { line, column } = place;
          faults.push(`${path}: line ${line}, column ${column}: hook "${hook.id}": ${text}`);
        }
      }
    } catch (thrown) {
      faults.push(`${path}: ${(thrown as Error).message}`);
    }
  }
  return faults;
}
