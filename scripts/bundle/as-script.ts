import { isBuiltin } from 'node:module';
import { posix } from 'node:path';
import { parseAst } from 'rolldown/parseAst';

/** What takes the place of a part of a text. */
interface Change {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
}

type Module = ReturnType<typeof parseAst>;
type Statement = Module['body'][number];
type Import = Extract<Statement, { type: 'ImportDeclaration' }>;

/** What was found in a module besides its statements. */
interface Found {
  readonly changes: Change[];
  /** Variables that functions assign. */
  readonly assigned: Set<string>;
  /** Awaits outside of functions. */
  waits: boolean;
}

/**
 * A module of the bundle as a script, whose value `load-script.ts` runs. Node caches the compiled code of a module as it
 * is before the module runs, without the functions in it; that of a script can be had afterwards, with all that were
 * called. Names of other files are relative to the folder of both. Node's own modules are taken as they are, since for
 * `import` Node makes a second module, and looks at everything it exports, which loads what no run needs.
 *
 * @param code in ASCII, so that places in the text are those of its bytes
 * @throws Error where a script would do something else
 */
export function asScript(code: string): string {
  const module = parseAst(code);
  const found = foundIn(module, code);
  const imports = new Set<string>();
  const exported = new Map<string, string>();
  for (const statement of module.body) {
    switch (statement.type) {
      case 'ImportDeclaration':
        found.changes.push({ ...placeOf(statement), text: importText(statement, imports) });
        break;
      case 'ExportDefaultDeclaration':
        found.changes.push({
          start: statement.start,
          end: statement.declaration.start,
          text: 'const $default=',
        });
        exported.set('default', '$default');
        break;
      case 'ExportNamedDeclaration':
        if (statement.declaration || statement.source) refuse(code, statement);
        for (const { local, exported: name } of statement.specifiers) {
          exported.set(nameOf(name), nameOf(local));
        }
        found.changes.push({ ...placeOf(statement), text: '' });
        break;
      case 'ExportAllDeclaration':
        refuse(code, statement);
    }
  }
  for (const variable of exported.values()) {
    if (found.assigned.has(variable)) throw new Error(`exports ${variable}, which changes later`);
  }
  const body = changed(code, found.changes);
  const result = [...exported].map(([name, local]) => `${JSON.stringify(name)}:${local}`);
  const start = `${found.waits ? 'async ' : ''}function($load,$later,$node,$meta)`;
  return `({imports:${JSON.stringify([...imports])},run:(${start}{"use strict";${body}
return{${result.join(',')}}})})`;
}

/** As `asScript`, for the module that a program starts with: it stays one, and imports files of the bundle later. */
export function asEntry(code: string): string {
  const module = parseAst(code);
  const { changes } = foundIn(module, code);
  for (const statement of module.body) {
    if (statement.type !== 'ImportDeclaration') continue;
    const imports = new Set<string>();
    changes.push({ ...placeOf(statement), text: importText(statement, imports) });
    if (imports.size > 0) refuse(code, statement);
  }
  return changed(code, changes);
}

function foundIn(module: Module, code: string): Found {
  const taken = /\$(load|later|node|meta|default)\b/.exec(code);
  if (taken !== null) throw new Error(`the name ${taken[0]} is taken`);
  const found: Found = { changes: [], assigned: new Set(), waits: false };
  look(module, false, code, found);
  return found;
}

function look(part: unknown, inFunction: boolean, code: string, found: Found): void {
  if (Array.isArray(part)) {
    for (const one of part) look(one, inFunction, code, found);
    return;
  }
  if (!isNode(part)) return;
  switch (part.type) {
    case 'ImportExpression':
      found.changes.push({ ...placeOf(part), text: laterText(part['source'], code, part) });
      return;
    case 'MetaProperty':
      if (code.slice(part.start, part.end) === 'import.meta') {
        found.changes.push({ ...placeOf(part), text: '$meta' });
      }
      return;
    case 'AwaitExpression':
      found.waits ||= !inFunction;
      break;
    case 'ForOfStatement':
      found.waits ||= part['await'] === true && !inFunction;
      break;
    case 'AssignmentExpression':
    case 'UpdateExpression': {
      const target = part['left'] ?? part['argument'];
      if (inFunction && isNode(target) && target.type === 'Identifier') {
        found.assigned.add(String(target['name']));
      }
    }
  }
  const isFunction = /Function/.test(part.type);
  for (const child of Object.values(part)) look(child, inFunction || isFunction, code, found);
}

function isNode(part: unknown): part is Node & Record<string, unknown> {
  return typeof part === 'object' && part !== null && 'type' in part && 'start' in part;
}

const placeOf = ({ start, end }: Node) => ({ start, end });

/** Text for `import('...')`. */
function laterText(source: unknown, code: string, whole: Node): string {
  const name = isNode(source) && source.type === 'Literal' ? source['value'] : undefined;
  if (typeof name !== 'string') return refuse(code, whole);
  if (isBuiltin(name)) return `$node(${JSON.stringify(name)})`;
  return name.startsWith('.')
    ? `$later(${JSON.stringify(posix.basename(name))})`
    : refuse(code, whole);
}

/** Text for an `import` statement; its file comes into `imports`. */
function importText({ source, specifiers }: Import, imports: Set<string>): string {
  const { value } = source;
  if (!value.startsWith('.') && !isBuiltin(value)) throw new Error(`import of ${value}`);
  if (!isBuiltin(value)) imports.add(posix.basename(value));
  // One of the names may be `process`.
  const from = isBuiltin(value)
    ? `globalThis.process.getBuiltinModule(${JSON.stringify(value)})`
    : `$load(${JSON.stringify(posix.basename(value))})`;
  const names = specifiers.flatMap((one) =>
    one.type === 'ImportSpecifier'
      ? [`${JSON.stringify(nameOf(one.imported))}:${one.local.name}`]
      : [],
  );
  const wholes = specifiers.flatMap((one) =>
    one.type === 'ImportSpecifier' ? [] : [`${one.local.name}=${from}`],
  );
  const some = names.length > 0 ? [`{${names.join(',')}}=${from}`] : [];
  const all = [...wholes, ...some];
  return all.length > 0 ? `const ${all.join(',')};` : '';
}

/** The name in an import or export, which may be written as a text. */
function nameOf(name: { type: string; name?: string; value?: unknown }): string {
  return name.name ?? String(name.value);
}

function refuse(code: string, { start, end }: Node): never {
  throw new Error(`cannot be in a script: ${code.slice(start, Math.min(end, start + 100))}`);
}

function changed(code: string, changes: readonly Change[]): string {
  let text = '';
  let at = 0;
  for (const change of changes.toSorted((a, b) => a.start - b.start)) {
    text += code.slice(at, change.start) + change.text;
    at = change.end;
  }
  return text + code.slice(at);
}
