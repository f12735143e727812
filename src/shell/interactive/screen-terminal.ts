import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { configPath } from '../../config/config-path.ts';
import { SyncerError } from '../../core/errors.ts';
import { userText } from '../../core/name-bytes.ts';
import { harmless } from '../../core/shown-text.ts';
import { type Look, lookOf } from '../../terminal/look.ts';
import type { ScreenTerminal } from '../../terminal/screen-model.ts';
import { escapeWait } from '../../terminal/terminal-input.ts';
import { parseTheme } from '../../terminal/theme.ts';
import type { CommandCall, Environment } from '../command-line/command.ts';
import type { Flags } from '../flags/flag-table.ts';

/** Whether standard input and output are a terminal that can show a screen. */
export function hasScreenTerminal(): boolean {
  return process.stdin.isTTY === true && process.stdout.isTTY === true;
}

/**
 * The terminal for a screen. Throws `usage` if standard input or output is not one.
 *
 * @param instead what to do without a terminal, for the message
 * @param stdin the source of keys
 */
export function screenTerminal(
  { env, flags, context }: CommandCall & Environment,
  instead = 'see "syncer help"',
  stdin: NodeJS.ReadStream = process.stdin,
): ScreenTerminal {
  const { stdout } = process;
  if (!stdin.isTTY || !stdout.isTTY) {
    throw new SyncerError('usage', `the screen needs a terminal; ${instead}`);
  }
  const { color } = flags;
  const colour = color === 'always' ? true : color === 'never' ? false : undefined;
  const { look, mouse } = themedScreen(env, flags.config, colour);
  return {
    stdin,
    stdout,
    look,
    mouse: mouse && !flags['no-mouse'],
    escapeMs: escapeWait(env),
    signal: context.signal,
  };
}

/** A run with more than one screen warns once. */
const warned = new Set<string>();

/** The look of this terminal with the user's colours. */
export function themedLook(
  env: NodeJS.ProcessEnv,
  flags: Flags,
  colour: boolean | undefined,
): Look {
  return themedScreen(env, flags.config, colour).look;
}

/**
 * What `theme.conf` beside the configuration file makes of a screen: the look with its colours, and whether the mouse is
 * used. Each faulty line of it is one warning on standard error, where there are colours.
 *
 * @param named the configuration file that the user named
 */
export function themedScreen(
  env: NodeJS.ProcessEnv,
  named?: string,
  colour?: boolean,
): Pick<ScreenTerminal, 'look' | 'mouse'> {
  const look = lookOf(env, colour);
  const config = configPath(named, env);
  if (look.plain) return { look, mouse: false };
  if (config === undefined) return { look, mouse: true };
  const path = join(dirname(config), 'theme.conf');
  const warn = (text: string) => {
    if (look.colour && !warned.has(text)) process.stderr.write(`syncer: ${harmless(text)}\n`);
    warned.add(text);
  };
  try {
    const hasTrueColour = /^(truecolor|24bit)$/i.test(env['COLORTERM'] ?? '');
    const { theme, mouse = true, faults } = parseTheme(userText(readFileSync(path)), hasTrueColour);
    for (const { line, why } of faults) warn(`${path}:${line}: ${why}`);
    return { look: look.colour ? { ...look, theme } : look, mouse };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code !== 'ENOENT' && code !== 'ENOTDIR') warn(`cannot read ${path}: ${code ?? message}`);
    return { look, mouse: true };
  }
}
