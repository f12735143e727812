import { GoFault } from '../../go/go-errno.ts';
import { compileRegex } from '../rule/evaluate-rule.ts';
import { wrongNetwork } from '../rule/is-in-range.ts';
import { checkParameter } from './check-parameter.ts';
import type { HookFileNode } from './file-node.ts';
import type { HookMatch, Rule } from './hook.ts';
import { FieldCheck, type HookFault } from './hook-fault.ts';

/** The parts of a rule; of several the first in this order counts. */
const PARTS = ['and', 'or', 'not', 'match'] as const;

/** What a condition compares with. */
const COMPARED = ['value', 'regex', 'secret', 'ip-range'] as const;
type Compared = (typeof COMPARED)[number];

const TYPES: ReadonlyMap<string, Compared> = new Map([
  ['value', 'value'],
  ['regex', 'regex'],
  ['ip-whitelist', 'ip-range'],
  ['scalr-signature', 'secret'],
  ...['hmac', 'hash'].flatMap((kind) =>
    ['sha1', 'sha256', 'sha512'].map((hash) => [`payload-${kind}-${hash}`, 'secret'] as const),
  ),
]);

/** What happens if there is nothing to compare with. */
const EFFECTS: Readonly<Record<Compared, string>> = {
  value: 'an empty parameter satisfies it; if that is meant, use the regex "^$"',
  regex: 'every text satisfies it; if that is meant, use ".*"',
  secret: 'no signature satisfies it',
  'ip-range': 'no address satisfies it',
};

const PARAMETERLESS = /^(?:ip-whitelist|scalr-signature)$/;

/** What is wrong with a rule and all in it. */
export function checkRule(node: HookFileNode, rule: Rule, owner: string): HookFault[] {
  return checkPart(node, rule, { owner, inAnd: false, inNot: false });
}

/** Where a rule stands. */
interface RulePlace {
  readonly owner: string;
  /** Directly in an `and`. */
  readonly inAnd: boolean;
  /** Anywhere in a `not`. */
  readonly inNot: boolean;
}

function checkPart(node: HookFileNode, rule: Rule, place: RulePlace): HookFault[] {
  const { owner, inAnd, inNot } = place;
  const check = new FieldCheck(node, owner);
  const { fields, faults } = check;
  check.unknown(PARTS);
  const [counts, ...ignored] = PARTS.filter((name) => fields.has(name));
  if (counts === undefined) {
    check.addWhole('error', ': without and, or, not or match it is never satisfied');
  }
  for (const name of ignored) {
    check.add('error', name, ` has no effect: beside "${counts}" it is never looked at`);
  }
  if (counts === 'and' && rule.and?.length === 0) {
    check.add('warning', 'and', ': without a rule in it it is always satisfied');
  }
  if (counts === 'or' && rule.or?.length === 0) {
    check.add('warning', 'or', ': without a rule in it it is never satisfied');
  }
  for (const name of ['and', 'or'] as const) {
    for (const [i, item] of (fields.list(name) ?? []).entries()) {
      const part = rule[name]?.[i];
      if (part === undefined) continue;
      const inside = { owner: `${owner}.${name}[${i}]`, inAnd: name === 'and', inNot };
      faults.push(...checkPart(item, part, inside));
    }
  }
  const negated = fields.node('not');
  if (negated !== undefined && rule.not !== undefined) {
    const missing = inNot ? [] : whatMayBeMissing(rule.not);
    // There both say no.
    if (missing.length > 0 && !(inAnd && !hasOr(rule.not))) {
      const what = [...new Set(missing)].join(' or ');
      check.add(
        'note',
        'not',
        `: a request without ${what} does not satisfy it; webhook 2.8.0 lets it in`,
      );
    }
    faults.push(
      ...checkPart(negated, rule.not, { owner: `${owner}.not`, inAnd: false, inNot: true }),
    );
  }
  const condition = fields.node('match');
  if (condition !== undefined && rule.match !== undefined) {
    faults.push(...checkMatch(condition, rule.match, `${owner}.match`));
  }
  return faults;
}

function hasOr({ and, or, not }: Rule): boolean {
  return or !== undefined || (and ?? []).some(hasOr) || (not !== undefined && hasOr(not));
}

/** The parameters of a rule that a request may lack, in words. */
function whatMayBeMissing({ and, or, not, match }: Rule): string[] {
  const parts = and ?? or ?? (not === undefined ? undefined : [not]);
  if (parts !== undefined) return parts.flatMap(whatMayBeMissing);
  if (match === undefined || match.type === 'ip-whitelist') return [];
  if (match.type === 'scalr-signature') return ['X-Signature and Date'];
  const { source, name } = match.parameter;
  return /^(?:url|query|header|payload)$/.test(source) && name !== ''
    ? [`the ${source} ${name}`]
    : [];
}

function checkMatch(node: HookFileNode, match: HookMatch, owner: string): HookFault[] {
  const check = new FieldCheck(node, owner);
  const { fields, faults } = check;
  const { type, regex, ipRange, parameter } = match;
  check.unknown(['type', 'parameter', ...COMPARED]);
  const compared = TYPES.get(type);
  if (compared === undefined) {
    const isGiven = fields.has('type');
    if (isGiven) check.add('error', 'type', `: unknown type "${type}"`);
    else check.add('error', 'type', ' is missing: it is never satisfied');
    return faults;
  }
  const isGiven = check.needs(compared, EFFECTS[compared]);
  for (const name of COMPARED) {
    if (name === compared || fields.text(name) === '') continue;
    check.add('error', name, ` has no effect: the type "${type}" does not use it`);
  }
  if (compared === 'ip-range' && isGiven) checkNetworks(check, ipRange);
  const given = fields.node('parameter') ?? { kind: 'null', place: node.place };
  if (!PARAMETERLESS.test(type)) {
    faults.push(...checkParameter(given, `${owner}.parameter`, parameter, 'rule'));
  } else if (parameter.source !== '' || parameter.name !== '') {
    check.add('warning', 'parameter', ` has no effect: the type "${type}" does not use it`);
  }
  const fault = compared === 'regex' ? regexFault(regex) : undefined;
  if (fault !== undefined) check.add('error', 'regex', `: ${fault}`);
  return faults;
}

function checkNetworks(check: FieldCheck, range: string): void {
  const wrong = wrongNetwork(range);
  if (wrong !== undefined) check.add('error', 'ip-range', `: invalid CIDR address: ${wrong}`);
  else if (/^[\s\u0085\u00a0]*$/.test(range)) {
    check.add('error', 'ip-range', ` is blank: ${EFFECTS['ip-range']}`);
  }
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
