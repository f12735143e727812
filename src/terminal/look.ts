import { isPlainTerminal } from '../system/plain-terminal.ts';
import type { Theme } from './theme.ts';

/** How screens are drawn on this terminal. */
export interface Look {
  readonly colour: boolean;
  readonly glyphs: Glyphs;
  /** No cursor movement at all: screens are read line by line (`SYNCER_PLAIN=1`, `TERM=dumb`). */
  readonly plain: boolean;
  /** The colours of the user's theme file, where there is one and colours are shown. */
  readonly theme?: Theme;
}

/** Characters that not every terminal has. */
export interface Glyphs {
  readonly ellipsis: string;
  /** Before the line the cursor is on. */
  readonly pointer: string;
  readonly mark: string;
  readonly bullet: string;
  readonly rule: string;
  /** A vertical rule, and where it meets the rules above and below. */
  readonly vertical: string;
  readonly teeDown: string;
  readonly teeUp: string;
  /** Corners of a box: top left, top right, bottom left, bottom right. */
  readonly corners: readonly [string, string, string, string];
  readonly separator: string;
  /** Parts of a bar from empty to full, in equal steps. */
  readonly bar: readonly string[];
  /** What is left of a bar that shows a share of a whole. */
  readonly track: string;
  /** The parts of a bar for old versions and for unfinished uploads. */
  readonly kept: readonly [string, string];
  /** Heights for a history of figures, from lowest to highest. */
  readonly spark: readonly string[];
  /** What turns while something is waited for. */
  readonly spinner: readonly string[];
  readonly arrow: string;
  /** Between two sides that both change. */
  readonly bothWays: string;
  readonly tick: string;
  readonly cross: string;
  /** Before what was stopped. */
  readonly stop: string;
  /** Before a folder whose content is hidden, and before one whose content is shown. */
  readonly folded: string;
  readonly unfolded: string;
  readonly up: string;
  readonly down: string;
}

/** For a locale of UTF-8. */
export const UNICODE_GLYPHS: Glyphs = {
  ellipsis: '…',
  pointer: '❯',
  mark: '●',
  bullet: '•',
  rule: '─',
  vertical: '│',
  teeDown: '┬',
  teeUp: '┴',
  corners: ['╭', '╮', '╰', '╯'],
  separator: '·',
  bar: [' ', '▏', '▎', '▍', '▌', '▋', '▊', '▉', '█'],
  track: '▁',
  kept: ['▒', '░'],
  spark: ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'],
  spinner: ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'],
  arrow: '→',
  bothWays: '↔',
  tick: '✓',
  cross: '✗',
  stop: '■',
  folded: '▸',
  unfolded: '▾',
  up: '↑',
  down: '↓',
};

/** For every other one. */
export const ASCII_GLYPHS: Glyphs = {
  ellipsis: '~',
  pointer: '>',
  mark: '*',
  bullet: '-',
  rule: '-',
  vertical: '|',
  teeDown: '+',
  teeUp: '+',
  corners: ['+', '+', '+', '+'],
  separator: '|',
  bar: [' ', '#'],
  track: '-',
  kept: ['=', '+'],
  spark: ['_', '.', '-', '=', '+', '*', '#'],
  spinner: ['|', '/', '-', '\\'],
  arrow: '->',
  bothWays: '<->',
  tick: 'ok',
  cross: 'x',
  stop: '#',
  folded: '>',
  unfolded: 'v',
  up: '^',
  down: 'v',
};

/**
 * The look for a terminal whose environment is `env`. `NO_COLOR` is obeyed where it is set and not empty
 * (no-color.org); `colour` is what `--color` decided and wins.
 */
export function lookOf(env: NodeJS.ProcessEnv, colour?: boolean): Look {
  const plain = isPlainTerminal(env);
  // By the order of POSIX locale variables; no locale at all is `C`.
  const locale = env['LC_ALL'] || env['LC_CTYPE'] || env['LANG'] || '';
  const glyphs = /utf-?8/i.test(locale) ? UNICODE_GLYPHS : ASCII_GLYPHS;
  return { colour: colour ?? (!plain && !env['NO_COLOR']), glyphs, plain };
}
