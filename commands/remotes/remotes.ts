import { createInterface } from 'node:readline';
import { BACKENDS, OWN_BACKENDS } from '../../src/backends/index.ts';
import { openUserConfig } from '../../src/config/config-file.ts';
import { iniSections } from '../../src/config/ini-lines.ts';
import { obscure, reveal } from '../../src/config/obscure.ts';
import { isKnownType, kindOf, shownType } from '../../src/config/option-sources.ts';
import {
  type NamedRemote,
  namedRemotes,
  orderRemotes,
  remoteLines,
} from '../../src/config/remote-names.ts';
import { formatRemoteSpec } from '../../src/config/remote-spec.ts';
import { SyncerError, toSyncerError } from '../../src/core/errors.ts';
import { withoutMark } from '../../src/core/name-bytes.ts';
import { textGlobToRegexp } from '../../src/filter/glob-to-regexp.ts';
import { goJson } from '../../src/go/go-json.ts';
import type {
  Asking,
  CommandCall,
  Environment,
  Remotes,
  StandardInput,
  StandardOutput,
} from '../../src/shell/command-line/command.ts';
import type { REMOTES_FLAGS } from './command.ts';

export async function listremotesCommand(
  invocation: CommandCall<typeof REMOTES_FLAGS> & Environment & StandardOutput & Asking,
): Promise<void> {
  const { flags, env, context, out, ask } = invocation;
  const matches = await remoteFilter(invocation);
  const lines = await openUserConfig(flags, env, context.emit, ask).read(context.signal);
  const sections = iniSections(lines);
  const all = namedRemotes(sections, env, (type) => isKnownType(type, BACKENDS));
  const isListed = (remote: NamedRemote) =>
    (remote.source === 'environment' || sections.get(remote.name)?.has('type')) && matches(remote);
  const remotes = orderRemotes(all.filter(isListed), flags['order-remotes-by']);
  if (flags['remotes-json']) {
    const records = remotes.map((remote) => goJson({ ...remote }));
    await out.write(`[\n${records.join(',\n')}${records.length > 0 ? '\n' : ''}]\n`);
    return;
  }
  for (const line of remoteLines(remotes, flags.long)) await out.write(`${line}\n`);
}

/** Whether a remote matches the argument with any field, and each flag with its own. */
async function remoteFilter({
  args: [any = ''],
  flags,
}: CommandCall<typeof REMOTES_FLAGS>): Promise<(remote: NamedRemote) => boolean> {
  const { FirstMatch } = await import('../../src/go/first-match.ts');
  const compiled = (what: string, glob: string) => {
    if (glob === '') return undefined;
    try {
      return new FirstMatch([textGlobToRegexp(glob, flags['exact-remotes'])]);
    } catch (thrown) {
      throw new SyncerError('command-line', `invalid ${what}: ${toSyncerError(thrown).message}`);
    }
  };
  const anyField = compiled('filter', any);
  const ofField = (['name', 'type', 'source', 'description'] as const).map((field) => {
    return { field, match: compiled(`--${field}`, flags[`remotes-${field}`]) };
  });
  return (remote) =>
    (anyField === undefined || Object.values(remote).some((text) => anyField.find(text) >= 0)) &&
    ofField.every(({ field, match }) => match === undefined || match.find(remote[field]) >= 0);
}

export async function authorizeCommand(
  invocation: CommandCall & Remotes & StandardOutput,
): Promise<void> {
  const { args, out, remotes } = invocation;
  const [kind = '', clientId, clientSecret] = args;
  const own = kindOf(kind, OWN_BACKENDS);
  if (own === undefined && kindOf(kind, BACKENDS) !== undefined) {
    const advice = `run "rclone authorize ${kind}"`;
    throw new SyncerError('unsupported', `"${kind}" is a backend of rclone`, { advice });
  }
  if (own === undefined) {
    const types = OWN_BACKENDS.filter(({ login }) => login !== undefined).map(shownType);
    throw new SyncerError('command-line', `unknown backend "${kind}": use ${types.join(', ')}`);
  }
  const overrides = new Map<string, string>();
  if (clientId !== undefined) overrides.set('client_id', clientId);
  if (clientSecret !== undefined) overrides.set('client_secret', clientSecret);
  const spec = formatRemoteSpec({ name: `:${kind}`, overrides, path: '' });
  const token = (await remotes.reconnect(spec))?.values['token'];
  if (token === undefined) {
    throw new SyncerError('unsupported', `the backend "${kind}" needs no login`);
  }
  // rclone prints the same markers; its users know them.
  const lines = ['Paste the following into your remote machine --->', token, '<---End paste'];
  await out.write(`${lines.join('\n')}\n`);
}

export async function obscureCommand(
  invocation: CommandCall & StandardOutput & StandardInput,
): Promise<void> {
  const { args, input, out } = invocation;
  const stdin = input();
  const [given = ''] = args;
  const isPiped = !('isTTY' in stdin && stdin.isTTY === true);
  let password = given;
  if (given === '-' && isPiped) {
    password = '';
    for await (const line of createInterface({ input: stdin })) {
      password = withoutMark(line);
      break;
    }
  }
  await out.write(`${obscure(password)}\n`);
}

export async function revealCommand({ args, out }: CommandCall & StandardOutput): Promise<void> {
  const [given = ''] = args;
  await out.write(`${reveal(given)}\n`);
}
