import type { Command, Invocation } from '../src/app/command.ts';
import { obscure } from '../src/config/obscure.ts';

/** `syncer obscure password` */
export const obscureCommand: Command = { run };

async function run({ args, stdin, out }: Invocation): Promise<void> {
  const [given = ''] = args;
  const isPiped = !('isTTY' in stdin && stdin.isTTY === true);
  const password = given === '-' && isPiped ? await firstLine(stdin) : given;
  await out.write(`${obscure(password)}\n`);
}

async function firstLine(stdin: Invocation['stdin']): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stdin) {
    chunks.push(Buffer.from(chunk));
    if (chunks.at(-1)?.includes(10)) break;
  }
  const [line = ''] = Buffer.concat(chunks).toString('utf8').split(/\r?\n/, 1);
  return line;
}
