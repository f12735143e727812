import { counted, figure } from '../../src/core/shown-text.ts';
import { type NodeId, ROOT } from '../../src/size-tree/node.ts';
import { shownSize } from '../../src/size-tree/sort-order.ts';
import { fitLine } from '../../src/terminal/cells.ts';
import { durationText, plainSize, shortCount } from '../../src/terminal/figures.ts';
import { fitParts, type LinePart, part } from '../../src/terminal/fit-parts.ts';
import type { Look } from '../../src/terminal/look.ts';
import { type Line, type Span, span } from '../../src/terminal/span.ts';
import type { Browser } from './browser.ts';
import { taskText } from './task-text.ts';

/** The line above the footer: the last key's message, or the scan, the tasks and the marks. */
export function statusLine(browser: Browser, columns: number, { glyphs }: Look): Line {
  const { message, marks, tasks } = browser;
  if (message !== undefined)
    return fitLine([span(message.text, message.tone)], columns, glyphs.ellipsis);
  const parts: LinePart[] = [];
  const current = tasks.current ?? tasks.tasks.at(-1);
  if (current !== undefined) {
    const why = ` ${glyphs.separator} T shows why`;
    const tone = current.failed > 0 ? 'bad' : current.state === 'running' ? 'accent' : 'good';
    const more = tasks.unfinished > 1 ? ` (+${figure(tasks.unfinished - 1)} more)` : '';
    parts.push(part(0, taskText(current) + (current.failed > 0 ? why : '') + more, tone));
  }
  if (marks.size > 0) parts.push(part(3, `${figure(marks.size)} marked`, 'warn'));
  const { tree, settings, scan, effects } = browser;
  const excluded = [...tree.excluded];
  const size = excluded.reduce((sum, node) => sum + shownSize(tree, node, settings.order), 0);
  const leftOut = `${figure(excluded.length)} excluded, ${plainSize(size)} (X)`;
  if (excluded.length > 0) parts.push(part(1, leftOut, 'warn'));
  parts.push({ rank: 1, spans: scanPart(browser) });
  const errors = tree.failed(ROOT);
  if (errors > 0) parts.push(part(2, `${counted(errors, 'error')} (E)`, 'bad'));
  const gap = ` ${glyphs.separator} `;
  const line = fitParts(parts, columns, gap);
  const waiting = scan.state === 'running' ? effects.waiting?.() : undefined;
  if (waiting !== undefined) {
    return fitLine([...line, span(gap, 'dim'), span(waiting, 'warn')], columns, glyphs.ellipsis);
  }
  return line.length > 0 ? line : fitLine(parts[0]?.spans ?? [], columns, glyphs.ellipsis);
}

function scanPart(browser: Browser): Span[] {
  const { tree, scan, rows } = browser;
  const { keptAge } = scan;
  const total = figuresOf(browser, ROOT);
  const kept = keptAge === undefined ? '' : `scan of ${keptAge}, `;
  if (scan.state === 'reading') return [span(`Reading the ${kept}${total}`, 'accent')];
  if (scan.state === 'done' && keptAge === undefined) {
    const all = `${total} in ${counted(tree.dirs, 'directory')}`;
    return [span(rows.dir === ROOT ? all : `here ${figuresOf(browser, rows.dir)}; total ${all}`)];
  }
  if (scan.state !== 'running') {
    return [
      span(keptAge === undefined ? `scan stopped: ${total}` : `${kept}r scans again`, 'warn'),
    ];
  }
  const elapsedMs = browser.nowMs() - scan.startedMs;
  const nodes = tree.nodes - scan.nodesBefore;
  const rate = elapsedMs < 500 ? '' : `, ${shortCount((1000 * nodes) / elapsedMs)}/s`;
  const where = scan.path === '' ? 'Scanning' : `Scanning ${scan.path}`;
  const found = `${figuresOf(browser, scan.into)}${rate}, ${durationText(elapsedMs)}`;
  if (keptAge !== undefined) {
    return [span(kept, 'warn'), span('scanning again: ', 'accent'), span(found)];
  }
  return [span(`${where}: `, 'accent'), span(found)];
}

function figuresOf({ tree, settings }: Browser, dir: NodeId): string {
  const { order } = settings;
  const kind = tree.hasDisk ? (order.isApparent ? ' apparent size' : ' on disk') : '';
  return `${counted(tree.files(dir), 'file')}, ${plainSize(shownSize(tree, dir, order))}${kind}`;
}
