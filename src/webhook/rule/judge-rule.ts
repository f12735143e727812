import { BlockList, isIPv4, isIPv6, SocketAddress } from 'node:net';
import { FirstMatch, SyntaxFault } from '../../go/first-match.ts';
import { GoFault, goQuote } from '../../go/go-texts.ts';
import type { HookMatch, Rule } from '../hook.ts';
import { HIDDEN, isSecretParameter, type Redact, redactQuoted } from '../log/redact.ts';
import { type HookRequest, NotFoundFault, parameterValue } from '../parameter/parameter-value.ts';
import {
  checkHmac,
  OutdatedFault,
  SERVICE_SIGNATURES,
  SignatureFault,
  sameText,
} from './check-signature.ts';

/** What a rule, or a part of it, says of a request. */
export interface Trace {
  readonly rule: Rule;
  /**
   * `missing`: the request lacks a parameter; `wrong`: a signature is wrong, and an `or` around it takes that for no;
   * `error`: it cannot be judged, or a signature is wrong.
   */
  readonly outcome: 'yes' | 'no' | 'missing' | 'wrong' | 'error';
  /** Why it is `missing`, `wrong` or an `error`. */
  readonly fault: GoFault | undefined;
  /** What a condition compared; `undefined` if there was nothing to compare. */
  readonly given: string | undefined;
  /** The parts of `and`, `or` and `not` up to the one that decided. */
  readonly parts: readonly Trace[];
}

/** What a rule is judged with besides the request. */
export interface RuleContext {
  readonly nowMs: number;
  /** Wrong signatures inside `or` are a plain no. */
  readonly softSignatures: boolean;
  readonly regexes: CompiledRegexes;
  /** Takes warnings. */
  readonly warn: (line: string) => void;
}

/** Whether a request satisfies the rule. */
export const isMet = ({ outcome }: Trace): boolean => outcome === 'yes';

/**
 * Judges a request by a rule. A parameter that the request lacks means no, whatever stands around it but `or`; below a
 * `not`, that is no either if no other part of the `or` is met. What is logged and explained of it is read from the
 * trace.
 */
export function judge(rule: Rule, request: HookRequest, context: RuleContext): Trace {
  return judgePart(rule, { request, context, inNot: false, inOr: false });
}

/** What a part of a rule is judged with. */
interface Judging {
  readonly request: HookRequest;
  readonly context: RuleContext;
  /** An `or` without a parameter is no plain no there, or its opposite would trigger the hook. */
  readonly inNot: boolean;
  readonly inOr: boolean;
}

const NO_PARTS: readonly Trace[] = [];

function judgePart(rule: Rule, judging: Judging): Trace {
  const { and, or, not, match } = rule;
  if (and !== undefined) return judgeAnd(rule, and, judging);
  if (or !== undefined) return judgeOr(rule, or, judging);
  if (not !== undefined) {
    const part = judgePart(not, { ...judging, inNot: true });
    const opposite = part.outcome === 'yes' ? 'no' : 'yes';
    const outcome = part.fault === undefined ? opposite : part.outcome;
    return { rule, outcome, fault: part.fault, given: undefined, parts: [part] };
  }
  if (match !== undefined) return judgeMatch(rule, match, judging);
  return { rule, outcome: 'no', fault: undefined, given: undefined, parts: NO_PARTS };
}

function judgeAnd(rule: Rule, and: readonly Rule[], judging: Judging): Trace {
  const parts: Trace[] = [];
  for (const each of and) {
    const part = judgePart(each, judging);
    parts.push(part);
    const { outcome, fault } = part;
    if (!isMet(part)) return { rule, outcome, fault, given: undefined, parts };
  }
  return { rule, outcome: 'yes', fault: undefined, given: undefined, parts };
}

function judgeOr(rule: Rule, or: readonly Rule[], judging: Judging): Trace {
  const parts: Trace[] = [];
  let missing: GoFault | undefined;
  for (const each of or) {
    const part = judgePart(each, { ...judging, inOr: true });
    parts.push(part);
    const { outcome, fault } = part;
    if (isMet(part) || outcome === 'error')
      return { rule, outcome, fault, given: undefined, parts };
    if (outcome === 'missing') missing ??= fault;
  }
  const isMissing = missing !== undefined && judging.inNot;
  const outcome = isMissing ? 'missing' : 'no';
  return { rule, outcome, fault: isMissing ? missing : undefined, given: undefined, parts };
}

function judgeMatch(rule: Rule, match: HookMatch, judging: Judging): Trace {
  const { request, context, inOr } = judging;
  let given: string | undefined;
  try {
    given = comparedValue(match, request);
    const outcome = isMatch(match, given, request, context) ? 'yes' : 'no';
    return { rule, outcome, fault: undefined, given, parts: NO_PARTS };
  } catch (fault) {
    if (!(fault instanceof GoFault)) throw fault;
    const isSoft = inOr && context.softSignatures && fault instanceof SignatureFault;
    const isMissing = fault instanceof NotFoundFault;
    const outcome = isMissing ? 'missing' : isSoft ? 'wrong' : 'error';
    return { rule, outcome, fault, given, parts: NO_PARTS };
  }
}

/** What a condition compares. Throws `GoFault` if the request does not have it. */
function comparedValue({ type, parameter }: HookMatch, request: HookRequest): string {
  if (type === 'ip-whitelist') return request.remoteAddress;
  return SERVICE_SIGNATURES.has(type) ? '' : parameterValue(parameter, request);
}

const SIGNED = /^payload-(hmac|hash)-(sha1|sha256|sha512)$/;

/** Whether a single condition is met. Throws `GoFault` if that cannot be said. */
function isMatch(
  match: HookMatch,
  given: string,
  request: HookRequest,
  context: RuleContext,
): boolean {
  if (match.type === 'ip-whitelist') return isInRange(given, match.ipRange);
  const service = SERVICE_SIGNATURES.get(match.type);
  if (service !== undefined) {
    service.check(request, match.secret, context.nowMs);
    return true;
  }
  if (match.type === 'value') return sameText(given, match.value);
  if (match.type === 'regex') {
    let matcher = context.regexes.get(match);
    if (matcher === undefined) {
      matcher = compileRegex(match.regex);
      context.regexes.set(match, matcher);
    }
    return matcher.find(given.toWellFormed()) >= 0;
  }
  const signed = SIGNED.exec(match.type);
  if (signed === null) return false;
  const algorithm = signed[2] as 'sha1' | 'sha256' | 'sha512';
  if (signed[1] === 'hash') {
    const mark = algorithm === 'sha1' ? ';' : ':';
    const now = `payload-hmac-${algorithm}`;
    context.warn(`warn: use of deprecated option ${match.type}${mark} use ${now} instead`);
  }
  checkHmac(algorithm, match.secret, request.body, given);
  return true;
}

/** The expressions of rules, compiled when they are needed first. */
export type CompiledRegexes = WeakMap<HookMatch, FirstMatch>;

/** Compiles an expression. Throws `GoFault` with Go's words. */
export function compileRegex(regex: string): FirstMatch {
  try {
    return new FirstMatch([regex]);
  } catch (thrown) {
    if (!(thrown instanceof SyntaxFault)) throw thrown;
    throw new GoFault(`error parsing regexp: ${thrown.message}`);
  }
}

interface Address {
  readonly family: 'ipv4' | 'ipv6';
  readonly ip: string;
}

/**
 * Whether an address lies in one of the networks, separated by blanks. Without a mask `/32` is meant, also for
 * IPv6, as in webhook 2.8.0. They are looked at in order: throws `GoFault` for one that is reached and wrong.
 *
 * @param remoteAddress `ip:port`
 */
export function isInRange(remoteAddress: string, range: string): boolean {
  const colon = remoteAddress.lastIndexOf(':');
  const address = parseAddress(remoteAddress.slice(0, Math.max(colon, 0)).replace(/^\[|\]$/g, ''));
  if (address === undefined) {
    throw new GoFault(`invalid IP address found in remote address '${remoteAddress}'`);
  }
  return networksIn(range).some((network) => {
    const parsed = parseNetwork(network);
    if (parsed === undefined) throw new GoFault(`invalid CIDR address: ${network}`);
    const { base, prefix } = parsed;
    if (base.family !== address.family) return false;
    const list = new BlockList();
    list.addSubnet(base.ip, prefix, base.family);
    return list.check(address.ip, address.family);
  });
}

/** The first network in `range` that is wrong. */
export function wrongNetwork(range: string): string | undefined {
  return networksIn(range).find((network) => parseNetwork(network) === undefined);
}

function networksIn(range: string): string[] {
  const words = range.split(/[\s\u0085\u00a0]+/).filter((word) => word !== '');
  return words.map((word) => (word.includes('/') ? word : `${word}/32`));
}

function parseNetwork(text: string): { base: Address; prefix: number } | undefined {
  const slash = text.indexOf('/');
  const ip = text.slice(0, slash);
  const mask = text.slice(slash + 1);
  const width = isIPv4(ip) ? 32 : 128;
  const base = ip.includes('%') ? undefined : parseAddress(ip);
  if (base === undefined || !/^\d+$/.test(mask) || Number(mask) > width) return undefined;
  // An IPv4 address in the form of IPv6 counts as what it is, where its mask leaves that form whole.
  const prefix = Number(mask) - (width === 128 && base.family === 'ipv4' ? 96 : 0);
  return prefix >= 0
    ? { base, prefix }
    : { base: { family: 'ipv6', ip: '::' }, prefix: Number(mask) };
}

function parseAddress(text: string): Address | undefined {
  if (isIPv4(text)) return { family: 'ipv4', ip: text };
  if (!isIPv6(text)) return undefined;
  const address = text.replace(/%.*$/, '');
  const ip = new SocketAddress({ address, family: 'ipv6' }).address;
  const mapped = /^::ffff:([\d.]+)$/.exec(ip)?.[1];
  return mapped === undefined ? { family: 'ipv6', ip } : { family: 'ipv4', ip: mapped };
}

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
 * Says of every part of a rule what came of it.
 *
 * @param redact hides secrets in what the request and the rule say
 */
export function explain(trace: Trace, redact: Redact): RuleExplanation {
  const { rule, fault } = trace;
  const isNo = trace.outcome === 'missing' || trace.outcome === 'wrong';
  const outcome = isNo ? 'no' : trace.outcome;
  const what = describeRule(rule);
  const parts = trace.parts.map((part) => explain(part, redact));
  const list = rule.and ?? rule.or;
  if (list !== undefined) {
    const skipped = list
      .slice(parts.length)
      .map(
        (part): RuleExplanation => ({ outcome: 'skipped', what: describeRule(part), parts: [] }),
      );
    return { outcome, what, parts: [...parts, ...skipped] };
  }
  if (rule.not !== undefined) {
    if (!isNo) return { outcome, what, parts };
    const cause = fault instanceof SignatureFault ? 'wrong signature' : 'missing parameter';
    return { outcome, what, why: `a ${cause} triggers nothing`, parts };
  }
  const why = whyMatch(trace, redact);
  return why === undefined ? { outcome, what, parts } : { outcome, what, why, parts };
}

function describeRule({ and, or, not, match }: Rule): string {
  if (and !== undefined) return 'and';
  if (or !== undefined) return 'or';
  if (not !== undefined) return 'not';
  if (match === undefined) return 'rule';
  const { type, parameter } = match;
  if (type === 'ip-whitelist' || SERVICE_SIGNATURES.has(type)) return type;
  return `${type || 'match without type'} of ${parameter.source} ${goQuote(parameter.name)}`;
}

function whyMatch({ rule, outcome, fault, given = '' }: Trace, redact: Redact) {
  if (outcome === 'yes') return undefined;
  if (outcome === 'missing') return 'the request has no such parameter';
  if (fault instanceof OutdatedFault) return 'the request is more than five minutes old or early';
  if (fault instanceof SignatureFault) return 'the signature is wrong';
  if (fault !== undefined) return redact(fault.message);
  if (rule.match === undefined) return 'an empty rule is never satisfied';
  return whyNot(rule.match, given, redact);
}

function whyNot(match: HookMatch, given: string, redact: Redact): string {
  const { type } = match;
  if (type === 'ip-whitelist') {
    return `${given} is in none of the networks ${goQuote(match.ipRange)}`;
  }
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
