import { textLines } from '../../src/config-wizard/question-lines.ts';
import type { WizardState } from '../../src/config-wizard/wizard-state.ts';
import type { Work } from '../../src/config-wizard/work.ts';
import { type Line, span } from '../../src/screen/span.ts';
import { useLook } from '../shared/look-context.tsx';
import { Lines } from './lines.tsx';

interface WorkViewProps {
  readonly state: WizardState;
  readonly columns: number;
  readonly rows: number;
}

/** What goes on, and what it has told: the link of a login, the code for another device. */
export function WorkView({ state, columns, rows }: WorkViewProps) {
  const { glyphs } = useLook();
  const { step } = state.conversation;
  const doing = step.kind === 'work' ? DOING[step.work.type] : 'Writing the configuration';
  const head = textLines(`${doing}${glyphs.ellipsis}`, columns, 'title');
  const { told } = state;
  const all = told.flatMap((line) => lineOf(line, columns));
  // The pattern to photograph must not be broken up: where it does not fit, the link stands alone.
  const widest = Math.max(0, ...told.filter(isPattern).map((line) => line.length));
  const fits = head.length + all.length <= rows && widest <= columns;
  const shown = fits
    ? all
    : told.filter((line) => !isPattern(line)).flatMap((line) => lineOf(line, columns));
  return <Lines lines={[...head, ...shown]} rows={rows} />;
}

function lineOf(line: string, columns: number): readonly Line[] {
  return isPattern(line) ? [[span(line)]] : textLines(line, columns);
}

const DOING: Readonly<Record<Work['type'], string>> = {
  login: 'Logging in',
  'set-up': 'Asking the service',
  'read-import': 'Reading the configuration of rclone',
};

/** A row of a QR code. */
function isPattern(line: string): boolean {
  return /[▀▄█]/.test(line);
}
