import { type CharacterStyle, readScreen, type ScreenCharacter } from './read-screen.ts';

export interface WindowScreen {
  /** What stands in the title bar: the command line. */
  readonly title: string;
  readonly columns: number;
  readonly rows: number;
  /** The screen with its escape sequences. */
  readonly text: string;
}

/** A part of a picture; nothing of it is outside of its size. */
export interface Drawing {
  readonly width: number;
  readonly height: number;
  readonly svg: string;
}

/** Left, top, right and bottom in a cell: left and right as shares of it, top and bottom in units. */
type Block = readonly [number, number, number, number];

/** A cell, and in it the baseline and the edges of blocks, in units of the picture. */
const CELL = { width: 8, height: 18, baseline: 13.5 };
const BLOCK = { top: 2, bottom: 16 };
const EDGE = 14;
const TITLE_BAR = 34;

const PAPER = '#11161d';
const INK = '#d5dce5';
const DIM = '#8b96a5';
/** Black to white and the same brighter, in the order of terminals. */
const COLOURS = [
  '#5c6773',
  '#ff7b72',
  '#56d364',
  '#e3b341',
  '#79b8ff',
  '#d2a8ff',
  '#4fd6e0',
  '#f0f3f6',
  '#8b96a5',
  '#ffa198',
  '#7ee787',
  '#f2cc60',
  '#a5d6ff',
  '#f0b6ff',
  '#8ae9f0',
  '#ffffff',
];

/** One picture of a drawing, to be shown by itself: no font, script or other file is loaded. */
export function pictureOf({ width, height, svg }: Drawing, label: string): string {
  const isUsed = (ink: number) => ink < 8 || new RegExp(`class="c${ink}\\b`).test(svg);
  const font = `font:13px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escaped(label)}">`,
    `<style>text{${font};fill:${INK}}.d{fill:${DIM}}.i{fill:${PAPER}}.b{font-weight:700}`,
    `${COLOURS.map((colour, ink) => (isUsed(ink) ? `.c${ink}{fill:${colour}}` : '')).join('')}</style>`,
    `${svg}</svg>`,
    '',
  ].join('\n');
}

/** Draws a terminal's window. */
export function drawWindow({ title, columns, rows, text }: WindowScreen): Drawing {
  const width = columns * CELL.width + 2 * EDGE;
  const height = TITLE_BAR + rows * CELL.height + 2 * EDGE;
  const lines = readScreen(text).map((line, row) => drawLine(line, row));
  const svg = [
    `<rect x=".5" y=".5" width="${width - 1}" height="${height - 1}" rx="9" fill="${PAPER}" stroke="#3d4753"/>`,
    `<path d="M.5 ${TITLE_BAR}V9.5a9 9 0 0 1 9-9H${width - 9.5}a9 9 0 0 1 9 9V${TITLE_BAR}z" fill="#1f2630" stroke="#3d4753"/>`,
    ...['#ff5f57', '#febc2e', '#28c840'].map(
      (fill, at) => `<circle cx="${20 + 19 * at}" cy="17.5" r="5.5" fill="${fill}"/>`,
    ),
    `<text x="${width / 2}" y="22" class="d" text-anchor="middle">${escaped(title)}</text>`,
    `<g transform="translate(${EDGE} ${TITLE_BAR + EDGE})">`,
    ...lines.filter((line) => line !== ''),
    '</g>',
  ].join('\n');
  return { width, height, svg };
}

/** Several drawings as one, row by row, each row in the middle. */
export function arrange(rows: readonly (readonly Drawing[])[]): Drawing {
  const gap = 18;
  const widths = rows.map((row) => row.reduce((sum, one) => sum + one.width + gap, -gap));
  const width = Math.max(...widths);
  let y = 0;
  const parts = rows.flatMap((row, at) => {
    let x = (width - (widths[at] ?? 0)) / 2;
    const drawn = row.map((one) => {
      const part = `<g transform="translate(${x} ${y})">\n${one.svg}\n</g>`;
      x += one.width + gap;
      return part;
    });
    y += Math.max(...row.map(({ height }) => height)) + gap;
    return drawn;
  });
  return { width, height: y - gap, svg: parts.join('\n') };
}

function drawLine(line: readonly ScreenCharacter[], row: number): string {
  const y = row * CELL.height;
  const papers = runsOf(line, (a, b) => a.style.inverse === b.style.inverse)
    .filter(({ style }) => style.inverse)
    .map(({ column, cells, style }) =>
      drawRectangle(column, cells, y, [0, 0, 1, CELL.height], inkOf(style)),
    );
  return [...papers, ...runsOf(line, isDrawnWith).map((run) => drawRun(run, y))].join('');
}

function runsOf(
  line: readonly ScreenCharacter[],
  isOneRun: (last: ScreenCharacter, next: ScreenCharacter) => boolean,
): ScreenCharacter[] {
  const runs: ScreenCharacter[] = [];
  let last: ScreenCharacter | undefined;
  for (const one of line) {
    const run = runs.at(-1);
    if (run !== undefined && last !== undefined && isOneRun(last, one)) {
      runs[runs.length - 1] = { ...run, text: run.text + one.text, cells: run.cells + one.cells };
    } else runs.push(one);
    last = one;
  }
  return runs;
}

/** Letters of one style are, whose cells every font agrees on, and blocks that are the same. */
function isDrawnWith(last: ScreenCharacter, next: ScreenCharacter): boolean {
  if (last.style !== next.style) return false;
  return (
    (isLetter(last.text) && isLetter(next.text)) ||
    (last.text === next.text && blockOf(next.text) !== undefined)
  );
}

function isLetter(text: string): boolean {
  return /^[!-~]$/.test(text);
}

function drawRun({ text, column, cells, style }: ScreenCharacter, y: number): string {
  if (text === ' ') return '';
  const block = blockOf(text);
  if (block !== undefined) {
    return drawRectangle(column, cells, y, block, style.inverse ? PAPER : inkOf(style));
  }
  const classes = classesOf(style);
  const named = classes === '' ? '' : ` class="${classes}"`;
  const width = cells * CELL.width;
  return `<text x="${column * CELL.width}" y="${y + CELL.baseline}" textLength="${width}" lengthAdjust="spacingAndGlyphs"${named}>${escaped(text)}</text>`;
}

function drawRectangle(
  column: number,
  cells: number,
  y: number,
  [left, top, right, bottom]: Block,
  fill: string,
): string {
  const width = (cells - 1 + right - left) * CELL.width;
  const x = (column + left) * CELL.width;
  return `<rect x="${x}" y="${y + top}" width="${width}" height="${bottom - top}" fill="${fill}"/>`;
}

/** What of its cell a bar, a spark or a rule fills. */
function blockOf(text: string): Block | undefined {
  const { top, bottom } = BLOCK;
  const lower = '▁▂▃▄▅▆▇█'.indexOf(text[0] ?? '');
  if (lower >= 0) return [0, bottom - ((bottom - top) * (lower + 1)) / 8, 1, bottom];
  const left = '▏▎▍▌▋▊▉'.indexOf(text[0] ?? '');
  if (left >= 0) return [0, top, (left + 1) / 8, bottom];
  return text.startsWith('─') ? [0, CELL.height / 2, 1, CELL.height / 2 + 1] : undefined;
}

function inkOf({ ink, dim }: CharacterStyle): string {
  return (ink === undefined ? undefined : COLOURS[ink]) ?? (dim ? DIM : INK);
}

function classesOf({ ink, dim, bold, inverse }: CharacterStyle): string {
  const colour = inverse ? 'i' : ink !== undefined ? `c${ink}` : dim ? 'd' : '';
  return [colour, bold ? 'b' : ''].filter((name) => name !== '').join(' ');
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
