import type { Span, Tone } from './span.ts';

/** What a theme file can change: the tones under the names people use, and the text in three levels of brightness. */
export type Role =
  | Exclude<Tone, 'plain' | 'warn' | 'dir'>
  | 'bright'
  | 'normal'
  | 'warning'
  | 'directory';

/** How a text is drawn, as Ink names it. */
export interface Style {
  /** One of `COLOURS`, `ansi256(0)` to `ansi256(255)`, or `#rrggbb`. */
  readonly color?: string;
  readonly bold?: boolean;
  readonly dimColor?: boolean;
  readonly underline?: boolean;
  readonly inverse?: boolean;
}

/** The style of each role. */
export type Theme = Readonly<Record<Role, Style>>;

/** Colours of the sixteen every terminal has, so that they follow the user's own scheme. */
export const DEFAULT_THEME: Theme = {
  bright: { bold: true },
  normal: {},
  dim: { dimColor: true },
  title: { color: 'cyan', bold: true },
  section: { color: 'cyan', bold: true },
  heading: { dimColor: true },
  key: { color: 'cyan' },
  accent: { color: 'cyan' },
  cursor: { inverse: true },
  marked: { color: 'yellow' },
  directory: { color: 'blue', bold: true },
  good: { color: 'green' },
  warning: { color: 'yellow' },
  bad: { color: 'red' },
  bar: { color: 'cyan' },
  'bar-old': { color: 'yellow' },
  'bar-upload': { color: 'red' },
  track: { dimColor: true },
  images: { color: 'magenta' },
  video: { color: 'magentaBright' },
  audio: { color: 'cyan' },
  documents: { color: 'blueBright' },
  archives: { color: 'yellow' },
  code: { color: 'greenBright' },
};

const EIGHT = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'];

/** The sixteen names in the order of their numbers. */
export const COLOURS: readonly string[] = [...EIGHT, ...EIGHT.map((name) => `${name}Bright`)];
const ROLES: Readonly<Partial<Record<Tone, Role>>> = { warn: 'warning', dir: 'directory' };

const ATTRIBUTES: ReadonlyMap<string, Style> = new Map<string, Style>([
  ['bold', { bold: true }],
  ['dim', { dimColor: true }],
  ['underline', { underline: true }],
  ['reverse', { inverse: true }],
]);

/**
 * How a span is drawn. Without colour the meaning must be in the words; only weight is left, and the cursor.
 *
 * @param theme absent: there is no colour
 * @param isCursor the cursor is on it
 */
export function drawnStyle(
  { tone = 'plain', bold = false }: Span,
  theme: Theme | undefined,
  isCursor = tone === 'cursor',
): Style {
  const isHeading = tone === 'title' || tone === 'section';
  const weight: Style =
    bold || (isHeading && (isCursor || theme === undefined)) ? { bold: true } : {};
  if (isCursor) return { ...(theme?.cursor ?? { inverse: true }), ...weight };
  if (theme === undefined) return weight;
  if (tone === 'plain') return bold ? theme.bright : theme.normal;
  return { ...theme[ROLES[tone] ?? (tone as Role)], ...weight };
}

/** A line of a theme file that has no effect, counted from 1. */
export interface ThemeFault {
  readonly line: number;
  readonly why: string;
}

/**
 * Reads a theme file: lines of `role = colour [bold] [dim] [underline] [reverse]`. Roles that it does not name, and
 * those of faulty lines, stay as they are by default. `mouse = off` turns the mouse off; `mouse` is absent if none says it.
 *
 * @param hasTrueColour whether the terminal shows `#rrggbb`; otherwise one of its 256 colours is taken
 */
export function parseTheme(text: string, hasTrueColour: boolean) {
  const theme: Record<Role, Style> = { ...DEFAULT_THEME };
  const faults: ThemeFault[] = [];
  let mouse: boolean | undefined;
  const lines = text.replace(/^\uFEFF/, '').split('\n');
  for (const [index, raw] of lines.entries()) {
    const line = raw.trim().toLowerCase();
    if (line === '' || /^[#;]/.test(line)) continue;
    const [, isOn] = /^mouse\s*=\s*(\S.*)$/.exec(line) ?? [];
    if (isOn === 'on' || isOn === 'off') mouse = isOn === 'on';
    const why =
      isOn === undefined
        ? takeLine(line, theme, hasTrueColour)
        : /^(on|off)$/.test(isOn)
          ? undefined
          : `unknown value "${isOn}"; use on or off`;
    if (why !== undefined) faults.push({ line: index + 1, why });
  }
  return { theme, faults, ...(mouse === undefined ? {} : { mouse }) };
}

/** Puts a line into the theme, or says what is wrong with it. */
function takeLine(line: string, theme: Record<Role, Style>, hasTrueColour: boolean) {
  const [, role = '', value = ''] = /^([^=]*?)\s*=\s*(.*)$/.exec(line) ?? [];
  if (value === '') return 'not "role = colour"';
  if (!Object.hasOwn(theme, role)) {
    return `unknown role "${role}"; use one of ${Object.keys(theme).join(', ')}`;
  }
  const [word = '', ...attributes] = value.split(/\s+/);
  const colour = colourOf(word, hasTrueColour);
  if (colour === undefined) {
    return `unknown colour "${word}"; use a name such as red or bright-red, 0 to 255, #rrggbb or none`;
  }
  const unknown = attributes.find((name) => !ATTRIBUTES.has(name));
  if (unknown !== undefined) {
    return `unknown attribute "${unknown}"; use bold, dim, underline or reverse`;
  }
  theme[role as Role] = Object.assign(
    {},
    colour,
    ...attributes.map((name) => ATTRIBUTES.get(name)),
  );
  return undefined;
}

function colourOf(word: string, hasTrueColour: boolean): Style | undefined {
  if (word === 'none') return {};
  const name = word.replace(/^bright-(.*)$/, '$1Bright');
  if (COLOURS.includes(name)) return { color: name };
  if (/^\d{1,3}$/.test(word) && Number(word) < 256) return { color: `ansi256(${Number(word)})` };
  if (!/^#[\da-f]{6}$/.test(word)) return undefined;
  if (hasTrueColour) return { color: word };
  // The nearest one in the cube of 6x6x6 with the numbers 16 to 231; its steps are 0, 95, 135, …, 255.
  const [red = 0, green = 0, blue = 0] = rgbOf(word).map((part) =>
    part < 115 ? Math.round(part / 95) : Math.trunc((part - 35) / 40),
  );
  return { color: `ansi256(${16 + 36 * red + 6 * green + blue})` };
}

/** The parts of `#rrggbb`. */
export function rgbOf(colour: string): readonly number[] {
  return [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16));
}
