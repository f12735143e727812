import { type Job, runsOfJob } from '../../src/config/job.ts';
import { counted } from '../../src/core/counted.ts';
import { harmless } from '../../src/core/harmless.ts';
import { formatSizeUnit } from '../../src/go/byte-size.ts';
import { runEnd, runLine, runSum } from '../../src/run/history/run-text.ts';
import type { HomeContents, HomeMount, HomeRemote } from '../../src/run/home-entry.ts';
import type { RunningSummary } from '../../src/run/presence/running-run.ts';
import { runningLine, runningSum } from '../../src/run/presence/running-text.ts';
import type { PastRun } from '../../src/state/runs.ts';
import { shellLine } from '../../src/system/shell-words.ts';
import { bar } from '../../src/terminal/bar.ts';
import { cellWidth, wrap } from '../../src/terminal/cells.ts';
import { spelled } from '../../src/terminal/key-table.ts';
import type { Look } from '../../src/terminal/look.ts';
import { type Line, type Span, span } from '../../src/terminal/span.ts';
import { ago, localTime, took } from '../../src/terminal/time-texts.ts';
import { actionsFor } from './home-actions.ts';
import type { HomeItem, OpenItem } from './home-item.ts';
import { runningSpan, runSpan, stateSpan, uploadSpan } from './home-list.ts';

/** How many runs of an item are shown. */
const SHOWN_RUNS = 10;

/** An empty line, as high as others. */
export const BLANK: Line = [span(' ')];

/** What details are drawn for. */
export interface DetailsRoom {
  readonly columns: number;
  readonly look: Look;
  readonly nowMs: number;
}

/** What the item under the cursor is, with the keys of what can be done with it. */
export function paneLines(
  contents: HomeContents,
  item: HomeItem | undefined,
  room: DetailsRoom,
): readonly Line[] {
  const { columns } = room;
  if (item === undefined) return [];
  if (item.kind === 'offer') {
    const { label, question, command } = item.offer;
    return [
      [span(harmless(label), 'section')],
      ...text(harmless(question), columns),
      BLANK,
      ...commandLines(command.words, columns),
    ];
  }
  if (item.kind !== 'page') return itemLines(contents, item, room, true);
  const { label, note, key } = item.page;
  const runs = key === 'h' ? runsPart(contents.runs, room) : [];
  return [[span(label, 'section')], ...text(note, columns, 'dim'), ...runs];
}

/** What an item is. */
export function itemLines(
  contents: HomeContents,
  item: OpenItem,
  room: DetailsRoom,
  hasKeys: boolean,
): readonly Line[] {
  const keys = hasKeys ? keyLines(item, room.look) : [];
  switch (item.kind) {
    case 'remote':
      return remoteLines(contents, item.remote, room, keys);
    case 'job':
      return jobLines(contents, item.job, room, keys);
    case 'mount':
      return mountLines(item.mount, room, keys);
    case 'running':
      return runningLines(item.run, room, keys);
  }
}

/** A run: its command line, how it ended, and what it did. */
export function runLines(run: PastRun, { columns }: Pick<DetailsRoom, 'columns'>): Line[] {
  const ended = localTime(run.endedMs);
  const end = run.exit === 0 ? 'done' : `exit code ${run.exit}`;
  return [
    ...commandLines(run.words, columns),
    ...text(`in ${harmless(run.dir)}`, columns, 'dim'),
    BLANK,
    ...text(
      `${end} at ${ended}, after ${took(run.tookMs)}`,
      columns,
      run.exit === 0 ? 'good' : 'bad',
    ),
    ...text(runSum(run), columns),
    ...(run.error === undefined ? [] : text(harmless(run.error), columns, 'bad')),
  ];
}

/** A command line as it would be typed. */
export function commandLines(words: readonly string[], columns: number): Line[] {
  return text(`$ ${harmless(shellLine(words))}`, columns, 'accent');
}

/** A text over as many lines as it takes. */
export function text(words: string, columns: number, tone: Span['tone'] = 'plain'): Line[] {
  return wrap(words, columns).map((line) => [span(line, tone)]);
}

function remoteLines(
  contents: HomeContents,
  remote: HomeRemote,
  room: DetailsRoom,
  keys: readonly Line[],
): readonly Line[] {
  const { columns, look, nowMs } = room;
  const { name, type, place, login, via = '' } = remote;
  const known = contents.health.get(name);
  const state = stateSpan(contents, remote, look.glyphs, nowMs);
  const isTwice = via !== '' && via.startsWith(place);
  const about = [type, isTwice ? '' : place, via].filter((part) => part !== '').join(', ');
  const problem = known?.isOffline === true ? undefined : known?.problem;
  const runs = contents.runs.filter(({ words }) => words.some((word) => isWithin(word, name)));
  return [
    [span(harmless(name), 'section')],
    ...text(harmless(about), columns),
    ...(login === '' || login === state.text ? [] : text(harmless(login), columns, 'dim')),
    ...(state.text === '' ? [] : [[state]]),
    ...(problem === undefined ? [] : text(harmless(problem), columns, 'warn')),
    ...spaceLines(contents, name, room),
    ...keys,
    ...runsPart(runs, room),
  ];
}

function isWithin(word: string, remote: string): boolean {
  return word.startsWith(`${remote}:`) || word.startsWith(`${remote},`);
}

function spaceLines(
  { health }: HomeContents,
  name: string,
  { columns, look, nowMs }: DetailsRoom,
): readonly Line[] {
  const { used, free, total, measuredMs } = health.get(name) ?? {};
  const parts = [
    used === undefined ? '' : `${formatSizeUnit(used)} used`,
    free === undefined ? '' : `${formatSizeUnit(free)} free`,
    total === undefined ? '' : `of ${formatSizeUnit(total)}`,
  ].filter((part) => part !== '');
  if (parts.length === 0) return [];
  const age = measuredMs === undefined ? '' : `, ${ago(nowMs - measuredMs)}`;
  const words = [span(`${parts.join(', ').replace(', of', ' of')}${age}`)];
  if (used === undefined || !total) return [words];
  return [words, bar(used / total, Math.min(columns, 30), look.glyphs)];
}

function jobLines(
  { runs }: HomeContents,
  job: Job,
  room: DetailsRoom,
  keys: readonly Line[],
): readonly Line[] {
  return [
    [span(harmless(job.name), 'section')],
    ...commandLines(job.words, room.columns),
    ...text(`on a schedule: syncer job ${job.name} --print-unit`, room.columns, 'dim'),
    ...keys,
    ...runsPart(runsOfJob(job, runs), room),
  ];
}

function mountLines(
  mount: HomeMount,
  { columns, nowMs }: DetailsRoom,
  keys: readonly Line[],
): readonly Line[] {
  const { mountPoint, source, state, pending, pendingBytes, cachedFiles, cachedBytes, sinceMs } =
    mount;
  const since = sinceMs === undefined ? '' : `, mounted ${ago(nowMs - sinceMs)}`;
  const uploads = uploadSpan(mount);
  const cache = `cache: ${counted(cachedFiles, 'file')}, ${formatSizeUnit(cachedBytes)}`;
  return [
    [span(harmless(mountPoint), 'section')],
    ...text(`${harmless(source)}${since}`, columns),
    [span(harmless(state), state === 'live' ? 'good' : 'warn')],
    ...(uploads.text === state ? [] : [[uploads]]),
    ...(pending > 0 ? text(`${formatSizeUnit(pendingBytes)} to upload`, columns) : []),
    ...text(cache, columns, 'dim'),
    ...keys,
  ];
}

function runningLines(
  run: RunningSummary,
  { columns, look, nowMs }: DetailsRoom,
  keys: readonly Line[],
): readonly Line[] {
  const { id, dir, pid, startedMs, far } = run;
  const share = far !== undefined && far.totalBytes > 0 ? far.bytes / far.totalBytes : undefined;
  const sum = runningSum(run);
  return [
    [span(id, 'section')],
    ...text(`$ ${runningLine(run)}`, columns, 'accent'),
    ...text(`in ${harmless(dir)}`, columns, 'dim'),
    ...text(`process ${pid}, started ${ago(nowMs - startedMs)}`, columns, 'dim'),
    [runningSpan(run)],
    ...(share === undefined ? [] : [bar(Math.min(1, share), Math.min(columns, 30), look.glyphs)]),
    ...(sum === '' ? [] : text(sum, columns)),
    ...keys,
  ];
}

function keyLines(item: OpenItem, { glyphs }: Look): readonly Line[] {
  const actions = actionsFor(item).map(({ key, label, note }) => {
    return { key, label: spelled(label, glyphs), note };
  });
  const hasRefresh = item.kind === 'remote' && item.remote.isKnown && !item.remote.needsLogin;
  const refresh = {
    key: 'r',
    label: 'Refresh',
    note: 'ask it whether it works, and for its space',
  };
  const all = hasRefresh ? [...actions, refresh] : actions;
  if (all.length === 0) return [];
  const width = Math.max(...all.map(({ label }) => cellWidth(label)));
  return [
    BLANK,
    ...all.map(({ key, label, note }): Line => {
      const gap = ' '.repeat(width - cellWidth(label));
      return [span(`${key} `, 'key', true), span(label), span(`${gap}  ${note}`, 'dim')];
    }),
  ];
}

/** The last runs, one a line. */
function runsPart(runs: readonly PastRun[], { look, nowMs }: DetailsRoom): readonly Line[] {
  if (runs.length === 0) return [];
  const shown = runs.slice(0, SHOWN_RUNS).map((run) => {
    const verb = run.words.find((word) => !word.startsWith('-')) ?? '';
    const sum = run.exit === 0 ? runSum(run) : '';
    return { end: runSpan(run, look.glyphs, nowMs), about: harmless(verb), sum };
  });
  const ends = Math.max(...shown.map(({ end }) => cellWidth(end.text)));
  return [
    BLANK,
    [span('Last runs', 'heading')],
    ...shown.map(({ end, about, sum }): Line => {
      const gap = ' '.repeat(ends - cellWidth(end.text));
      return [end, span(`${gap}  ${about}  `), span(sum, 'dim')];
    }),
  ];
}

/** The last run of all in one line. */
export function lastRunText({ runs: [last] }: HomeContents, nowMs: number): string | undefined {
  if (last === undefined) return undefined;
  const line = harmless(runLine(last));
  return `Last run ${ago(nowMs - last.endedMs)}: ${runEnd(last)}  ${line}`;
}
