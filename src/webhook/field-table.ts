import { METHODS } from 'node:http';
import { statusText } from './http/answer.ts';
import { bodyKind } from './payload/parse-body.ts';

/** How a field of a hook is read: `FieldValues` in hook.ts has what that gives. */
export type HookKind =
  | 'text'
  | 'bool'
  | 'word'
  | 'status'
  | 'count'
  | 'duration'
  | 'rate'
  | 'methods'
  | 'headers'
  | 'parameters'
  | 'rule';

/** What a field of any mapping is, in a JSON schema, too. */
export type Kind = HookKind | 'rules' | 'match' | 'parameter';

/** What a parameter is for. */
export type ParameterUse = 'rule' | 'argument' | 'environment' | 'file' | 'json';

/** A field of any mapping in a hook file. */
export interface FileField {
  readonly kind: Kind;
  /** The only texts with a meaning. */
  readonly words?: readonly string[];
  /** It must be there, and not be empty. */
  readonly isRequired?: true;
  /** What it means, for docs/webhook.md and for editors. */
  readonly about: string;
}

/** A field of a hook. */
export interface Field extends FileField {
  readonly kind: HookKind;
  /** Its name in the program. */
  readonly member: string;
  /** Who has it: webhook 2.8.0, or only syncer. */
  readonly from: 'webhook' | 'syncer';
  /** What a list of parameters is for. */
  readonly use?: ParameterUse;
  /** Notes what can never work, and what may be a mistake; throws for what makes the file unusable. */
  readonly check?: (fields: CheckedFields, name: string) => void;
}

/** The fields of a hook, for a check. Each method takes the name of a field. */
export interface CheckedFields {
  text(name: string): string;
  texts(name: string): string[];
  bool(name: string): boolean;
  whole(name: string): number;
  /** Whether a field is there and not null. */
  has(name: string): boolean;
  hasNull(name: string): boolean;
  /** Notes what is wrong with a field; `text` follows its name. */
  note(weight: 'error' | 'warning' | 'note', name: string, text: string): void;
  /** Why the file cannot be loaded: what is wrong with a field. */
  fault(name: string, text: string): Error;
}

const OPEN = 'every request runs the command';
const OUTPUT = 'include-command-output-in-response';

const checkStatus: Field['check'] = (fields, name) => {
  const code = fields.whole(name);
  if (code !== 0 && statusText(code) === undefined) {
    fields.note('error', name, `: unknown status ${code}`);
  }
};

/** Notes a field that does nothing where a hook has no rule. */
function checkHasRule(fields: CheckedFields, name: string, isGiven: boolean): void {
  if (!isGiven || fields.has('trigger-rule')) return;
  fields.note('warning', name, ` has no effect: the hook has no rule, and ${OPEN}`);
}

const checkIsLimited: Field['check'] = (fields, name) => {
  const isLimited = fields.whole('max-concurrency') > 0 || fields.bool('coalesce');
  if (fields.has(name) && !isLimited) {
    throw fields.fault(name, 'has no effect without max-concurrency');
  }
};

/**
 * Every field of a hook, in the order in which they are read and documented. `Hook` has the members, `-check` reports
 * what is not here as unknown, and docs/webhook.md and hooks.schema.json are written from it. Those of the member
 * `limits` are parts of it (`limitsOf`).
 */
export const FIELDS = {
  id: {
    member: 'id',
    kind: 'text',
    from: 'webhook',
    about: 'Name of the hook, and the end of its address: `/hooks/ID` (`-urlprefix`).',
  },
  'execute-command': {
    member: 'executeCommand',
    kind: 'text',
    isRequired: true,
    from: 'webhook',
    about:
      'The command: a path, or a name to look up in `PATH`. It has no arguments: they are in `pass-arguments-to-command`.',
  },
  'command-working-directory': {
    member: 'workingDirectory',
    kind: 'text',
    from: 'webhook',
    about: 'Working directory of the command; by default, that of the server.',
  },
  'response-message': {
    member: 'responseMessage',
    kind: 'text',
    from: 'webhook',
    about: 'Body of the response, unless it is the output of the command.',
  },
  'response-headers': {
    member: 'responseHeaders',
    kind: 'headers',
    from: 'webhook',
    about:
      'Headers of the response to requests that satisfy the rule: a list of mappings with `name` and `value`.',
  },
  'success-http-response-code': {
    member: 'successCode',
    kind: 'status',
    from: 'webhook',
    about: 'Status of the response to requests that satisfy the rule (200).',
    check: checkStatus,
  },
  'trigger-rule-mismatch-http-response-code': {
    member: 'mismatchCode',
    kind: 'status',
    from: 'webhook',
    about: 'Status of the response to requests that do not satisfy the rule (200).',
    check(fields, name) {
      checkStatus(fields, name);
      checkHasRule(fields, name, fields.whole(name) !== 0);
    },
  },
  'incoming-payload-content-type': {
    member: 'contentType',
    kind: 'text',
    from: 'webhook',
    about: 'Parse the body as this content type, whatever the request says.',
    check(fields, name) {
      const type = fields.text(name);
      if (type === '' || bodyKind(type) !== 'none') return;
      fields.note('warning', name, `: no body is parsed as "${type}", so the payload is empty`);
    },
  },
  'http-methods': {
    member: 'methods',
    kind: 'methods',
    from: 'webhook',
    about:
      'Methods of requests; others get 405. By default, those of the flag `-http-methods`, or all.',
    check(fields, name) {
      for (const text of fields.texts(name)) {
        const method = text.trim().toUpperCase();
        if (METHODS.includes(method)) continue;
        const isList = method.includes(',');
        const why = isList ? 'list the methods one by one' : 'no request has this method';
        fields.note('error', name, `: "${method}": ${why}`);
      }
    },
  },
  'include-command-output-in-response': {
    member: 'includeOutput',
    kind: 'bool',
    from: 'webhook',
    about:
      "With `true`, the response waits for the command, and its body is the command's output; it is 500 if the command fails.",
  },
  'include-command-output-in-response-on-error': {
    member: 'includeOutputOnError',
    kind: 'bool',
    from: 'webhook',
    about: `With \`true\`, the response has the output also if the command fails. Requires \`${OUTPUT}\`.`,
    check(fields, name) {
      const hasOutput = fields.bool(OUTPUT) || fields.bool('stream-command-output');
      if (!fields.bool(name) || hasOutput) return;
      fields.note('warning', name, ` has no effect without ${OUTPUT}`);
    },
  },
  'pass-arguments-to-command': {
    member: 'arguments',
    kind: 'parameters',
    use: 'argument',
    from: 'webhook',
    about: 'Values that the command gets as arguments, in this order.',
  },
  'pass-environment-to-command': {
    member: 'environment',
    kind: 'parameters',
    use: 'environment',
    from: 'webhook',
    about:
      'Values that the command gets as variables of its environment: `envname`, or `HOOK_` and the name.',
  },
  'pass-file-to-command': {
    member: 'files',
    kind: 'parameters',
    use: 'file',
    from: 'webhook',
    about:
      'Values that are written to temporary files; variables (`envname`, or `HOOK_` and the name in upper case) have their paths.',
  },
  'parse-parameters-as-json': {
    member: 'jsonParameters',
    kind: 'parameters',
    use: 'json',
    from: 'webhook',
    about:
      'Values that are JSON objects in a text. They are parsed first; then rules and commands see their fields.',
  },
  'trigger-rule': {
    member: 'rule',
    kind: 'rule',
    from: 'webhook',
    about: 'Condition of a run. Without it, every request runs the command.',
    check(fields, name) {
      if (fields.hasNull(name)) fields.note('warning', name, ` is null: ${OPEN}`);
    },
  },
  'trigger-signature-soft-failures': {
    member: 'softSignatures',
    kind: 'bool',
    from: 'webhook',
    about:
      'With `true`, a wrong signature in an `or` is not an error: the other conditions decide.',
    check(fields, name) {
      checkHasRule(fields, name, fields.bool(name));
    },
  },
  'max-concurrency': {
    member: 'limits',
    kind: 'count',
    from: 'syncer',
    about: 'Maximum concurrent runs of this hook; further runs are queued.',
  },
  'queue-size': {
    member: 'limits',
    kind: 'count',
    from: 'syncer',
    about: 'Maximum queued runs (100). Requires `max-concurrency`.',
    check: checkIsLimited,
  },
  'on-full': {
    member: 'limits',
    kind: 'word',
    words: ['reject', 'drop-newest', 'drop-oldest'],
    from: 'syncer',
    about:
      'What happens when the queue is full: `reject` (the default) returns 503 with `Retry-After`; `drop-newest` responds as if the command ran, but does not run it (a caller that waits for the command gets 503); `drop-oldest` discards the oldest queued run, and its caller, if still waiting, gets 503.',
    check: checkIsLimited,
  },
  coalesce: {
    member: 'limits',
    kind: 'bool',
    from: 'syncer',
    about:
      'With `true`, queued runs become one, with the newest request; all waiting callers get its result. Implies `max-concurrency: 1` unless that is set.',
  },
  'rate-limit': {
    member: 'limits',
    kind: 'rate',
    from: 'syncer',
    about:
      '`10/s`, `100/1m30s`: maximum runs in that time, with bursts up to that number. Further requests get 429 with `Retry-After`. Only requests that satisfy the rule count, so others cannot exhaust the limit.',
  },
  'command-timeout': {
    member: 'timeoutMs',
    kind: 'duration',
    from: 'syncer',
    about:
      '`30s`, at most `596h30m`: then the command and its children get TERM, KILL five seconds later, and after one more second the server stops waiting.',
  },
  'response-mode': {
    member: 'responseMode',
    kind: 'word',
    words: ['sync', 'async'],
    from: 'syncer',
    about:
      '`sync`: the response waits for the command, and is 500 if it fails; `async`: it does not wait (as in 2.8.0, unless the response includes the output).',
    check(fields, name) {
      if (fields.text(name) !== 'async') return;
      for (const other of [OUTPUT, 'stream-command-output']) {
        if (fields.bool(other)) throw fields.fault(name, `cannot be "async" with ${other}`);
      }
    },
  },
  'stream-command-output': {
    member: 'streamOutput',
    kind: 'bool',
    from: 'syncer',
    about:
      "With `true`, the response streams the command's output, as in 2.8.2. The status is that of success as soon as there is output; a command that fails later adds a line that says so. A command that fails without output gets 500. A client that disconnects does not stop the command.",
    check(fields, name) {
      if (!fields.bool(name) || !fields.bool(OUTPUT)) return;
      throw fields.fault(name, `cannot be true with ${OUTPUT}`);
    },
  },
} as const satisfies Readonly<Record<string, Field>>;

/** The name of a field of a hook. */
export type FieldName = keyof typeof FIELDS;

/** Names of fields for editors, which the program does not read. */
export const IGNORED_FIELDS: readonly string[] = ['$schema'];

/** One of `response-headers`. */
export const HEADER_FIELDS = {
  name: { kind: 'text', isRequired: true, about: 'Name of the header.' },
  value: { kind: 'text', about: 'Its value.' },
} as const satisfies Readonly<Record<string, FileField>>;

/** A rule. */
export const RULE_FIELDS = {
  and: { kind: 'rules', about: 'A list of rules: all are satisfied.' },
  or: { kind: 'rules', about: 'A list of rules: at least one is satisfied.' },
  not: { kind: 'rule', about: 'A rule that is not satisfied.' },
  match: { kind: 'match', about: 'A single condition.' },
} as const satisfies Readonly<Record<string, FileField>>;

/** The types of a condition, with the field that each compares. */
export const MATCH_TYPES = {
  value: 'value',
  regex: 'regex',
  'ip-whitelist': 'ip-range',
  'payload-hmac-sha1': 'secret',
  'payload-hmac-sha256': 'secret',
  'payload-hmac-sha512': 'secret',
  'payload-hash-sha1': 'secret',
  'payload-hash-sha256': 'secret',
  'payload-hash-sha512': 'secret',
  'scalr-signature': 'secret',
  'slack-signature': 'secret',
  'stripe-signature': 'secret',
} as const;

/** `match`: a single condition. */
export const MATCH_FIELDS = {
  type: {
    kind: 'text',
    words: Object.keys(MATCH_TYPES),
    isRequired: true,
    about:
      'What is compared: `value`, `regex`, `ip-whitelist`, `scalr-signature`, `slack-signature`, `stripe-signature`, or a signature of the body, `payload-hmac-sha256` (also `sha1` and `sha512`). `payload-hash-…` are older names of those.',
  },
  value: { kind: 'text', about: 'For `value`: the text that the parameter is.' },
  regex: {
    kind: 'text',
    about: 'For `regex`: an expression of Go (RE2) that matches a part of the parameter.',
  },
  secret: { kind: 'text', about: 'For signatures: the key.' },
  'ip-range': {
    kind: 'text',
    about: 'For `ip-whitelist`: an address or a network of the client, `192.0.2.0/24`.',
  },
  parameter: {
    kind: 'parameter',
    about:
      'The value that is compared, or the signature; not for `ip-whitelist` and those of services.',
  },
} as const satisfies Readonly<Record<string, FileField>>;

/** What the name of a parameter is: that of a value, a word about the request, the value itself, or nothing. */
export type NameUse = 'field' | 'request' | 'text' | 'none';

/** The sources of a parameter. */
export const SOURCES = {
  header: 'field',
  url: 'field',
  query: 'field',
  payload: 'field',
  request: 'request',
  string: 'text',
  'raw-request-body': 'none',
  'entire-payload': 'none',
  'entire-headers': 'none',
  'entire-query': 'none',
} as const satisfies Readonly<Record<string, NameUse>>;

/** A parameter: a value of a request. */
export const PARAMETER_FIELDS = {
  source: {
    kind: 'text',
    words: Object.keys(SOURCES),
    isRequired: true,
    about:
      '`header`, `url` (the query, also `query`), `payload` (the parsed body), `request` (`method` or `remote-addr`), `string` (the name itself), `raw-request-body`, or all as JSON: `entire-payload`, `entire-headers`, `entire-query`.',
  },
  name: {
    kind: 'text',
    about: 'Name of the value in its source; with dots, of a field in a field: `commits.0.id`.',
  },
  envname: {
    kind: 'text',
    about: 'Name of the variable, in `pass-environment-to-command` and `pass-file-to-command`.',
  },
  base64decode: {
    kind: 'bool',
    about: 'With `true`, the content of the file is decoded, in `pass-file-to-command`.',
  },
} as const satisfies Readonly<Record<string, FileField>>;
