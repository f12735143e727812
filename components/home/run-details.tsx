import { harmless } from '../../src/core/harmless.ts';
import { shellLine } from '../../src/home/home-actions.ts';
import type { PastRun } from '../../src/home/past-run.ts';
import { runEnd, runSum } from '../../src/home/run-text.ts';
import { span } from '../../src/screen/span.ts';
import { took } from '../../src/screen/took.ts';
import { Paragraph } from '../shared/paragraph.tsx';
import { Row } from '../shared/row.tsx';

/** One run: its command line, how it ended, and what it did. */
export function RunDetails({ run, columns }: { run: PastRun; columns: number }) {
  const ended = new Date(run.endedMs);
  return (
    <>
      <Paragraph text={`$ ${harmless(shellLine(run.words))}`} columns={columns} tone="accent" />
      <Paragraph text={`in ${harmless(run.dir)}`} columns={columns} tone="dim" />
      <Row line={[span(' ')]} />
      <Paragraph
        text={`${runEnd(run)} (exit code ${run.exit}) at ${ended.toLocaleString('sv-SE')}, took ${took(run.tookMs)}`}
        columns={columns}
        tone={run.exit === 0 ? 'good' : 'bad'}
      />
      <Paragraph text={runSum(run)} columns={columns} />
      {run.error === undefined ? null : (
        <Paragraph text={harmless(run.error)} columns={columns} tone="bad" />
      )}
    </>
  );
}
