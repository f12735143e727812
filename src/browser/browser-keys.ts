import type { KeyHint } from '../screen/key-table.ts';

/** All keys of the list, as `?` shows them. */
export const LIST_KEYS: readonly KeyHint[] = [
  { keys: '↑ ↓  k j', does: 'move', more: 'move up and down' },
  { keys: '→ Enter l', does: 'open', more: 'open a directory; view a file' },
  { keys: '← h', does: 'up', more: 'go up to the directory above' },
  { keys: 'PgUp PgDn', does: 'page', more: 'a page up or down; Home and End: first and last' },
  { keys: '/', does: 'filter', more: 'show only names that hold what is typed; Esc ends it' },
  { keys: 's', does: 'by size', more: 'order by size; the same key again reverses' },
  { keys: 'n', does: 'by name', more: 'order by name' },
  { keys: 'C', does: 'by count', more: 'order by number of files' },
  { keys: 'A', does: 'by average', more: 'order by average size of files' },
  {
    keys: 'M',
    does: 'by time',
    more: 'order by modification time, of directories the newest in them',
  },
  { keys: 'g', does: 'graph', more: 'bar, bar and percent, percent, neither' },
  { keys: 'c', does: 'counts', more: 'show numbers of files' },
  { keys: 'a', does: 'averages', more: 'show average sizes of files' },
  { keys: 'm', does: 'times', more: 'show modification times' },
  { keys: 'u', does: 'units', more: 'sizes with units or in bytes' },
  { keys: 'v Space', does: 'mark', more: 'mark or unmark; Space goes on to the next entry' },
  {
    keys: 'V',
    does: 'mark range',
    more: 'mark from here to where the cursor is moved; V again ends it',
  },
  { keys: 'U', does: 'unmark all', more: 'take all marks away' },
  { keys: 'b', does: 'basket', more: 'all marked entries of all directories' },
  { keys: 'd', does: 'delete', more: 'delete this entry, after a question' },
  { keys: 'D', does: 'delete marked', more: 'delete the marked entries, after a question' },
  {
    keys: 'p',
    does: 'copy to',
    more: 'copy the marked entries (or this one) to another remote or folder',
  },
  {
    keys: 'R',
    does: 'move to',
    more: 'move the marked entries (or this one) to another remote or folder',
  },
  {
    keys: 'w',
    does: 'download',
    more: 'download the marked entries (or this one) to the working directory',
  },
  { keys: 't', does: 'tasks', more: 'what runs, waits and failed: cancel, try again' },
  {
    keys: 'i',
    does: 'info',
    more: 'all that the store tells of this entry: hashes, metadata, storage class',
  },
  { keys: 'o', does: 'view', more: 'the beginning of a file as text or in hexadecimal' },
  {
    keys: 'y',
    does: 'copy path',
    more: 'copy the path of this entry to the clipboard of the terminal',
  },
  { keys: 'Y', does: 'show path', more: 'show the whole path of this entry' },
  { keys: 'e', does: 'errors', more: 'the directories that could not be listed, and why' },
  { keys: 'r', does: 'rescan', more: 'list this directory again' },
  { keys: 'x', does: 'stop scan', more: 'stop the scan; r goes on with a directory' },
  { keys: '^L', does: 'redraw', more: 'write the screen anew' },
  { keys: 'Esc', does: 'back', more: 'end filter and range; else go up' },
  { keys: 'q', does: 'quit', more: 'leave; Ctrl-C leaves at once' },
];

/** What the signs before entries mean. */
export const SIGNS: readonly KeyHint[] = [
  { keys: '!', does: 'could not be listed (e tells why)' },
  { keys: '.', does: 'something in it could not be listed: it may hold more' },
  { keys: '?', does: 'not scanned to its end yet' },
  { keys: '~', does: 'holds files whose size is not known' },
  { keys: 'e', does: 'holds no file' },
];

/** The footer of the list, the most important first. */
export const LIST_HINTS: readonly KeyHint[] = [
  { keys: '?', does: 'help' },
  { keys: 'q', does: 'quit' },
  { keys: '↑↓', does: 'move' },
  { keys: '→', does: 'open' },
  { keys: '←', does: 'up' },
  { keys: 'd', does: 'delete' },
  { keys: 'v', does: 'mark' },
  { keys: '/', does: 'filter' },
  { keys: 'i', does: 'info' },
  { keys: 's', does: 'sort' },
  { keys: 'r', does: 'rescan' },
  { keys: 'b', does: 'basket' },
  { keys: 't', does: 'tasks' },
];
