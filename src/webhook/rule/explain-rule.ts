import { GoFault, goQuote } from '../../go/go-texts.ts';
import type { HookMatch, Rule } from '../file/hook.ts';
import { HIDDEN } from '../log/hide-texts.ts';
import { isSecretParameter, type Redact, redactQuoted } from '../log/redact.ts';
import { type HookRequest, NotFoundFault, parameterValue } from '../parameter/parameter-value.ts';
import { evaluateMatch, type RuleContext, SignatureFault } from './evaluate-rule.ts';

/** Why a rule, or a part of it, said what it said. */
export interface RuleExplanation {
  /** `error`: it could not be judged; `skipped`: what stood before it decided. */
  readonly outcome: 'yes' | 'no' | 'error' | 'skipped';
  /** `and`, `or`, `not`, or what is compared: `value of header "X-Token"`. */
  readonly what: string;
  /** Absent where the parts say it. */
  readonly why?: string;
  readonly parts: readonly RuleExplanation[];
}

/**
 * Judges a rule as `evaluateRule` does, and says for every part what came of it.
 *
 * @param redact hides secrets in what the request and the rule say
 */
export function explainRule(
  rule: Rule,
  request: HookRequest,
  context: RuleContext,
  redact: Redact,
): RuleExplanation {
  const { and, or, not, match } = rule;
  const list = and ?? or;
  if (list !== undefined) {
    const goesOn = and !== undefined ? 'yes' : 'no';
    let outcome: RuleExplanation['outcome'] = goesOn;
    const parts = list.map((part) => {
      if (outcome !== goesOn) return skipped(part);
      const found = explainRule(part, request, context, redact);
      outcome = found.outcome;
      return found;
    });
    return { outcome, what: and !== undefined ? 'and' : 'or', parts };
  }
  if (not !== undefined) {
    const part = explainRule(not, request, context, redact);
    const parts = [part];
    if (part.outcome === 'error') return { outcome: 'error', what: 'not', parts };
    const why = 'a missing parameter triggers nothing';
    if (lacksParameter(part)) return { outcome: 'no', what: 'not', why, parts };
    return { outcome: part.outcome === 'yes' ? 'no' : 'yes', what: 'not', parts };
  }
  if (match !== undefined) return explainMatch(match, request, context, redact);
  return { outcome: 'no', what: 'rule', why: 'an empty rule is never satisfied', parts: [] };
}

const MISSING = 'the request has no such parameter';

function lacksParameter({ why, outcome, parts }: RuleExplanation): boolean {
  return why === MISSING || (outcome === 'no' && parts.some(lacksParameter));
}

function explainMatch(
  match: HookMatch,
  request: HookRequest,
  context: RuleContext,
  redact: Redact,
): RuleExplanation {
  const what = describeMatch(match);
  try {
    if (evaluateMatch(match, request, context)) return { outcome: 'yes', what, parts: [] };
    return { outcome: 'no', what, why: whyNot(match, request, redact), parts: [] };
  } catch (thrown) {
    if (!(thrown instanceof GoFault)) throw thrown;
    if (thrown instanceof NotFoundFault) return { outcome: 'no', what, why: MISSING, parts: [] };
    if (thrown instanceof SignatureFault) {
      const outcome = context.softSignatures ? 'no' : 'error';
      return { outcome, what, why: 'the signature is wrong', parts: [] };
    }
    return { outcome: 'error', what, why: redact(thrown.message), parts: [] };
  }
}

function describeMatch({ type, parameter }: HookMatch): string {
  if (type === 'ip-whitelist' || type === 'scalr-signature') return type;
  return `${type || 'match without type'} of ${parameter.source} ${goQuote(parameter.name)}`;
}

function whyNot(match: HookMatch, request: HookRequest, redact: Redact): string {
  const { type } = match;
  if (type === 'ip-whitelist') {
    return `${request.remoteAddress} is in none of the networks ${goQuote(match.ipRange)}`;
  }
  const given = parameterValue(match.parameter, request);
  const value = isSecretParameter(match.parameter) ? goQuote(HIDDEN) : redactQuoted(given, redact);
  const wanted = redactQuoted(match.value, redact);
  if (type === 'value') {
    // Where both are secret there is nothing to show.
    return value === wanted ? 'it does not match' : `it is ${value}, not ${wanted}`;
  }
  if (type === 'regex')
    return `it is ${value}, which ${redactQuoted(match.regex, redact)} does not match`;
  return 'unknown type of condition';
}

function skipped(rule: Rule): RuleExplanation {
  const name = (['and', 'or', 'not'] as const).find((key) => rule[key] !== undefined);
  const what = name ?? (rule.match === undefined ? 'rule' : describeMatch(rule.match));
  return { outcome: 'skipped', what, parts: [] };
}
