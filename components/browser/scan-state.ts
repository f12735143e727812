import { type NodeId, ROOT } from '../../src/size-tree/node.ts';

/** The progress of a scan. */
export interface ScanState {
  readonly state: 'reading' | 'running' | 'done' | 'stopped';
  /** The age of the scan that is shown until this one is done. */
  readonly keptAge?: string | undefined;
  /** Where it goes. */
  readonly into: NodeId;
  /** Nodes of the tree when it began. */
  readonly nodesBefore: number;
  /** What is scanned: `''` for all. */
  readonly path: string;
  /** On the browser's clock, in milliseconds. */
  readonly startedMs: number;
  /** When it ended. */
  readonly endedMs: number | undefined;
}

/** As if a scan had just ended. */
export function noScan(nowMs: number): ScanState {
  const ended = { startedMs: nowMs, endedMs: nowMs };
  return { state: 'done', path: '', into: ROOT, nodesBefore: 0, ...ended };
}
