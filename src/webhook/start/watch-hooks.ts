import type { HookLog } from '../log/hook-log.ts';
import type { HookStore } from '../server/hook-store.ts';
import { watchFiles } from '../server/watch-files.ts';

/** Reads files of hooks again when they change, or a file that they refer to. Resolves when nothing can be missed. */
export async function watchHooks(
  paths: readonly string[],
  store: HookStore,
  log: HookLog,
): Promise<void> {
  const files = paths.filter((path) => path !== '');
  const isOfHooks = new Set(files);
  await watchFiles(
    () => [...files, ...store.references],
    async (path) => {
      const what = isOfHooks.has(path) ? 'hooks file' : 'file that hooks refer to,';
      log.line(`${what} ${path} modified`);
      await store.reload(isOfHooks.has(path) ? [path] : store.filesThatReferTo(path));
    },
    (path) => {
      const what = isOfHooks.has(path) ? 'hooks file' : 'file that hooks refer to,';
      const kept = 'the hooks that were loaded from it stay in use until it is there again';
      log.line(`${what} ${path} removed; ${kept}`);
    },
  );
}
