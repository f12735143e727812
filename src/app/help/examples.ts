import { once } from '../../kit/used-again.ts';
import { CONFIG_EXAMPLES } from './config-example-lines.ts';
import { EXAMPLES } from './example-lines.ts';
import type { Row } from './help-style.ts';

/** What the help of a command ends with. */
interface Further {
  /** Command lines, each with what it does. */
  readonly examples: readonly Row[];
  /** Related commands and topics. */
  readonly see: readonly string[];
}

/** Examples and related topics by the full name of the command. */
export const furtherOn: () => ReadonlyMap<string, Further> = once(() => {
  const sections = (EXAMPLES + CONFIG_EXAMPLES).trim().split(/\n(?! )/);
  return new Map(sections.map(parseSection));
});

function parseSection(text: string): [string, Further] {
  const [head = '', ...lines] = text.split('\n');
  const [name = '', see = ''] = head.split(': ');
  const examples = lines.map((line): Row => {
    const at = line.lastIndexOf('  # ');
    return [line.slice(2, at), line.slice(at + 4)];
  });
  return [name, { examples, see: see === '' ? [] : see.split(', ') }];
}
