import { AsyncLocalStorage } from 'node:async_hooks';
import { readFileSync, writeFileSync } from 'node:fs';
import { registerHooks, stripTypeScriptTypes } from 'node:module';
import { fileURLToPath } from 'node:url';
import { parseSync, Visitor } from 'rolldown/utils';

/**
 * Loaded with `node --import`: records each entry of a function of the project's source, in order, and writes them at
 * exit to the file that `HOUSE_TRACE` names, one `path#function:line` per line. `HOUSE_ROOT` is the project's directory.
 */
const root = `${process.env['HOUSE_ROOT']}/`;

/**
 * Functions that only start what runs beside a transfer: the list of running programs, which a run enters after a second,
 * and which no transfer waits for. What they start is not recorded, however late it runs.
 */
const BESIDE = [
  'src/run/presence/presence.ts#startPresence',
  'src/run/presence/presence.ts#changes',
];
const beside = new AsyncLocalStorage<boolean>();

/** The socket of that list: its events come without the context in which it was opened. */
const OF_SOCKET = [
  'src/run/presence/enter-presence.ts',
  'src/system/listen-in-folder.ts',
  'src/system/serve-lines.ts',
];

const names: string[] = [];
const entered: number[] = [];
Object.assign(globalThis, {
  houseEnter: (id: number) => void (beside.getStore() === true || entered.push(id)),
  houseBeside: <T>(work: () => T) => beside.run(true, work),
});
process.on('exit', () => {
  const lines = entered.map((id) => names[id]);
  writeFileSync(process.env['HOUSE_TRACE'] ?? '', lines.join('\n'));
});

registerHooks({
  load(url, context, next) {
    const file = url.startsWith('file:') ? fileURLToPath(url) : '';
    const isOwn = file.startsWith(root) && file.endsWith('.ts');
    if (!isOwn || file.includes('/node_modules/')) return next(url, context);
    const text = readFileSync(file, 'utf8');
    const path = file.slice(root.length);
    const source = OF_SOCKET.includes(path) ? text : withEntries(text, path);
    return { format: 'module', source: stripTypeScriptTypes(source), shortCircuit: true };
  },
});

/** Where a function starts and ends, as the parser reports it. */
interface Span {
  readonly start: number;
  readonly end: number;
}

interface FunctionNode extends Span {
  readonly id?: Span | null;
  readonly async: boolean;
  readonly body: (Span & { readonly type: string }) | null;
}

/** The source with a call at the start of each function. */
function withEntries(text: string, path: string): string {
  const inserted: [at: number, text: string][] = [];
  const named = new Map<number, string>();
  const constructors = new Set<number>();
  const name = (value: Span | null | undefined, key: Span) => {
    if (value) named.set(value.start, text.slice(key.start, key.end).slice(0, 40));
  };
  const enter = (node: FunctionNode) => {
    const { body, id: ownName } = node;
    if (body === null || constructors.has(node.start)) return;
    if (ownName) name(node, ownName);
    const line = text.slice(0, node.start).split('\n').length;
    const place = `${path}#${named.get(node.start) ?? '(anonymous)'}`;
    const id = names.push(`${place}:${line}`) - 1;
    const call = `houseEnter(${id})`;
    if (BESIDE.includes(place)) {
      const wrap = `${call};return houseBeside(${node.async ? 'async' : ''}()=>{`;
      inserted.push([body.start + 1, wrap], [body.end - 1, '})']);
    } else if (body.type === 'BlockStatement' || body.type === 'FunctionBody')
      inserted.push([body.start + 1, `${call};`]);
    else inserted.push([body.start, `(${call},(`], [body.end, '))']);
  };
  const keyed = (node: { readonly key: Span; readonly value: Span | null }) =>
    name(node.value, node.key);
  const declared = (node: { readonly id: Span; readonly init: Span | null }) =>
    name(node.init, node.id);
  const method = (node: { readonly key: Span; readonly value: Span; readonly kind: string }) => {
    keyed(node);
    if (node.kind === 'constructor') constructors.add(node.value.start);
  };
  new Visitor({
    MethodDefinition: method,
    Property: keyed,
    PropertyDefinition: keyed,
    VariableDeclarator: declared,
    FunctionDeclaration: enter,
    FunctionExpression: enter,
    ArrowFunctionExpression: enter,
  }).visit(parseSync(path, text, { lang: 'ts' }).program);
  let source = text;
  for (const [at, added] of inserted.sort(([a], [b]) => b - a))
    source = source.slice(0, at) + added + source.slice(at);
  return source;
}
