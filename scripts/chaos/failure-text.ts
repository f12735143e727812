import type { Case } from './case.ts';
import type { Failure } from './run-case.ts';

/** How many lines of what the program wrote are shown. */
const LINES = 40;

/** A failure for people: what is wrong, what the program wrote, and how to see it again. */
export function failureText({ trial, faults, output }: Failure): string {
  const lines = output.trimEnd().split('\n');
  const shown = lines.length > LINES ? [...lines.slice(0, LINES), '...'] : lines;
  return [
    `FAILED: ${trial.command} from ${trial.from} to ${trial.to}`,
    ...faults.slice(0, 8).map((fault) => `  ${fault}`),
    ...shown.map((line) => `  | ${line}`),
    commandLine(trial),
    '',
  ].join('\n');
}

/** The command line that runs a case again. */
export function commandLine(trial: Case): string {
  return `  npm run chaos -- --case '${JSON.stringify(trial).replaceAll("'", '\\u0027')}'`;
}
