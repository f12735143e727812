import type { Backend, OpenParams } from '../../../src/backends/backend.ts';
import { BACKENDS } from '../../../src/backends/index.ts';
import type { ConfigFile } from '../../../src/config/config-file.ts';
import type { Draft } from '../../../src/config/dialogue/draft.ts';
import { storedValues } from '../../../src/config/edit-remote.ts';
import { iniSections } from '../../../src/config/ini-lines.ts';
import { resolveOptions } from '../../../src/config/resolve-options.ts';
import { withSecrets } from '../../../src/config/secret-references.ts';
import { linkedAbort } from '../../../src/core/abort.ts';
import { transportOptions } from '../../../src/run/remotes/transport-options.ts';
import type { Invocation } from '../../../src/shell/command-line/command.ts';
import { nearestName } from '../../../src/shell/command-line/nearest-name.ts';

/**
 * The backend of a draft, with options from the environment besides its own, as if it were saved. Each request is made
 * at most `tries` times; nothing is logged.
 */
export async function openDraft(
  { context, flags, env }: Invocation,
  file: ConfigFile,
  { name, kind, values }: Draft,
  signal: AbortSignal,
  tries: number,
): Promise<{ backend: Backend; params: OpenParams }> {
  const section = new Map([['type', kind.type], ...storedValues(values, kind, 'always')]);
  const sources = {
    config: new Map(iniSections(await file.read())).set(name, section),
    configPath: file.path,
    env,
    backends: BACKENDS,
    nearest: nearestName,
    flagValue: () => undefined,
  };
  const { backend, root, options: given } = resolveOptions(`${name}:`, sources);
  const emit = () => {};
  const stop = linkedAbort(context.signal, signal).signal;
  const onSecret = () => {};
  const options = await withSecrets(given, { remote: name, env, signal: stop, onSecret });
  const transport = await transportOptions(flags, env, context.clock, emit);
  const params: OpenParams = {
    name,
    root,
    options,
    context: { ...context, emit, signal: stop },
    transport: { ...transport, lowLevelRetries: Math.min(tries, transport.lowLevelRetries) },
  };
  return { backend, params };
}
