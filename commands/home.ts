import { openHomeScreen } from '../components/open.ts';
import type { Command } from '../src/app/command.ts';
import { homeConfig, homeContents } from '../src/app/home/home-contents.ts';
import { runOwnCommand } from '../src/app/home/run-own-command.ts';
import { screenTerminal } from '../src/app/output/screen-terminal.ts';

/** `syncer home`, and `syncer` alone on a terminal. */
export const homeCommand: Command = async (invocation) => {
  const terminal = screenTerminal(invocation);
  const config = homeConfig(invocation);
  const complete = async (words: readonly string[], typed: string) => {
    const { completeWords } = await import('../src/completion/complete.ts');
    return (await completeWords(words, typed, invocation)).map(({ text }) => text);
  };
  const test = async (name: string) => {
    const { testRemote } = await import('../src/app/home/test-remote.ts');
    return testRemote(invocation, config, name);
  };
  let remote: string | undefined;
  for (;;) {
    const contents = {
      ...(await homeContents(invocation, config)),
      ...{ complete, test },
      ...(remote === undefined ? {} : { remote }),
    };
    const command = await openHomeScreen(contents, terminal);
    if (command === undefined) return;
    remote = command.remote;
    await runOwnCommand(command, invocation);
  }
};
