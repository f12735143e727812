import { counted } from '../../kit/counted.ts';
import type { Look } from '../../screen/look.ts';
import { type Line, span, type Tone } from '../../screen/span.ts';
import { type RuleMarks, WORD_MARKS } from '../report/explanation-lines.ts';
import { detailLines } from '../report/run-lines.ts';
import type { RunRecord } from '../run/run-record.ts';
import type { HooksState } from './hooks-state.ts';
import { indented, linesBelow } from './output-lines.ts';

/** The room for lines. */
export interface LineRoom {
  readonly columns: number;
  readonly rows: number;
  /** The request of a run stands beside it. */
  readonly hasPane?: boolean;
}

/** A run: what is known of it, and below its output or its request, which has at least half of the lines. */
export function runPageLines(
  state: HooksState,
  { columns, rows, hasPane = false }: LineRoom,
  look: Look,
  nowMs: number,
): Line[] {
  const { open } = state;
  const run = state.runs.find(({ id }) => id === open?.id);
  if (open === undefined || run === undefined)
    return [[span('  This run is no longer kept.', 'dim')]];
  const facts = factLines(run, columns, look, nowMs);
  const { isOutput, lines } = linesBelow(open, columns);
  if (hasPane && !isOutput && open.below === 'output') return facts.slice(0, rows);
  // The request, if it was not asked for, gets the rows that the facts leave.
  const isBeside = !isOutput && open.below === 'output';
  const most = isBeside ? rows : Math.max(1, Math.floor(rows / 2) - 1);
  const head = facts.slice(0, most);
  if (lines.length === 0 || rows - head.length < 3) return head;
  const room = Math.max(1, rows - head.length - 1);
  const last = Math.max(0, lines.length - room);
  const isEnd = open.top === 'end';
  const first = open.top === 'end' ? (isOutput ? last : 0) : Math.min(open.top, last);
  const shown = lines.slice(first, first + room).map((line): Line => [span(line)]);
  const place = `${isOutput ? 'output' : 'request'}, ${counted(lines.length, 'line')}${isOutput && isEnd ? ', following' : ''}`;
  return [...head, [span(place, 'section')], ...shown];
}

/** What is known of a run. */
export function factLines(run: RunRecord, columns: number, look: Look, nowMs: number): Line[] {
  const marks = look.colour && look.glyphs.tick === '✓' ? SIGNS : WORD_MARKS;
  return detailLines({ run }, nowMs, marks).flatMap((line) => {
    const tone = line.startsWith('  ') ? toneOf(line.trimStart(), marks) : 'dim';
    return indented(line, columns).map((text): Line => [span(text, tone)]);
  });
}

const SIGNS: RuleMarks = { yes: '✓', no: '✗', error: '!', skipped: '-' };

function toneOf(line: string, { yes, no, error }: RuleMarks): Tone {
  if (line.startsWith(yes)) return 'good';
  return line.startsWith(no) || line.startsWith(error) ? 'bad' : 'dim';
}
