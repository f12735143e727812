import type { Command, CommandSummary } from '../src/app/command.ts';
import { nearestName } from '../src/app/command-line/nearest-name.ts';
import { allUsages, subcommandsOf } from '../src/app/command-usages.ts';
import { commandHelp, flagsHelp, programHelp } from '../src/app/help/help-text.ts';
import { SyncerError } from '../src/core/errors.ts';

/** `syncer help [command]`, `syncer help flags [pattern]`, `syncer help backends`, `syncer help backend name` */
export const helpCommand: Command = async ({ args, commands, out, env }) => {
  const [topic, detail] = args;
  await out.write(await helpOn(topic, detail, commands, env));
};

const TOPICS = ['flags', 'filters', 'backends', 'backend'];

async function helpOn(
  topic: string | undefined,
  detail: string | undefined,
  commands: readonly CommandSummary[],
  env: NodeJS.ProcessEnv,
): Promise<string> {
  if (topic === undefined) return programHelp(commands);
  if (topic === 'filters') return (await import('../src/app/help/filters-help.ts')).filtersHelp();
  if (topic === 'flags') {
    const text = flagsHelp(detail === undefined ? undefined : pattern(detail), env);
    if (text !== '') return text;
    throw new SyncerError('usage', `no flag has "${detail}" in its name or help; see "help flags"`);
  }
  if (topic === 'backends' || topic === 'backend') {
    const { backendHelp, backendsHelp } = await import('../src/app/help/backend-help.ts');
    return detail === undefined ? backendsHelp() : backendHelp(detail);
  }
  const command = commands.find(({ name }) => name === topic);
  if (command !== undefined && detail === undefined) {
    return commandHelp(command, subcommandsOf(command), env);
  }
  const path = detail === undefined ? topic : `${topic} ${detail}`;
  const usage = allUsages(commands).find(({ name }) => name === path);
  if (usage !== undefined) return commandHelp(usage, [], env);
  const shown = allUsages(commands).filter(({ hidden }) => hidden !== true);
  const nearest = nearestName(path, [...shown.map(({ name }) => name), ...TOPICS]);
  const hint = nearest === undefined ? '' : ` (did you mean ${nearest}?)`;
  throw new SyncerError('usage', `no help on ${path}${hint}`);
}

function pattern(text: string): RegExp {
  try {
    return new RegExp(text, 'i');
  } catch (cause) {
    throw new SyncerError('usage', `not a regular expression: ${text}`, { cause });
  }
}
