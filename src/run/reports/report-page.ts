import { hostname } from 'node:os';
import { escapeMarkup, figure, harmless } from '../../core/shown-text.ts';
import { backendFlags } from '../../shell/command-line/backend-flags.ts';
import type { CommandSummary } from '../../shell/command-line/command.ts';
import { flagSetOf } from '../../shell/command-line/flag-set.ts';
import { readTokens } from '../../shell/command-line/read-tokens.ts';
import type { HistoryEntry } from '../history/list-history.ts';
import type { JournalVerb } from '../journal/journal-line.ts';
import type { RunChange } from '../journal/read-run.ts';
import { reviewSize } from '../review/planned-change.ts';
import {
  countKinds,
  KIND_WORDS,
  type RecordedChange,
  type RecordedKind,
  type ReportRecord,
} from './report-record.ts';

/** What the page shows of a report; the version of the program is not known of earlier runs. */
export interface ShownReport
  extends Omit<
    ReportRecord,
    | ('report' | 'directory' | 'ended' | 'guard' | 'lock' | 'deletions' | 'undo')
    | ('version' | 'counts')
  > {
  readonly version?: string;
  readonly counts: Omit<ReportRecord['counts'], 'listed' | 'resumedUploads'>;
}

const STYLE = `
:root { color-scheme: light dark; --ink: #1d2630; --dim: #5c6873; --paper: #fff; --line: #dde3e8; --good: #1a7f4b; --bad: #b3261e; --warn: #8a5a00; }
@media (prefers-color-scheme: dark) { :root { --ink: #e4e9ee; --dim: #93a0ad; --paper: #14191f; --line: #2b343d; --good: #5fd39a; --bad: #ff8a80; --warn: #f0c060; } }
body { margin: 2em auto; max-width: 60em; padding: 0 1em; color: var(--ink); background: var(--paper); font: 15px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.4em; margin: 0; overflow-wrap: anywhere; } h2 { font-size: 1.05em; margin: 2em 0 .5em; }
.success { color: var(--good); } .failure { color: var(--bad); } .stopped { color: var(--warn); } .dim { color: var(--dim); }
code { font: 13px/1.5 ui-monospace, monospace; overflow-wrap: anywhere; white-space: pre-wrap; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
td, th { padding: 3px 12px 3px 0; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; font-weight: normal; }
th { color: var(--dim); white-space: nowrap; width: 1%; } td.size { text-align: right; white-space: nowrap; }
td.name { overflow-wrap: anywhere; } td.kind { white-space: nowrap; width: 9em; box-sizing: border-box; } .deleted, .directoryDeleted { color: var(--bad); } .copied, .moved { color: var(--good); } .replaced, .renamed, .timeSet { color: var(--warn); }
summary { cursor: pointer; font-weight: 600; overflow-wrap: anywhere; } details { margin: .3em 0; }
@media print { body { margin: 0; max-width: none; font-size: 11px; } h2 { break-after: avoid; } tr { break-inside: avoid; } :root { color-scheme: light; --ink: #000; --paper: #fff; --line: #bbb; --dim: #444; } }
`;

/** The report of a run as one page of HTML, without scripts and without anything from elsewhere. */
export function reportPage(record: ShownReport, changes: readonly RecordedChange[]): string {
  const { command, result, exit, began, tookSeconds, host, run, version, isTrial } = record;
  const { errors, counts } = record;
  const title = `syncer ${command.join(' ')}`;
  const [verb = ''] = command;
  const places = record.places.join(' → ');
  // A flag may stand before the command.
  const headline = verb.startsWith('-') ? places : `${verb} ${places}`;
  const words = { success: 'Success', failure: 'Failed', stopped: 'Stopped' }[result];
  const errorRows = errors.map(
    ({ path = '', message }) =>
      `<tr><td class="name"><code>${escaped(path)}</code></td><td class="name">${escaped(message)}</td></tr>`,
  );
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${escaped(headline)}</title>
<style>${STYLE}</style>
</head>
<body>
<h1>${escaped(headline)}</h1>
<p><strong class="${result}">${words}</strong>, exit code ${exit}${isTrial ? ', nothing applied' : ''}
<span class="dim">· ${escaped(began.replace('T', ' ').replace(/\.\d+Z/, ' UTC'))} · ${tookSeconds.toFixed(1)} s · ${escaped(host)} · run ${escaped(run)}${version === undefined ? '' : ` · syncer ${escaped(version)}`}</span></p>
${record.error === undefined ? '' : `<p class="failure">${escaped(record.error.message)}</p>`}
<p><code class="dim">${escaped(title)}</code></p>
${numbers(record)}
${errors.length === 0 ? '' : `<h2>Errors</h2>\n<table>${errorRows.join('\n')}</table>${moreText(errors.length, counts.errors)}`}
${changeList(record, changes)}
${record.history === undefined ? '' : `<p class="dim">All changes: <code>${escaped(record.history)}</code></p>`}
</body>
</html>
`;
}

function numbers({ counts, bytes, bytesPerSecond, throttledSeconds, memory }: ShownReport): string {
  const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
  const row = (label: string, value: string) => `<tr><th>${label}</th><td>${value}</td></tr>`;
  const rows = (Object.keys(KIND_WORDS) as RecordedKind[]).flatMap((kind) =>
    counts[kind] === 0 ? [] : row(capital(KIND_WORDS[kind]), figure(counts[kind])),
  );
  const limit = memory?.limit === undefined ? '' : ` of ${reviewSize(memory.limit)}`;
  const sizes = [
    row('Transferred', `${reviewSize(bytes.transferred)}, ${reviewSize(bytesPerSecond)}/s`),
    ...(bytes.copiedByServer > 0
      ? [row('Copied by the server', reviewSize(bytes.copiedByServer))]
      : []),
    ...(bytes.deleted > 0 ? [row('Bytes deleted', reviewSize(bytes.deleted))] : []),
    row('Compared', figure(counts.checked)),
    row('Errors', figure(counts.errors)),
    ...(bytes.resumed > 0 ? [row('Resumed', reviewSize(bytes.resumed))] : []),
    ...(throttledSeconds > 0 ? [row('Throttled', `${throttledSeconds.toFixed(1)} s`)] : []),
    ...(memory === undefined ? [] : [row('Memory, peak', `${reviewSize(memory.peak)}${limit}`)]),
  ];
  return `<h2>Numbers</h2>\n<table>${[...rows, ...sizes].join('\n')}</table>`;
}

/** The changes by directory; deletions first, as they are what a reader looks for. */
function changeList({ counts }: ShownReport, changes: readonly RecordedChange[]): string {
  const kinds = Object.keys(KIND_WORDS) as RecordedKind[];
  const all = kinds.reduce((sum, kind) => sum + counts[kind], 0);
  if (all === 0) return '<h2>Changes</h2>\n<p>Nothing was changed.</p>';
  const parts: string[] = [];
  // The most characters of the list; the rest is counted.
  let room = 800_000;
  let shown = 0;
  for (const [dir, inDir] of Map.groupBy(changes, ({ path }) => path.replace(/[^/]*$/, ''))) {
    const rows: string[] = [];
    const ofDir = inDir.toSorted((a, b) => Number(isLoss(b)) - Number(isLoss(a)));
    for (const { kind, path, size } of ofDir) {
      const bytes = size === undefined ? '' : reviewSize(size);
      const text = `<tr><td class="kind ${kind}">${KIND_WORDS[kind]}</td><td class="name"><code>${escaped(path.slice(dir.length))}</code></td><td class="size">${bytes}</td></tr>`;
      if (text.length > room) break;
      room -= text.length;
      rows.push(text);
    }
    shown += rows.length;
    if (rows.length === 0) break;
    const name = escaped(dir === '' ? '(top)' : dir);
    parts.push(`<details open><summary>${name} <span class="dim">${figure(inDir.length)}</span></summary>
<table>${rows.join('\n')}</table></details>`);
  }
  return `<h2>Changes</h2>\n${parts.join('\n')}${moreText(shown, all)}`;
}

function isLoss({ kind }: RecordedChange): boolean {
  return kind === 'deleted' || kind === 'directoryDeleted';
}

function moreText(shown: number, all: number): string {
  return all > shown ? `\n<p class="dim">${figure(all - shown)} more are not shown.</p>` : '';
}

/** A text of anyone, as content of an element. */
const escaped = (text: string): string => escapeMarkup(harmless(text));

/** Created directories are in no report: they follow from their files. */
const KINDS: Readonly<Partial<Record<JournalVerb, RecordedKind>>> = {
  create: 'copied',
  replace: 'replaced',
  delete: 'deleted',
  move: 'moved',
  'set-time': 'timeSet',
  'remove-dir': 'directoryDeleted',
};

/** The changes of a journal that were made. */
export function pastChanges(changes: readonly RunChange[]): RecordedChange[] {
  return changes.flatMap(({ do: deed, path, dir, old, new: now, done }) => {
    const kind = deed === 'delete' && dir === true ? 'directoryDeleted' : KINDS[deed];
    if (kind === undefined || done?.ok !== true) return [];
    const mark = kind === 'deleted' ? old : (done.new ?? now);
    const size = mark === undefined || mark === 'unknown' ? -1 : mark.size;
    return [{ kind, path, ...(size < 0 ? {} : { size }) }];
  });
}

/** The report of a run of the history; of one that was interrupted, what its journal says. */
export function pastRecord(
  { id, words, beganMs, past }: HistoryEntry,
  changes: readonly RecordedChange[],
  commands: readonly CommandSummary[],
): ShownReport {
  const exit = past?.exit ?? 1;
  const tookMs = past?.tookMs ?? 0;
  const { bytes = 0, errors = 0, checks = 0, resumedBytes = 0, throttledMs = 0 } = past ?? {};
  const { copiedByServer = 0 } = past ?? {};
  const { error = 'interrupted: it has no end' } = past ?? {};
  const message = past === undefined || past.error !== undefined ? error : undefined;
  const isStopped = exit === 130 || exit === 143;
  let places: readonly string[] = [];
  try {
    const tokens = readTokens(words, flagSetOf(commands, undefined, backendFlags()));
    places = [...tokens].flatMap((token) => (token.kind === 'arg' ? token.text : [])).slice(1);
  } catch {
    // This version does not know a flag.
  }
  return {
    run: id,
    host: hostname(),
    command: words,
    places,
    began: new Date(beganMs).toISOString(),
    tookSeconds: tookMs / 1000,
    exit,
    result: exit === 0 ? 'success' : isStopped ? 'stopped' : 'failure',
    isTrial: past?.isTrial === true,
    error: message === undefined ? undefined : { code: 'other', message },
    counts: { ...countKinds(changes), checked: checks, errors },
    bytes: {
      transferred: bytes,
      copiedByServer,
      deleted: changes.reduce(
        (sum, { kind, size = 0 }) => (kind === 'deleted' ? sum + size : sum),
        0,
      ),
      resumed: resumedBytes,
    },
    bytesPerSecond: tookMs > 0 ? Math.round((bytes * 1000) / tookMs) : 0,
    ...(past?.peakMemory !== undefined && { memory: { peak: past.peakMemory } }),
    throttledSeconds: throttledMs / 1000,
    errors: [],
    history: `syncer history ${id}`,
  };
}
