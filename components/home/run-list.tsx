import { harmless } from '../../src/core/harmless.ts';
import { shellLine } from '../../src/home/home-actions.ts';
import type { PastRun } from '../../src/home/past-run.ts';
import { ago, runEnd } from '../../src/home/run-text.ts';
import { Menu } from '../shared/menu.tsx';
import { Paragraph } from '../shared/paragraph.tsx';

interface RunListProps {
  readonly runs: readonly PastRun[];
  readonly cursor: number;
  readonly columns: number;
  readonly rows: number;
}

/** The last runs, the newest first. */
export function RunList({ runs, cursor, columns, rows }: RunListProps) {
  if (runs.length === 0) {
    return <Paragraph text="Nothing has run yet." columns={columns} tone="dim" />;
  }
  const nowMs = Date.now();
  const items = runs.map((run) => ({
    key: run.exit === 0 ? '' : '!',
    label: `${ago(nowMs - run.endedMs)}, ${runEnd(run)}`,
    note: harmless(shellLine(run.words)),
  }));
  return <Menu items={items} cursor={cursor} columns={columns} rows={rows} />;
}
