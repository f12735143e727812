import type { HookFileNode } from './file-node.ts';
import type { Parameter } from './hook.ts';
import { FieldCheck, type HookFault } from './hook-fault.ts';

/** What a parameter is for. */
type ParameterUse = 'rule' | 'argument' | 'environment' | 'file' | 'json';

const KEYS = ['source', 'name', 'envname', 'base64decode'];
const NAMED = /^(?:url|query|header|payload)$/;
const WHOLE = /^(?:raw-request-body|entire-(?:payload|headers|query))$/;
const FIXED = 'string';
/** Headers that a server takes out of a request before hooks see it. */
const UNSEEN = /^(?:host|transfer-encoding)$/i;

/** What is wrong with a parameter. `node`: absent where the file has none. */
export function checkParameter(
  node: HookFileNode,
  owner: string,
  parameter: Parameter,
  use: ParameterUse,
): HookFault[] {
  const check = new FieldCheck(node, owner);
  if (node.kind === 'null') {
    const what = use === 'rule' ? 'is missing' : 'has an entry that is null';
    check.addWhole('error', ` ${what}: there is no value`);
    return check.faults;
  }
  check.unknown(KEYS);
  if (!check.needs('source', 'there is no value')) return check.faults;
  checkSource(check, parameter, use, owner);
  if (use === 'environment' || use === 'file') checkVariable(check, parameter, use);
  else if (parameter.envName !== '') check.add('warning', 'envname', ' has no effect here');
  if (parameter.base64Decode && use !== 'file') {
    check.add('warning', 'base64decode', ' has no effect here: only pass-file-to-command decodes');
  }
  return check.faults;
}

function checkSource(
  check: FieldCheck,
  { source, name }: Parameter,
  use: ParameterUse,
  owner: string,
): void {
  if (use === 'json' && !NAMED.test(source) && (source === FIXED || isKnown(source))) {
    check.add('error', 'source', `: "${source}" is never parsed as JSON`);
  } else if (NAMED.test(source)) {
    if (!check.needs('name', `there is no value in "${source}"`)) return;
    if (source !== 'header' || !UNSEEN.test(name)) return;
    check.add('error', 'name', `: hooks do not see the header ${name}`);
  } else if (source === 'request') {
    if (/^(?:method|remote-addr)$/i.test(name)) return;
    check.add('error', 'name', ': the source "request" has only "method" and "remote-addr"');
  } else if (source === FIXED) {
    if (use === 'rule') {
      check.add('warning', 'source', `: "${source}" is a fixed text, the same for every request`);
    }
    if (!check.fields.has('name')) check.add('warning', 'name', ' is missing: the text is empty');
  } else if (WHOLE.test(source)) {
    if (name === '' || use === 'environment' || use === 'file') return;
    check.add('warning', 'name', ` has no effect: the source "${source}" has no names`);
  } else {
    const place = check.fields.placeOf('source');
    check.faults.push({ place, text: `${owner}: unknown source "${source}"`, weight: 'error' });
  }
}

function isKnown(source: string): boolean {
  return source === 'request' || WHOLE.test(source);
}

function checkVariable(check: FieldCheck, { source, name, envName }: Parameter, use: string): void {
  const field = envName === '' ? 'name' : 'envname';
  const variable = envName || `HOOK_${use === 'file' ? name.toUpperCase() : name}`;
  if (envName === '' && (source === FIXED || name === '')) {
    check.add('warning', 'envname', ' is missing: the name of the variable is made from the value');
  }
  if (use === 'file' && /[/\0]/.test(variable)) {
    check.add('error', field, ': no file is created for a variable with "/" in its name');
  } else if (/[=\0]/.test(variable)) {
    check.add('error', field, ': a variable cannot have "=" in its name');
  }
}
