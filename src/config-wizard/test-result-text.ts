import type { TestResult } from './work.ts';

/** What a test that worked has found, in a line. */
export function testResultText({ entries, hasMore, names }: TestResult, ellipsis = '...'): string {
  const rest = hasMore || entries > names.length ? `, ${ellipsis}` : '';
  const list = names.length === 0 ? '' : `: ${names.join(', ')}${rest}`;
  const count = hasMore ? `more than ${entries}` : entries === 0 ? 'no' : String(entries);
  return `Test passed: ${count} ${entries === 1 && !hasMore ? 'entry' : 'entries'}${list}`;
}
