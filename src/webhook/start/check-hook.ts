import { GoFault } from '../../go/go-errno.ts';
import { FieldReader } from '../file/field-reader.ts';
import type { HookFileNode, HookFilePlace } from '../file/file-node.ts';
import type { Hook, HookMatch, Parameter, Rule } from '../file/hook.ts';
import { type LoadOptions, loadHooks } from '../file/load-hooks.ts';
import { statusText } from '../http/answer.ts';
import { wrongNetwork } from '../rule/is-in-range.ts';
import { compileRegex } from '../rule/match-value.ts';

const SOURCES =
  /^(?:url|query|header|payload|string|raw-request-body|request|entire-(?:payload|headers|query))$/;
const TYPES =
  /^(?:value|regex|payload-(?:hmac|hash)-(?:sha1|sha256|sha512)|ip-whitelist|scalr-signature)$/;

/** What is wrong, and where in the file. */
interface HookFault {
  readonly place: HookFilePlace;
  readonly text: string;
}

/** What can never work in a hook that could be read. */
function checkHook(node: HookFileNode, hook: Hook): HookFault[] {
  const fields = new FieldReader(node, '');
  const at = (name: string, text: string) => ({ place: fields.placeOf(name), text });
  const codes = [
    ['success-http-response-code', hook.successCode],
    ['trigger-rule-mismatch-http-response-code', hook.mismatchCode],
  ] as const;
  const passed = [
    ['pass-arguments-to-command', hook.arguments],
    ['pass-environment-to-command', hook.environment],
    ['pass-file-to-command', hook.files],
    ['parse-parameters-as-json', hook.jsonParameters],
  ] as const;
  const rule = fields.node('trigger-rule');
  return [
    ...(hook.executeCommand === '' ? [at('execute-command', 'execute-command is missing')] : []),
    ...codes
      .filter(([, code]) => code !== 0 && statusText(code) === undefined)
      .map(([name, code]) => at(name, `${name}: unknown status ${code}`)),
    ...passed.flatMap(([name, list]) => {
      const items = fields.list(name) ?? [];
      return list.flatMap((parameter, i) => checkSource(items[i] ?? node, name, parameter));
    }),
    ...(rule && hook.rule ? checkRule(rule, hook.rule, 'trigger-rule') : []),
  ];
}

function checkSource(node: HookFileNode, owner: string, { source }: Parameter): HookFault[] {
  if (SOURCES.test(source)) return [];
  const place = new FieldReader(node, '').placeOf('source');
  return [{ place, text: `${owner}: unknown source "${source}"` }];
}

function checkRule(node: HookFileNode, rule: Rule, owner: string): HookFault[] {
  const fields = new FieldReader(node, '');
  const { and, or, not, match } = rule;
  const list = (name: 'and' | 'or', rules: readonly Rule[] = []) =>
    (fields.list(name) ?? []).flatMap((item, i) => {
      const part = rules[i];
      return part === undefined ? [] : checkRule(item, part, `${owner}.${name}[${i}]`);
    });
  const inner = fields.node('not');
  const condition = fields.node('match');
  if (and === undefined && or === undefined && not === undefined && match === undefined) {
    const text = `${owner}: without and, or, not or match it is never satisfied`;
    return [{ place: node.place, text }];
  }
  return [
    ...list('and', and),
    ...list('or', or),
    ...(inner && not ? checkRule(inner, not, `${owner}.not`) : []),
    ...(condition && match ? checkMatch(condition, match, `${owner}.match`) : []),
  ];
}

function checkMatch(node: HookFileNode, match: HookMatch, owner: string): HookFault[] {
  const fields = new FieldReader(node, '');
  const at = (name: string, text: string) => ({
    place: fields.placeOf(name),
    text: `${owner}.${text}`,
  });
  const { type, secret, regex, ipRange, parameter } = match;
  if (!TYPES.test(type)) return [at('type', `type: unknown type "${type}"`)];
  if (type === 'ip-whitelist') {
    const wrong = wrongNetwork(ipRange);
    return wrong === undefined ? [] : [at('ip-range', `ip-range: invalid CIDR address: ${wrong}`)];
  }
  const faults: HookFault[] = [];
  if (secret === '' && /^payload-|^scalr/.test(type)) faults.push(at('secret', 'secret is empty'));
  if (type !== 'scalr-signature') {
    faults.push(...checkSource(fields.node('parameter') ?? node, `${owner}.parameter`, parameter));
  }
  const fault = type === 'regex' ? regexFault(regex) : undefined;
  if (fault !== undefined) faults.push(at('regex', `regex: ${fault}`));
  return faults;
}

function regexFault(regex: string): string | undefined {
  try {
    compileRegex(regex);
    return undefined;
  } catch (thrown) {
    if (thrown instanceof GoFault) return thrown.message;
    throw thrown;
  }
}

/** What is wrong with hook files, one line each: what stops them from being loaded, and what could never work. */
export async function checkFiles(
  paths: readonly string[],
  options: LoadOptions,
): Promise<string[]> {
  const owners = new Map<string, string>();
  const faults: string[] = [];
  for (const path of paths) {
    try {
      const { hooks, root } = await loadHooks(path, options);
      const nodes = root.kind === 'list' ? root.items : [];
      for (const [index, hook] of hooks.entries()) {
        const node = nodes[index];
        if (node === undefined) continue;
        const found = checkHook(node, hook);
        const owner = owners.get(hook.id);
        if (owner !== undefined) {
          found.unshift({ place: node.place, text: `duplicate id, also in ${owner}` });
        }
        owners.set(hook.id, path);
        for (const { place, text } of found) {
          const { line, column } = place;
          faults.push(`${path}: line ${line}, column ${column}: hook "${hook.id}": ${text}`);
        }
      }
    } catch (thrown) {
      faults.push(`${path}: ${(thrown as Error).message}`);
    }
  }
  return faults;
}
