import type { Command, Invocation } from '../src/app/command.ts';
import { BACKENDS } from '../src/backends/index.ts';
import { iniSections } from '../src/config/ini-lines.ts';
import { isKnownType } from '../src/config/option-sources.ts';
import { namedRemotes, remoteLines } from '../src/config/remote-names.ts';
import { openUserConfig } from '../src/config/user-config.ts';

/** `syncer listremotes` */
export const listremotesCommand: Command = { run };

async function run({ flags, env, context, out, ask }: Invocation): Promise<void> {
  const lines = await openUserConfig(flags, env, context.emit, ask).read(context.signal);
  const remotes = namedRemotes(iniSections(lines), env, (type) => isKnownType(type, BACKENDS));
  for (const line of remoteLines(remotes, flags.long)) await out.write(`${line}\n`);
}
