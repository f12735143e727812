import { SyncerError } from '../../src/core/errors.ts';
import { formatRfc3339NanoUtc } from '../../src/core/mod-time.ts';
import type { Entry, FileEntry } from '../../src/core/remote.ts';
import { counted, harmless } from '../../src/core/shown-text.ts';
import { goJson, type Json } from '../../src/go/go-json.ts';
import { formatGoDuration } from '../../src/go/quantities.ts';
import { formatGuards, parseGuards } from '../../src/run/guards/guard-list.ts';
import { runPhrase } from '../../src/run/history/list-history.ts';
import type { JournalVerb } from '../../src/run/journal/journal-line.ts';
import { filterText } from '../../src/run/review/review-lines.ts';
import type {
  CommandCall,
  Environment,
  Remotes,
  StandardOutput,
} from '../../src/shell/command-line/command.ts';
import type { WHY_FLAGS } from './command.ts';
import { type Why, whyPath } from './why-path.ts';

export async function whyCommand(
  invocation: CommandCall<typeof WHY_FLAGS> & Environment & Remotes & StandardOutput,
): Promise<void> {
  const { flags, out, context } = invocation;
  const why = await whyPath(invocation, flags['why-as']);
  const { path, verb: command, action, verdict } = why;
  const facts = factsOf(why, context.clock.now());
  if (flags.json) {
    const all = Object.fromEntries(facts.map(([key, , json]) => [key, json]));
    await out.write(`${goJson({ path, command, action, verdict, ...all }, '\t')}\n`);
  } else {
    const lines = facts.flatMap(([, label, , texts]) =>
      texts.map((text, at) => `${(at === 0 ? label : '').padEnd(12)} ${harmless(text)}\n`),
    );
    const last = `${harmless(path)}: ${command}: ${action}: ${harmless(verdict)}\n`;
    await out.write(lines.join('') + last);
  }
  if (why.error !== undefined) throw why.error;
  if (why.sourceEntry !== undefined || why.destEntry !== undefined) return;
  throw new SyncerError('file-not-found', `neither side has ${why.path}`, { path: why.path });
}

/** A fact by its name in JSON, with its label and its lines for people. */
type Fact = readonly [key: string, label: string, json: Json | undefined, lines: readonly string[]];

function factsOf(why: Why, nowMs: number): readonly Fact[] {
  const { source, dest, sourceEntry, destEntry, guard, requests } = why;
  const { filter, destFilter, trash, history } = why;
  const compared = comparisons(why);
  const locks = why.locks.map(({ text }) => text);
  const lasts = history.map(({ side, entry, changes }) => {
    const did = new Set(changes.map((change) => DID[change.do]));
    return `${side} last changed by run ${runPhrase(entry, nowMs)}: ${[...did].join(', ')}`;
  });
  const lastsJson = history.map(({ side, entry: { id: run, beganMs, words }, changes }) => {
    const did = [...new Set(changes.map((change) => change.do))];
    return { side, run, began: new Date(beganMs).toISOString(), words, changes: did };
  });
  const inDest = destFilter && `destination ${filterText(destFilter)}`;
  const late = 'numbers of deletions are compared when all is listed';
  const guards = guard ? [guard.why ?? `${formatGuards(parseGuards(guard.list))}; ${late}`] : [];
  return [
    ['source', 'source', entryJson(sourceEntry), [`${source.title}: ${entryText(sourceEntry)}`]],
    [
      'destination',
      'destination',
      entryJson(destEntry),
      [`${dest.title}: ${entryText(destEntry)}`],
    ],
    ['filter', 'filter', { ...filter }, [filterText(filter)]],
    ['destinationFilter', '', destFilter && { ...destFilter }, inDest ? [inDest] : []],
    ['comparison', 'comparison', compared, compared],
    ['guard', 'guard', guard && { ...guard }, guards],
    ['locks', 'lock', locks.length === 0 ? undefined : locks, locks],
    ['trash', 'trash', trash?.text, trash ? [trash.text] : []],
    ['history', 'history', history.length === 0 ? undefined : lastsJson, lasts],
    ['requests', 'requests', requests, requests],
  ];
}

const DID: Readonly<Record<JournalVerb, string>> = {
  create: 'created',
  replace: 'updated',
  delete: 'deleted',
  move: 'moved',
  'set-time': 'time set',
  'make-dir': 'created',
  'remove-dir': 'deleted',
};

function entryText(entry: Entry | undefined): string {
  if (entry === undefined) return 'not there';
  if (entry.kind === 'dir') return 'a directory';
  const { size, modTime, etag } = entry;
  return [
    size < 0 ? 'size unknown' : counted(size, 'byte'),
    modTime === undefined ? 'time not listed' : `modified ${formatRfc3339NanoUtc(modTime)}`,
    ...(etag === undefined ? [] : [`ETag ${etag}`]),
  ].join(', ');
}

function entryJson(entry: Entry | undefined): Json {
  if (entry === undefined) return null;
  if (entry.kind === 'dir') return { kind: 'dir' };
  const { size, modTime, etag } = entry;
  return {
    kind: 'file',
    size,
    modTime: modTime === undefined ? undefined : formatRfc3339NanoUtc(modTime),
    etag,
  };
}

function comparisons({ sourceEntry, destEntry, ground, reason }: Why): string[] {
  if (sourceEntry?.kind !== 'file' || destEntry?.kind !== 'file') return [];
  const [a, b] = [sourceEntry, destEntry];
  const size =
    a.size === b.size
      ? 'equal sizes'
      : `sizes differ by ${counted(Math.abs(a.size - b.size), 'byte')}`;
  return [size, timesText(a, b, ground.windowNs), hashText(ground.hash, reason)];
}

function timesText(a: FileEntry, b: FileEntry, windowNs: bigint | undefined): string {
  if (windowNs === undefined) return 'times are not compared: one side keeps none';
  if (a.modTime === undefined || b.modTime === undefined) return 'times were not needed';
  const difference = b.modTime - a.modTime;
  const isSame = difference < windowNs && -difference < windowNs;
  const window = formatGoDuration(windowNs);
  return `times ${isSame ? 'equal' : 'differ'}: by ${formatGoDuration(difference)}, window ${window}`;
}

function hashText(hash: Why['ground']['hash'], reason: Why['reason']): string {
  if (reason?.why === 'hash-same') return `${reason.hash} is equal`;
  if (reason?.why === 'hash-differs') return `${reason.hash} differs`;
  if (reason?.why === 'hash-unknown') return 'no common hash';
  if (reason?.why !== 'times-differ') return 'hashes are not compared';
  return hash === undefined ? 'no common hash' : `${hash} is equal`;
}
