import type { Look } from '../screen/look.ts';
import { type Line, type Span, span } from '../screen/span.ts';
import { ROOT } from '../size-tree/node.ts';
import type { Browser } from './browser.ts';
import { counted, countText, durationText, plainSize, shortCount } from './figures.ts';
import { fitLine } from './fit-line.ts';
import { taskText } from './task-text.ts';

/** The line above the footer: what the last key did, how the scan goes on, what runs, what is marked. */
export function statusLine(browser: Browser, columns: number, { glyphs }: Look): Line {
  const { message, marks, tasks } = browser;
  if (message !== undefined)
    return fitLine([span(message.text, message.tone)], columns, glyphs.ellipsis);
  const separator = span(` ${glyphs.separator} `, 'dim');
  const parts: Span[][] = [];
  const current = tasks.current ?? tasks.tasks.at(-1);
  if (current !== undefined) {
    const tone = current.failed > 0 ? 'bad' : current.state === 'running' ? 'accent' : 'good';
    const more = tasks.unfinished > 1 ? ` (+${tasks.unfinished - 1} more)` : '';
    parts.push([span(taskText(current) + more, tone)]);
  }
  if (marks.size > 0) parts.push([span(`${countText(marks.size)} marked`, 'warn')]);
  parts.push(scanPart(browser));
  const { tree } = browser;
  const errors = tree.failed(ROOT);
  if (errors > 0) parts.push([span(`${counted(errors, 'error')} (e)`, 'bad')]);
  const line = parts.flatMap((part, at) => (at === 0 ? part : [separator, ...part]));
  return fitLine(line, columns, glyphs.ellipsis);
}

function scanPart({ tree, scan, nowMs }: Browser): Span[] {
  const total = `${counted(tree.files(ROOT), 'file')}, ${plainSize(tree.size(ROOT))}`;
  if (scan.state === 'done') return [span(`${total} in ${counted(tree.dirs, 'directory')}`)];
  if (scan.state === 'stopped') return [span(`scan stopped: ${total}`, 'warn')];
  const elapsedMs = nowMs() - scan.startedMs;
  const rate = elapsedMs < 500 ? '' : `, ${shortCount((1000 * tree.nodes) / elapsedMs)}/s`;
  const where = scan.path === '' ? 'Scanning' : `Scanning ${scan.path}`;
  return [span(`${where}: `, 'accent'), span(`${total}${rate}, ${durationText(elapsedMs)}`)];
}
