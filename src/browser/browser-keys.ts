import type { KeyHint } from '../screen/key-table.ts';

/** All keys of the list, as `?` shows them. */
export const LIST_KEYS: readonly KeyHint[] = [
  { keys: '↑ ↓  k j', does: 'move', more: 'move up and down' },
  { keys: '→ Enter l', does: 'open', more: 'open a directory; view a file' },
  { keys: '← h', does: 'up', more: 'go to the parent directory' },
  { keys: 'PgUp PgDn', does: 'page', more: 'move a page; Home and End go to the first and last' },
  { keys: '/', does: 'filter', more: 'show only names that contain a text; Esc clears it' },
  { keys: 's', does: 'by size', more: 'sort by size; press again to reverse' },
  { keys: 'n', does: 'by name', more: 'sort by name' },
  { keys: 'C', does: 'by count', more: 'sort by number of files' },
  { keys: 'A', does: 'by average', more: 'sort by average file size' },
  {
    keys: 'M',
    does: 'by time',
    more: 'sort by modification time (directories: newest file)',
  },
  { keys: 'g', does: 'graph', more: 'cycle: bar, bar and percent, percent, none' },
  { keys: 'c', does: 'counts', more: 'show the number of files' },
  { keys: 'a', does: 'averages', more: 'show average file sizes' },
  { keys: 'm', does: 'times', more: 'show modification times' },
  { keys: 'u', does: 'units', more: 'show sizes with units or in bytes' },
  { keys: 'v Space', does: 'mark', more: 'mark or unmark; Space also moves down' },
  {
    keys: 'V',
    does: 'mark range',
    more: 'mark a range: move the cursor, press V again to end',
  },
  { keys: 'U', does: 'unmark all', more: 'clear all marks' },
  { keys: 'b', does: 'basket', more: 'show all marked entries' },
  { keys: 'd', does: 'delete', more: 'delete this entry (asks first)' },
  { keys: 'D', does: 'delete marked', more: 'delete the marked entries (asks first)' },
  {
    keys: 'p',
    does: 'copy to',
    more: 'copy the marked entries (or this one) to another remote or directory',
  },
  {
    keys: 'R',
    does: 'move to',
    more: 'move the marked entries (or this one) to another remote or directory',
  },
  {
    keys: 'w',
    does: 'download',
    more: 'download the marked entries (or this one) to the working directory',
  },
  { keys: 't', does: 'tasks', more: 'show running, queued and failed tasks: cancel, retry' },
  {
    keys: 'i',
    does: 'info',
    more: 'show all details: hashes, metadata, storage class',
  },
  { keys: 'o', does: 'preview', more: 'preview the file as text or hex' },
  {
    keys: 'y',
    does: 'copy path',
    more: "copy the path to the terminal's clipboard",
  },
  { keys: 'Y', does: 'show path', more: 'show the full path' },
  { keys: 'e', does: 'errors', more: 'show directories that could not be listed, and why' },
  { keys: 'r', does: 'rescan', more: 'rescan this directory' },
  { keys: 'x', does: 'stop scan', more: 'stop the scan; r rescans a directory' },
  { keys: '^L', does: 'redraw', more: 'redraw the screen' },
  { keys: 'Esc', does: 'back', more: 'clear the filter or end the range, else go up' },
  { keys: 'q', does: 'quit', more: 'quit; Ctrl-C quits immediately' },
];

/** What the signs before entries mean. */
export const SIGNS: readonly KeyHint[] = [
  { keys: '!', does: 'could not be listed (e shows why)' },
  { keys: '.', does: 'a subdirectory could not be listed: may contain more' },
  { keys: '?', does: 'not completely scanned yet' },
  { keys: '~', does: 'contains files of unknown size' },
  { keys: 'e', does: 'contains no files' },
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
