import type { Readable } from 'node:stream';
import type { Invocation } from '../src/app/command.ts';
import { BACKENDS } from '../src/backends/index.ts';
import { iniSections } from '../src/config/ini-lines.ts';
import { obscure } from '../src/config/obscure.ts';
import { isKnownType } from '../src/config/option-sources.ts';
import { namedRemotes, remoteLines } from '../src/config/remote-names.ts';
import { formatRemoteSpec } from '../src/config/remote-spec.ts';
import { openUserConfig } from '../src/config/user-config.ts';
import { SyncerError } from '../src/core/errors.ts';

/** `syncer listremotes` */
export async function listremotesCommand({
  flags,
  env,
  context,
  out,
  ask,
}: Invocation): Promise<void> {
  const lines = await openUserConfig(flags, env, context.emit, ask).read(context.signal);
  const remotes = namedRemotes(iniSections(lines), env, (type) => isKnownType(type, BACKENDS));
  for (const line of remoteLines(remotes, flags.long)) await out.write(`${line}\n`);
}

/** `syncer authorize backend client_id client_secret` */
export async function authorizeCommand({ args, out, remotes }: Invocation): Promise<void> {
  const [kind = '', clientId, clientSecret] = args;
  const overrides = new Map<string, string>();
  if (clientId !== undefined) overrides.set('client_id', clientId);
  if (clientSecret !== undefined) overrides.set('client_secret', clientSecret);
  const login = await remotes.reconnect(
    formatRemoteSpec({ name: `:${kind}`, overrides, path: '' }),
  );
  const token = login?.values['token'];
  if (token === undefined) {
    throw new SyncerError('unsupported', `the backend "${kind}" needs no login`);
  }
  // rclone prints the same markers; its users know them.
  const lines = ['Paste the following into your remote machine --->', token, '<---End paste'];
  await out.write(`${lines.join('\n')}\n`);
}

/** `syncer obscure password` */
export async function obscureCommand({ args, input, out }: Invocation): Promise<void> {
  const stdin = input();
  const [given = ''] = args;
  const isPiped = !('isTTY' in stdin && stdin.isTTY === true);
  const password = given === '-' && isPiped ? await firstLine(stdin) : given;
  await out.write(`${obscure(password)}\n`);
}

async function firstLine(stdin: Readable): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stdin) {
    chunks.push(Buffer.from(chunk));
    if (chunks.at(-1)?.includes(10)) break;
  }
  const [line = ''] = Buffer.concat(chunks).toString('utf8').split(/\r?\n/, 1);
  return line;
}
