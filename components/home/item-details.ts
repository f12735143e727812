import { runsOfJob } from '../../src/config/job.ts';
import { counted, harmless } from '../../src/core/shown-text.ts';
import { formatSizeUnit } from '../../src/go/quantities.ts';
import { runEnd, runSum } from '../../src/run/history/run-text.ts';
import type { HomeContents, HomeRemote } from '../../src/run/home-entry.ts';
import { runningLine, runningSum, whereItWaits } from '../../src/run/presence/running-text.ts';
import type { PastRun } from '../../src/state/runs.ts';
import { shellLine } from '../../src/system/shell-words.ts';
import { bar } from '../../src/terminal/bar.ts';
import { cellWidth, fill } from '../../src/terminal/cells.ts';
import { spelled } from '../../src/terminal/key-table.ts';
import type { Glyphs } from '../../src/terminal/look.ts';
import { type Line, span } from '../../src/terminal/span.ts';
import { textLines } from '../../src/terminal/text-lines.ts';
import { ago, localTime, took } from '../../src/terminal/time-texts.ts';
import {
  actionsFor,
  type HomeItem,
  type OpenItem,
  type PastRunState,
  pinText,
  type SureState,
} from './home-item.ts';
import {
  type DetailsRoom,
  endTone,
  roughSize,
  runningSpan,
  runSpan,
  shareOf,
  stateSpan,
  uploadSpan,
} from './home-list.tsx';

/** What the item under the cursor is, with the keys of what can be done with it. */
export function paneLines(item: HomeItem | undefined, room: DetailsRoom): readonly Line[] {
  const { contents, columns } = room;
  if (item === undefined) return [];
  if (item.kind === 'offer') {
    const { label, question, command } = item.offer;
    return [
      [span(harmless(label), 'section')],
      ...textLines(question, columns),
      [],
      ...commandLines(command.words, columns),
    ];
  }
  if (item.kind === 'past') {
    const undo = 'shows the plan of the undo, and asks';
    return [
      ...runLines(item.run, room),
      [],
      [span('u ', 'key', true), span('Undo'), span(`  ${undo}`, 'dim')],
      [span('Enter ', 'key', true), span('Open'), span('  all of its changes', 'dim')],
    ];
  }
  if (item.kind !== 'page') return itemLines(item, room, true);
  const { label, note, key } = item.page;
  const runs = key === 'h' ? runsPart(contents.runs, room) : [];
  return [[span(label, 'section')], ...textLines(note, columns, 'dim'), ...runs];
}

/** What an item is, and the last runs with it. */
export function itemLines(item: OpenItem, room: DetailsRoom, hasKeys = false): readonly Line[] {
  const keys = hasKeys ? keyLines(item, room.glyphs) : [];
  const past = room.contents.runs;
  switch (item.kind) {
    case 'place': {
      const { path, used, total } = item.place;
      const runs = past.filter(({ words, dir }) => words.includes(path) || dir === path);
      const space =
        used === undefined || !total
          ? []
          : [
              [span(`${roughSize(used)} of ${roughSize(total)} used on its disk`)],
              wideBar(used / total, room.columns, room.glyphs),
            ];
      const head = textLines(path, room.columns, 'section');
      return [...head, ...space, ...keys, ...runsPart(runs, room)];
    }
    case 'remote': {
      const { name } = item.remote;
      const isIn = (word: string) => word.startsWith(`${name}:`) || word.startsWith(`${name},`);
      const runs = past.filter(({ words }) => words.some(isIn));
      return [...remoteLines(item.remote, room), ...keys, ...runsPart(runs, room)];
    }
    case 'job': {
      const { name, words } = item.job;
      const schedule = `on a schedule: syncer job ${name} --print-unit`;
      return [
        [span(harmless(name), 'section')],
        ...commandLines(words, room.columns),
        ...textLines(schedule, room.columns, 'dim'),
        ...keys,
        ...runsPart(runsOfJob(item.job, past), room),
      ];
    }
    case 'mount': {
      const { mountPoint, source, state, pending, pendingBytes, sinceMs } = item.mount;
      const { cachedFiles, cachedBytes } = item.mount;
      const since = sinceMs === undefined ? '' : `, mounted ${ago(room.nowMs - sinceMs)}`;
      const uploads = uploadSpan(item.mount);
      const cache = `cache: ${counted(cachedFiles, 'file')}, ${formatSizeUnit(cachedBytes)}`;
      const left = `${formatSizeUnit(pendingBytes)} to upload`;
      return [
        [span(harmless(mountPoint), 'section')],
        ...textLines(`${harmless(source)}${since}`, room.columns),
        [span(harmless(state), state === 'live' ? 'good' : 'warn')],
        ...(uploads.text === state ? [] : [[uploads]]),
        ...(pending > 0 ? textLines(left, room.columns) : []),
        ...textLines(cache, room.columns, 'dim'),
        ...keys,
      ];
    }
    case 'running': {
      const { columns, glyphs, nowMs } = room;
      const { id, dir, pid, startedMs } = item.run;
      const share = shareOf(item.run);
      const sum = runningSum(item.run);
      return [
        [span(id, 'section')],
        ...textLines(`$ ${runningLine(item.run)}`, columns, 'accent'),
        ...textLines(`in ${harmless(dir)}`, columns, 'dim'),
        ...textLines(`process ${pid}, started ${ago(nowMs - startedMs)}`, columns, 'dim'),
        [runningSpan(item.run)],
        ...(item.run.state === 'waiting' ? textLines(whereItWaits(item.run), columns, 'warn') : []),
        ...(share === undefined ? [] : [wideBar(share, columns, glyphs)]),
        ...(sum === '' ? [] : textLines(sum, columns)),
        ...keys,
      ];
    }
  }
}

/** A run: its id, its command line, how it ended, what it did, and whether that can be undone. */
export function runLines(
  run: PastRun,
  { columns, contents }: Pick<DetailsRoom, 'columns' | 'contents'>,
): readonly Line[] {
  const ended = localTime(run.endedMs);
  const end = runEnd(run);
  const undo = contents.undo.get(run.id);
  const { text = '' } = undo ?? {};
  const told = text === '' ? '' : `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
  return [
    [span(run.id, 'section')],
    ...commandLines(run.words, columns),
    ...textLines(`in ${harmless(run.dir)}`, columns, 'dim'),
    [],
    ...textLines(`${end} at ${ended}, after ${took(run.tookMs)}`, columns, endTone(run)),
    ...textLines(runSum(run), columns),
    ...(run.error === undefined ? [] : textLines(run.error, columns, 'bad')),
    ...(told === '' ? [] : textLines(told, columns, undo?.can === true ? 'accent' : 'dim')),
  ];
}

/** A run with all of its changes. */
export function pastRunLines(
  { run, changes }: PastRunState,
  contents: HomeContents,
  columns: number,
): readonly Line[] {
  const about = runLines(run, { columns, contents });
  if (changes === undefined) return [...about, [], [span('Reading its changes', 'dim')]];
  if (changes.length === 0) return about;
  const head = [span(counted(changes.length, 'change'), 'heading')];
  return [...about, [], head, ...changes.map((text): Line => [span(text)])];
}

/** Whether to run a command, and its line. */
export function questionLines({ question, command }: SureState, columns: number): readonly Line[] {
  return [...textLines(question, columns, 'warn'), [], ...commandLines(command.words, columns)];
}

/** A command line as it would be typed. */
export function commandLines(words: readonly string[], columns: number): readonly Line[] {
  return textLines(`$ ${harmless(shellLine(words))}`, columns, 'accent');
}

function remoteLines(remote: HomeRemote, room: DetailsRoom): readonly Line[] {
  const { contents, columns } = room;
  const { name, type, place, login, via = '' } = remote;
  const known = contents.health.get(name);
  const state = stateSpan(remote, room);
  const isTwice = via !== '' && via.startsWith(place);
  const about = [type, isTwice ? '' : place, via].filter((part) => part !== '').join(', ');
  const problem = known?.isOffline === true ? undefined : known?.problem;
  const { used, free, total, measuredMs } = known ?? {};
  const parts = [
    used === undefined ? '' : `${formatSizeUnit(used)} used`,
    free === undefined ? '' : `${formatSizeUnit(free)} free`,
    total === undefined ? '' : `of ${formatSizeUnit(total)}`,
  ].filter((part) => part !== '');
  const space = parts.join(', ').replace(', of', ' of');
  const age = measuredMs === undefined ? '' : `, ${ago(room.nowMs - measuredMs)}`;
  return [
    [span(harmless(name), 'section')],
    ...textLines(about, columns),
    ...(login === '' || login === state.text ? [] : textLines(login, columns, 'dim')),
    ...(state.text === '' ? [] : [[state]]),
    ...(problem === undefined ? [] : textLines(problem, columns, 'warn')),
    ...(parts.length === 0 ? [] : [[span(`${space}${age}`)]]),
    ...(used === undefined || !total ? [] : [wideBar(used / total, columns, room.glyphs)]),
  ];
}

function wideBar(share: number, columns: number, glyphs: Glyphs): Line {
  return bar(share, Math.min(columns, 30), glyphs);
}

function keyLines(item: OpenItem, glyphs: Glyphs): readonly Line[] {
  const hasRefresh = item.kind === 'remote' && item.remote.isKnown && !item.remote.needsLogin;
  const pin = item.kind === 'place' || item.kind === 'remote' ? [pinText(item)] : [];
  const refresh = { key: 'r', label: 'Refresh', note: 'whether it works, and its space' };
  const all = [...actionsFor(item), ...pin, ...(hasRefresh ? [refresh] : [])];
  const width = Math.max(...all.map(({ label }) => cellWidth(spelled(label, glyphs))));
  const lines = all.map(({ key, label, note }): Line => {
    const name = fill(spelled(label, glyphs), width, glyphs.ellipsis);
    return [span(`${key} `, 'key', true), span(name), span(`  ${note}`, 'dim')];
  });
  return lines.length === 0 ? [] : [[], ...lines];
}

function runsPart(runs: readonly PastRun[], { glyphs, nowMs }: DetailsRoom): readonly Line[] {
  if (runs.length === 0) return [];
  const shown = runs.slice(0, 10);
  const ends = shown.map((run) => runSpan(run, glyphs, nowMs));
  const width = Math.max(...ends.map(({ text }) => cellWidth(text)));
  const lines = shown.map((run, at): Line => {
    const verb = run.words.find((word) => !word.startsWith('-')) ?? '';
    const end = { ...ends[at], text: fill(ends[at]?.text ?? '', width) };
    return [end, span(`  ${harmless(verb)}  `), span(run.exit === 0 ? runSum(run) : '', 'dim')];
  });
  return [[], [span('Last runs', 'heading')], ...lines];
}
