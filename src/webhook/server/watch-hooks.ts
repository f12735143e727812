import type { HookLog } from '../log/hook-log.ts';
import type { HookStore } from './hook-store.ts';
import { LOOK_INTERVAL_MS, lookAt, type Seen } from './look-at.ts';

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
    (path, why) => {
      const what = isOfHooks.has(path) ? 'hooks file' : 'file that hooks refer to,';
      const kept = 'its hooks stay in use until it is back';
      store.report(`${what} ${path} ${why ? `cannot be read: ${why}` : 'removed'}; ${kept}`);
    },
  );
}

/**
 * Checks files by name, again and again, so that it does not matter whether they are written in place, replaced by a
 * rename, or reached through links that change. Calls `changed` when the content of a file is another and has settled,
 * `gone` when a file is missing or, with the reason, cannot be read. Resolves after the first check: later changes will be seen.
 *
 * @param paths called before each check
 * @returns stops it
 */
export async function watchFiles(
  paths: () => readonly string[],
  changed: (path: string) => Promise<void>,
  gone: (path: string, why?: string) => void,
): Promise<() => void> {
  const known = new Map<string, Seen>();
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  const look = async () => {
    for (const path of paths()) await lookAt(path, known, changed, gone);
    if (!stopped) timer = setTimeout(look, LOOK_INTERVAL_MS);
  };
  await look();
  return () => {
    stopped = true;
    clearTimeout(timer);
  };
}
