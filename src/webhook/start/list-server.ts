/** A server that ends sooner is not listed, in milliseconds. */
const LONG_MS = 1_000;

/**
 * Puts the server on the list of `syncer ps` after its first second. Without a directory for the list it is not listed.
 *
 * @param control the path of its control socket, which shows what its hooks do
 * @returns takes it off the list
 */
export function listServer(
  process: NodeJS.Process,
  control: string | undefined,
): () => Promise<void> {
  const startedMs = Date.now();
  let entered: ReturnType<typeof enter> | undefined;
  const timer = setTimeout(() => {
    entered = enter(process, startedMs, control).catch(() => undefined);
  }, LONG_MS).unref();
  return async () => {
    clearTimeout(timer);
    await (await entered)?.leave();
  };
}

async function enter(
  { argv, env, pid, cwd }: NodeJS.Process,
  startedMs: number,
  control: string | undefined,
) {
  const { hostname } = await import('node:os');
  const { resolve } = await import('node:path');
  const { ownMark } = await import('../../kit/owner-state.ts');
  const { newRunId } = await import('../../kit/run-id.ts');
  const { enterRun } = await import('../../running/enter-run.ts');
  const { ownRunFolders } = await import('../../running/run-folders.ts');
  return enterRun(ownRunFolders(env), {
    ...{ id: newRunId(startedMs), mark: ownMark(), pid, host: hostname(), startedMs },
    ...{ words: argv.slice(2), program: 'webhook', dir: cwd() },
    ...(control === undefined ? {} : { control: resolve(control) }),
  });
}
